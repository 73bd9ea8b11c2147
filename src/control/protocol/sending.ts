import { z } from 'zod';
import { DOCUMENT_STATES } from '../../core/domain/document.ts';
import { fact, type Exchange } from './shapes.ts';

/** Largest file that can be sent. Its base64 form is a third longer and has to fit into one string. */
export const SEND_LIMIT_BYTES = 128 * 1024 * 1024;
/** Largest body of a `send` request: the file in base64 and its metadata. */
export const SEND_BODY_BYTES = Math.ceil((SEND_LIMIT_BYTES * 4) / 3) + 64 * 1024;

const nanoseconds = z.string().regex(/^-?\d{1,20}$/, { error: 'nanoseconds' });

const fileName = z
  .string()
  .regex(/^(?!\.{1,2}$)[^/]+$/, { error: 'the name of a file' })
  .describe('Name of the file.');

const alias = z.string().optional().describe('Alias; optional if only one endpoint is configured.');

const taken = z.object({
  outcome: z
    .enum(['queued', 'duplicate', 'rejected'])
    .describe(
      'queued: named, and kept until it is accepted. duplicate: the endpoint already has a document with these bytes.',
    ),
  documentId: z.number().nullable(),
  name: z.string().nullable(),
  message: z.string().nullable().describe('Why it was rejected.'),
  fact: fact.nullable(),
});

/** Sends files that are not in a watched folder. */
export const SENDING = {
  send: {
    says: 'Takes in one file that is not in a watched folder; over the control socket only. The request contains the bytes, because the agent may not be allowed to read the file.',
    request: z.object({
      folder: z.string().describe('Absolute path of its directory.'),
      path: fileName,
      identity: z
        .object({
          size: z.number().int().min(0),
          mtimeNs: nanoseconds,
          ctimeNs: nanoseconds,
          inode: z.string().regex(/^\d{1,20}$/, { error: 'a number' }),
        })
        .describe('What the system says about the file.'),
      endpoint: alias,
      bytes: z.string().describe('The whole file, in base64.'),
    }),
    response: taken,
  },
} satisfies Record<string, Exchange>;

const uploadQuery = z.object({
  name: fileName.max(1_000),
  endpoint: alias,
  modified: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'milliseconds since 1970' })
    .optional()
    .describe('When the file was last changed, in milliseconds since 1970.'),
});

const uploaded = taken.extend({
  state: z.enum(DOCUMENT_STATES).nullable().describe('State of the document.'),
  waits: z
    .object({ message: z.string(), fact: fact.nullable() })
    .nullable()
    .describe('What holds the document back; null if nothing does.'),
});

export type UploadQuery = z.infer<typeof uploadQuery>;
export type UploadAnswer = z.infer<typeof uploaded>;

/** A POST request whose body is a file, with parameters in the query. */
export const UPLOADS = {
  file: {
    path: '/v1/files',
    says: 'Takes in one file from a browser, like `send`; over HTTP only. The body is the file. A file that does not arrive completely leaves nothing behind.',
    query: uploadQuery,
    response: uploaded,
  },
};
