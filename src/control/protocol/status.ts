import { z } from 'zod';
import { ERROR_CODES } from '../../core/domain/errors.ts';
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
  .object({ code: z.enum(ERROR_CODES), message: z.string(), hint: z.string(), since: instant })
  .meta({ id: 'Incident' });

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
    notes: z
      .array(z.string())
      .describe('What slows it down and is no trouble (sending hours, a reduced pace), in plain sentences.'),
    spool: z.object({
      mode: z.enum(['auto', 'always', 'never']),
      used: z.number().describe('Bytes.'),
      limit: z.number().describe('Bytes.'),
      images: z.number(),
    }),
  })
  .meta({ id: 'Status' });

export type FolderStatus = z.infer<typeof folderStatus>;
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
