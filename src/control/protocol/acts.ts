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
const targets = z.object({ targets: z.array(z.string()).describe('What was paused or resumed.') });

/** An answer comes after some seconds; what is left is asked for again. */
const after = z.int().min(0).optional().describe('`next` of the answer before, to go on from there.');
const next = z.int().nullable().describe('Where to go on; null: that was all.');

const NAMED = 'By name, in any case; by the file; or by how name or hash begin, where that is one document.';

/** What people change. Each works without a daemon as well, on the ledger itself. */
export const ACTS = {
  retry: {
    says: 'Queues failed, unconfirmed, lost and waiting documents at once, and tries everything on hold.',
    request: z.object({
      names: z.array(z.string()).optional().describe(NAMED),
      all: z.boolean().optional().describe('All that wait for a person.'),
      after,
      by,
    }),
    response: z.object({
      queued: z.number(),
      names: z.array(z.string()).describe('Those that were meant.'),
      missing: z
        .array(z.string())
        .optional()
        .describe('Agents that do not run and alone can send one of the named documents.'),
      next,
    }),
  },
  dismiss: {
    says: 'Lets documents and files that need a person need nobody any more, until they change; or takes that back.',
    request: z.object({
      targets: z.array(z.string()).optional().describe('Names of documents, paths or names of files.'),
      all: z.boolean().optional().describe('All that the filter lets pass.'),
      filter: documentFilter.omit({ attention: true }).optional(),
      undo: z.boolean().optional(),
      after,
      by,
    }),
    response: z.object({ dismissed: z.number().describe('Or taken back.'), next }),
  },
  tryHeld: {
    says: 'Tries everything on hold at once, with new credentials, say.',
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
        .describe('duplicate: the other endpoint has these bytes already, under that name.'),
    }),
  },
  pause: { says: 'Stops uploads of a folder or an endpoint.', request: target, response: targets },
  resume: { says: 'Goes on with what was paused.', request: target, response: targets },
  pauseAgent: {
    says: 'Lets one of the agents that share the ledger send nothing; it takes scans in all the while.',
    request: ofAgent,
    response: standing,
  },
  resumeAgent: { says: 'Lets it send again.', request: ofAgent, response: standing },
  retireAgent: {
    says: 'Gives up an agent that does not run and will not come back: what waits for it is settled, or goes to others.',
    request: ofAgent,
    response: z.object({
      lost: z.number().describe('Documents of its own folders, which count as lost.'),
      passedOn: z.number().describe('Documents of shared folders that this agent looks after now.'),
      results: z.number().describe('Results that it had not handed on; this agent does.'),
    }),
  },
  recordEndpoint: {
    says: 'Records an endpoint that the service has just created: the ledger has one writer.',
    request: z.object({
      uid: z.string(),
      name: z.string(),
      verbatim: z.string().describe("The service's record as it came."),
      by,
    }),
    response: nothing,
  },
  erase: {
    says: 'Erases the personal data of settled documents.',
    request: z.object({
      names: z.array(z.string()).optional().describe('Documents by name.'),
      before: instant.optional().describe('Or all that were named before this time.'),
      withOriginals: z
        .boolean()
        .optional()
        .describe('Deletes the files of accepted documents in watched folders first.'),
      after,
      by,
    }),
    response: z.object({
      erased: z.number(),
      skipped: z.array(z.string()).describe('Names of documents that still wait, and are left as they are.'),
      there: z
        .array(z.object({ name: z.string(), files: z.array(z.string()).describe('Absolute paths.') }))
        .describe('Documents whose files lie in watched folders, and that are left as they are for that.'),
      next,
    }),
  },
  backup: {
    says: 'Copies the ledger into a new file that is whole and checked.',
    request: z.object({
      output: z
        .string()
        .optional()
        .describe('Absolute path of a new file; one among the automatic backups if left out.'),
      by,
    }),
    response: z.object({
      file: z.string(),
      head: z
        .object({ ledger: z.string(), seq: z.number(), hash: z.string() })
        .describe('The last journal entry that it holds.'),
    }),
  },
} satisfies Record<string, Exchange>;
