import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
import { BUDGET_PERIODS } from '../../core/domain/limits.ts';
import { instant, nothing, type Exchange } from './shapes.ts';

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
    since: instant.describe('When that state began.'),
    mode: z.enum(['events', 'polled']).describe('How new scans are noticed.'),
    fileSystem: z
      .string()
      .nullable()
      .describe('Kind of file system, such as ext4 or nfs; null until the folder was looked at.'),
    settling: z.number().describe('Files that are not at rest yet.'),
    lastListing: instant.nullable().describe('Null until the folder was listed once.'),
  })
  .meta({ id: 'FolderStatus' });

const incidentStatus = z
  .object({
    code: z.enum(ERROR_CODES),
    subject: z
      .string()
      .nullable()
      .describe('The folder, agent or channel that it is about; null: none alone.'),
    message: z.string(),
    hint: z.string(),
    since: instant,
  })
  .meta({ id: 'Incident' });

const alias = z.string().nullable().describe('Alias of the endpoint; null: all of them together.');

const note = z
  .object({
    text: z.string().describe('A plain sentence.'),
    about: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('hours'), until: instant }).describe('It is outside the sending hours.'),
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
            spacingMs: z.number().describe('Between two uploads; 0 for none.'),
          })
          .describe('The service asked for less, or answers slowly.'),
        z
          .object({ kind: z.literal('limited'), endpoint: alias, rate: z.string(), leftMs: z.number() })
          .describe('A configured rate keeps documents waiting.'),
        z
          .object({
            kind: z.literal('paused'),
            agent: z.string(),
            by: z.string().nullable(),
            since: instant.nullable(),
          })
          .describe('Somebody paused this agent.'),
        z
          .object({ kind: z.literal('deferred'), images: z.number() })
          .describe('Taken in while the ledger was away.'),
        z
          .object({ kind: z.literal('restart'), file: z.string(), keys: z.array(z.string()) })
          .describe('Settings that take effect at the next start.'),
        z
          .object({ kind: z.literal('unmatched'), results: z.number() })
          .describe('Results that belong to no known document.'),
        z.object({ kind: z.literal('fleet'), agents: z.number() }).describe('How many share the ledger.'),
        z.object({ kind: z.literal('ledgerAway') }).describe('A shared ledger can not be reached.'),
      ])
      .describe('The same for programs.'),
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
      .describe(
        'Upload requests that have begun to leave and are not answered yet, as the service sees them.',
      ),
    limitedBy: z
      .array(
        z.object({
          endpoint: z
            .string()
            .nullable()
            .describe('Alias of the endpoint whose rate it is; null: `delivery.rate`.'),
          rate: z.string().describe('As configured, such as 60/min.'),
          perMinute: z.number().describe('So many documents of a backlog leave in a minute.'),
        }),
      )
      .describe('The rates for which documents wait at this moment.'),
    incidents: z.array(incidentStatus).describe('What stands between the agent and its work.'),
    notes: z.array(note).describe('What slows it down and is no trouble: sending hours, a reduced pace.'),
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
    says: 'How the agent is: folders, uploads under way, incidents.',
    request: nothing,
    response: statusResponse,
  },
} satisfies Record<string, Exchange>;

export { statusResponse };
