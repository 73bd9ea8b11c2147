import { z } from 'zod';
import { documentFilter } from './documents.ts';
import { fleetAgent } from './fleet.ts';
import { by, instant, nothing, type Exchange } from './shapes.ts';

const target = z.object({
  target: z.string().optional().describe("A folder's path or an endpoint's alias; everything if left out."),
  by,
});
const ofAgent = z.object({ agent: z.string().describe('Name of an agent that shares the ledger.'), by });
const standing = z.object({
  state: fleetAgent.shape.state,
  lastSeenAt: fleetAgent.shape.lastSeenAt,
});
const targets = z.object({
  targets: z.array(z.string()).describe('What was paused or resumed; * for everything.'),
});

/** Each answer takes a few seconds at most; the caller continues from `next` for the rest. */
const after = z.int().min(0).optional().describe('`next` of the previous answer, to continue from there.');
const next = z.int().nullable().describe('Where to continue; null when done.');

const NAMED =
  'A name (in any case), a file, or the first characters of a name or hash, if they match one document.';

/** Operations that change documents and holds. Each also works without a daemon, directly on the ledger. */
export const ACTS = {
  retry: {
    says: 'Queues failed, unconfirmed, lost and waiting documents at once, and tries everything on hold.',
    request: z.object({
      names: z.array(z.string()).optional().describe(NAMED),
      all: z.boolean().optional().describe('Everything that needs a person.'),
      after,
      by,
    }),
    response: z.object({
      queued: z.number(),
      names: z.array(z.string()).describe('The documents that matched.'),
      missing: z
        .array(z.string())
        .optional()
        .describe('Agents that are not running, and that alone can send one of the named documents.'),
      next,
    }),
  },
  dismiss: {
    says: 'Dismisses documents and files that need a person, until they change; or undoes that.',
    request: z.object({
      targets: z.array(z.string()).optional().describe('Names of documents, or paths or names of files.'),
      all: z.boolean().optional().describe('Everything that matches the filter.'),
      filter: documentFilter.omit({ attention: true }).optional(),
      undo: z.boolean().optional(),
      after,
      by,
    }),
    response: z.object({
      dismissed: z.number().describe('How many were dismissed, or restored with `undo`.'),
      next,
    }),
  },
  tryHeld: {
    says: 'Tries everything on hold right away, for example after new credentials were stored.',
    request: nothing,
    response: nothing,
  },
  resend: {
    says: 'Sends an accepted document again on purpose.',
    request: z.object({
      name: z.string().describe(NAMED),
      endpoint: z.string().optional().describe("Alias; the document's own endpoint if left out."),
      by,
    }),
    response: z.object({
      name: z.string(),
      endpointUid: z.string(),
      outcome: z
        .enum(['queued', 'duplicate'])
        .describe('duplicate: the other endpoint already has these bytes, under that name.'),
    }),
  },
  pause: {
    says: 'Stops uploads from a folder, to an endpoint, or all. Scans are taken in meanwhile, and wait.',
    request: target.extend({
      until: instant.optional().describe('When it ends by itself; until it is resumed if left out.'),
    }),
    response: targets,
  },
  resume: { says: 'Resumes what was paused.', request: target, response: targets },
  pauseAgent: {
    says: 'Stops uploads of one of the agents that share the ledger; it still takes in scans.',
    request: ofAgent,
    response: standing,
  },
  resumeAgent: { says: 'Lets that agent send again.', request: ofAgent, response: standing },
  retireAgent: {
    says: 'Retires an agent that will not come back: its waiting documents are settled, or passed on to other agents.',
    request: ofAgent,
    response: z.object({
      lost: z.number().describe('Documents from its own folders, which are now lost.'),
      passedOn: z.number().describe('Documents from shared folders, which this agent now sends.'),
      results: z.number().describe('Results that it had not handed on; this agent hands them on.'),
    }),
  },
  recordEndpoint: {
    says: 'Records an endpoint that the service has just created, because only the agent writes the ledger.',
    request: z.object({
      uid: z.string(),
      name: z.string(),
      verbatim: z.string().describe("The service's record, verbatim."),
      by,
    }),
    response: nothing,
  },
  erase: {
    says: 'Erases the personal data of settled documents.',
    request: z.object({
      names: z.array(z.string()).optional().describe('Documents by name.'),
      before: instant.optional().describe('All documents named before this time.'),
      withOriginals: z
        .boolean()
        .optional()
        .describe('First deletes the originals of accepted documents from watched folders.'),
      after,
      by,
    }),
    response: z.object({
      erased: z.number(),
      skipped: z
        .array(z.string())
        .describe('Names of documents that are not sent yet; they are left unchanged.'),
      there: z
        .array(z.object({ name: z.string(), files: z.array(z.string()).describe('Absolute paths.') }))
        .describe('Documents left unchanged, because their files are still in watched folders.'),
      next,
    }),
  },
  backup: {
    says: 'Copies the ledger into a new file, and checks the copy.',
    request: z.object({
      output: z
        .string()
        .optional()
        .describe('Absolute path of a new file; if left out, a new file among the automatic backups.'),
      by,
    }),
    response: z.object({
      file: z.string(),
      head: z
        .object({ ledger: z.string(), seq: z.number(), hash: z.string() })
        .describe('The last journal entry that the copy contains.'),
    }),
  },
} satisfies Record<string, Exchange>;
