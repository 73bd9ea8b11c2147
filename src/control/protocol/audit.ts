import { z } from 'zod';
import { LIST_STATES } from '../../core/ports/ledgerReports.ts';
import { fact, instant, type Exchange } from './shapes.ts';

export const AUDIT = {
  seenCounts: {
    says: 'How many files were first seen in a period, by folder and state.',
    request: z.object({
      since: instant.describe('Seen at this time or later.'),
      until: instant.describe('Seen before this time.'),
    }),
    response: z.object({
      counts: z.array(
        z.object({
          folder: z.string(),
          state: z.enum(LIST_STATES),
          needsPerson: z.literal(true).optional().describe('These need a person; left out if they do not.'),
          count: z.number(),
          newest: instant.describe('When the newest of them was first seen.'),
        }),
      ),
    }),
  },
  compareFolder: {
    says: 'Compares the files in a folder with the ledger, file by file.',
    request: z.object({ folder: z.string().describe('Absolute path of a configured folder.') }),
    response: z.object({
      at: instant,
      listed: z.number().describe('Files in the folder that match its patterns.'),
      known: z.number().describe('Listed files that the ledger has exactly as they are.'),
      excluded: z.number().describe('Files in the ledger that no longer match the patterns.'),
      unaccounted: z
        .array(
          z.object({
            path: z.string().describe('Relative to the folder.'),
            problem: z
              .enum(['unknown', 'changed', 'missing'])
              .describe(
                'unknown: not in the ledger; changed: not what the ledger recorded; missing: in the ledger, but no longer in the folder.',
              ),
            state: z.enum(LIST_STATES).nullable(),
            name: z.string().nullable(),
          }),
        )
        .describe('The first of the files that the ledger does not account for.'),
      unaccountedCount: z.number(),
      notLookedAt: z
        .array(z.object({ path: z.string(), message: z.string(), fact: fact.nullable() }))
        .describe('Parts that could not be read; the path is empty for the folder itself.'),
    }),
  },
} satisfies Record<string, Exchange>;
