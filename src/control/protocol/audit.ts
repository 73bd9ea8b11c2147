import { z } from 'zod';
import { LIST_STATES } from '../../core/ports/ledgerReports.ts';
import { instant, type Exchange } from './shapes.ts';

export const AUDIT = {
  seenCounts: {
    says: 'How many files were first seen in a span of time, by folder and by what became of them.',
    request: z.object({
      since: instant.describe('Seen at this time or later.'),
      until: instant.describe('Seen before this time.'),
    }),
    response: z.object({
      counts: z.array(z.object({ folder: z.string(), state: z.enum(LIST_STATES), count: z.number() })),
    }),
  },
  compareFolder: {
    says: 'Compares the files that lie in a folder now with the ledger, file by file.',
    request: z.object({ folder: z.string().describe('Absolute path of a configured folder.') }),
    response: z.object({
      at: instant,
      listed: z.number().describe('Files in the folder that its patterns let in.'),
      known: z.number().describe('Those of them that are in the ledger as they are.'),
      excluded: z.number().describe('In the ledger, and let in by the patterns no more.'),
      unaccounted: z
        .array(
          z.object({
            path: z.string().describe('Relative to the folder.'),
            problem: z
              .enum(['unknown', 'changed', 'missing'])
              .describe(
                'unknown to the ledger; changed since it was recorded; missing from the folder, while the ledger has it there.',
              ),
            state: z.enum(LIST_STATES).nullable(),
            name: z.string().nullable(),
          }),
        )
        .describe('The first of them.'),
      unaccountedCount: z.number(),
      notLookedAt: z
        .array(z.object({ path: z.string(), message: z.string() }))
        .describe('Parts that could not be looked at; the path is empty for the folder itself.'),
    }),
  },
} satisfies Record<string, Exchange>;
