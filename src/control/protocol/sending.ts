import { z } from 'zod';
import { fact, type Exchange } from './shapes.ts';

/** Largest file that can be sent. Its base64 form is a third longer and has to fit into one string. */
export const SEND_LIMIT_BYTES = 128 * 1024 * 1024;
/** Largest body of a `send` request: the file in base64 and its metadata. */
export const SEND_BODY_BYTES = Math.ceil((SEND_LIMIT_BYTES * 4) / 3) + 64 * 1024;

const nanoseconds = z.string().regex(/^-?\d{1,20}$/, { error: 'nanoseconds' });

/** Sends files that are not in a watched folder. */
export const SENDING = {
  send: {
    says: 'Takes in one file that is not in a watched folder; over the control socket only. The request contains the bytes, because the agent may not be allowed to read the file.',
    request: z.object({
      folder: z.string().describe('Absolute path of its directory.'),
      path: z
        .string()
        .regex(/^(?!\.{1,2}$)[^/]+$/, { error: 'the name of a file' })
        .describe('Name of the file.'),
      identity: z
        .object({
          size: z.number().int().min(0),
          mtimeNs: nanoseconds,
          ctimeNs: nanoseconds,
          inode: z.string().regex(/^\d{1,20}$/, { error: 'a number' }),
        })
        .describe('What the system says about the file.'),
      endpoint: z.string().optional().describe('Alias; optional if only one endpoint is configured.'),
      bytes: z.string().describe('The whole file, in base64.'),
    }),
    response: z.object({
      outcome: z
        .enum(['queued', 'duplicate', 'rejected'])
        .describe(
          'queued: named, and kept until it is accepted. duplicate: the endpoint already has a document with these bytes.',
        ),
      documentId: z.number().nullable(),
      name: z.string().nullable(),
      message: z.string().nullable().describe('Why it was rejected.'),
      fact: fact.nullable(),
    }),
  },
} satisfies Record<string, Exchange>;
