import { z } from 'zod';
import { documentFilter } from './documents.ts';
import { by, type Exchange } from './shapes.ts';

const MANY_ACTS = ['retry', 'resend', 'dismiss', 'undismiss'] as const;
export type ManyAct = (typeof MANY_ACTS)[number];

/** Of documents, and of files, in one request. */
const MANY_LIMIT = 1_000;

const numbers = z.array(z.int()).max(MANY_LIMIT);

export const MANY = {
  actOnMany: {
    says: 'Does the same to many documents and files: to those named by number, or to all that a filter lists.',
    request: z.object({
      act: z
        .enum(MANY_ACTS)
        .describe(
          'retry: queues what failed, is unconfirmed or lost; resend: sends accepted documents again; dismiss: what needs a person needs nobody; undismiss takes that back. What an act does not fit is passed over.',
        ),
      documents: numbers.optional().describe('Their numbers.'),
      sightings: numbers.optional().describe('Numbers of files that are no documents.'),
      filter: documentFilter.optional().describe('Instead of numbers.'),
      cursor: z.string().max(200).optional().describe('`next` of the answer before, to go on from there.'),
      by,
    }),
    response: z.object({
      count: z.number().describe('To so many it was done.'),
      done: z
        .object({ documents: z.array(z.number()), sightings: z.array(z.number()) })
        .describe('Those, by number, for undoing it.'),
      failed: z.number().describe('Could not be sent again: their images are gone.'),
      next: z.string().nullable().describe('Where to go on; null: that was all.'),
    }),
  },
} satisfies Record<string, Exchange>;
