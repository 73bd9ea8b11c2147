import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import { BUDGET_PERIODS } from '../../core/domain/limits.ts';
import { params } from './problem.ts';
import { fact, instant, nothing, type Exchange } from './shapes.ts';

export const FOLDER_STATES = [
  'watching',
  'missing',
  'unreadable',
  'notADirectory',
  'unreachable',
  'taken',
  'starting',
  'standby',
  'paused',
] as const;

const folderStatus = z
  .object({
    path: z.string(),
    endpoint: z.string().describe('Alias.'),
    state: z.enum(FOLDER_STATES),
    message: z.string().nullable(),
    fact: fact.nullable(),
    since: instant.describe('When this state began.'),
    mode: z.enum(['events', 'polled']).describe('How receiptd notices new scans.'),
    fileSystem: z
      .string()
      .nullable()
      .describe('Type of file system, such as ext4 or nfs; null until the folder was checked.'),
    settling: z.number().describe('Files that are not at rest yet.'),
    lastListing: instant.nullable().describe('Null until the folder was listed for the first time.'),
  })
  .meta({ id: 'FolderStatus' });

const incidentStatus = z
  .object({
    key: z.string().describe('Identifies it while it is open.'),
    code: z.enum(ERROR_CODES),
    params,
    since: instant,
  })
  .meta({ id: 'Incident' });

const alias = z.string().nullable().describe('Alias of the endpoint; null for all endpoints together.');

const note = z
  .object({
    text: z.string().describe('A plain sentence.'),
    fact: z.record(z.string(), z.unknown()).optional().describe('What the sentence is made of.'),
    about: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('hours'), until: instant }).describe('Outside the sending hours.'),
        z
          .object({
            kind: z.literal('spent'),
            endpoint: alias,
            period: z.enum(BUDGET_PERIODS),
            limit: z.number(),
            until: instant,
          })
          .describe('A budget is used up.'),
        z
          .object({
            kind: z.literal('slowed'),
            endpoint: z.string(),
            cause: z.enum(['refused', 'slow']),
            atOnce: z.number(),
            configured: z.number(),
            spacingMs: z.number().describe('Minimum time between two uploads; 0 for none.'),
          })
          .describe('The service asked for fewer uploads, or answers slowly.'),
        z
          .object({ kind: z.literal('limited'), endpoint: alias, rate: z.string(), leftMs: z.number() })
          .describe('Documents wait because of a configured rate.'),
        z
          .object({
            kind: z.literal('paused'),
            agent: z.string(),
            by: z.string().nullable(),
            since: instant.nullable(),
          })
          .describe('A person paused this agent.'),
        z
          .object({ kind: z.literal('deferred'), images: z.number() })
          .describe('Images taken in while the ledger was away.'),
        z
          .object({ kind: z.literal('restart'), file: z.string(), keys: z.array(z.string()) })
          .describe('Settings that take effect only at the next start.'),
        z
          .object({ kind: z.literal('unmatched'), results: z.number() })
          .describe('Results for no known document.'),
        z
          .object({ kind: z.literal('fleet'), agents: z.number() })
          .describe('How many agents share the ledger.'),
        z.object({ kind: z.literal('ledgerAway') }).describe("The shared ledger can't be reached."),
      ])
      .describe('The same, for programs.'),
  })
  .meta({ id: 'Note' });

const statusResponse = z
  .object({
    pid: z.number(),
    startedAt: instant,
    version: z.string(),
    folders: z.array(folderStatus),
    inFlight: z
      .number()
      .describe('Upload requests that have been sent, at least in part, and not answered yet.'),
    limitedBy: z
      .array(
        z.object({
          endpoint: z
            .string()
            .nullable()
            .describe('Alias of the endpoint with this rate; null for `delivery.rate`.'),
          rate: z.string().describe('As configured, such as 60/min.'),
          perMinute: z.number().describe('How many documents of a backlog are sent in a minute.'),
        }),
      )
      .describe('The rates that documents are waiting for.'),
    incidents: z.array(incidentStatus).describe('What keeps the agent from working.'),
    notes: z
      .array(note)
      .describe(
        'What slows the agent down without being a problem, such as sending hours or a reduced pace.',
      ),
    spool: z.object({
      mode: z.enum(['auto', 'always', 'never']),
      used: z.number().describe('Bytes.'),
      limit: z.number().describe('Bytes.'),
      images: z.number(),
    }),
  })
  .meta({ id: 'Status' });

export type FolderStatus = z.infer<typeof folderStatus>;
export type NoteJson = z.infer<typeof note>;
export type IncidentStatus = z.infer<typeof incidentStatus>;
export type StatusResponse = z.infer<typeof statusResponse>;
export type SpoolStatus = StatusResponse['spool'];

export const STATUS = {
  status: {
    says: 'The state of the agent: folders, uploads in progress, incidents.',
    request: nothing,
    response: statusResponse,
  },
} satisfies Record<string, Exchange>;

export { statusResponse };
