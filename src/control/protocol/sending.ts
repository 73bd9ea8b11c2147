import { z } from 'zod';
import type { Exchange } from './shapes.ts';

/** Of a file; base64 takes four thirds of that, and one text can't be much longer. */
export const SEND_LIMIT_BYTES = 128 * 1024 * 1024;
/** Of the whole request. */
export const SEND_BODY_BYTES = Math.ceil((SEND_LIMIT_BYTES * 4) / 3) + 64 * 1024;

const nanoseconds = z.string().regex(/^-?\d{1,20}$/, { error: 'nanoseconds' });

/** What sends files that lie in no watched folder. */
export const SENDING = {
  send: {
    says: 'Takes in one file that lies in no watched folder; over the control socket only. Its bytes come along, since the agent may not be able to read it.',
    request: z.object({
      folder: z.string().describe('Absolute path of the directory that it lies in.'),
      path: z
        .string()
        .regex(/^(?!\.{1,2}$)[^/]+$/, { error: 'the name of a file' })
        .describe('Its name.'),
      identity: z
        .object({
          size: z.number().int().min(0),
          mtimeNs: nanoseconds,
          ctimeNs: nanoseconds,
          inode: z.string().regex(/^\d{1,20}$/, { error: 'a number' }),
        })
        .describe('As the system tells it.'),
      endpoint: z.string().optional().describe('Alias; may be left out where one endpoint is configured.'),
      bytes: z.string().describe('All of them, in base64.'),
    }),
    response: z.object({
      outcome: z
        .enum(['queued', 'duplicate', 'rejected'])
        .describe(
          'queued: named, and kept until it is accepted. duplicate: the endpoint has a document of these bytes.',
        ),
      documentId: z.number().nullable(),
      name: z.string().nullable(),
      message: z.string().nullable().describe('Why it was rejected.'),
    }),
  },
} satisfies Record<string, Exchange>;
