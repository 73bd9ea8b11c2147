import { z } from 'zod';
import { documentFilter } from './documents.ts';
import { by, type Exchange } from './shapes.ts';

const MANY_ACTS = ['retry', 'resend', 'move', 'dismiss', 'undismiss'] as const;
export type ManyAct = (typeof MANY_ACTS)[number];

/** Limit per request, for documents and for files separately. */
const MANY_LIMIT = 1_000;

const numbers = z.array(z.int()).max(MANY_LIMIT);

export const MANY = {
  actOnMany: {
    says: 'Does the same to many documents and files, given by number or by a filter.',
    request: z.object({
      act: z
        .enum(MANY_ACTS)
        .describe(
          'retry: queues failed, unconfirmed and lost documents; resend: sends accepted documents again; move: moves documents of an endpoint that is no longer configured to another one; dismiss: dismisses what needs a person; undismiss: undoes that. Documents and files in another state are skipped.',
        ),
      documents: numbers.optional().describe('Numbers of documents.'),
      files: numbers.optional().describe('Numbers of files that are not documents.'),
      filter: documentFilter.optional().describe('Instead of numbers.'),
      endpoint: z.string().optional().describe('For move: alias of the endpoint that gets them.'),
      cursor: z
        .string()
        .max(200)
        .optional()
        .describe('`next` of the previous answer, to continue from there.'),
      by,
    }),
    response: z.object({
      count: z.number().describe('How many were changed.'),
      done: z
        .object({ documents: z.array(z.number()), files: z.array(z.number()) })
        .describe('Their numbers, so that it can be undone.'),
      failed: z.number().describe('How many could not be sent again, because their images are gone.'),
      next: z.string().nullable().describe('Where to continue; null when done.'),
    }),
  },
} satisfies Record<string, Exchange>;
