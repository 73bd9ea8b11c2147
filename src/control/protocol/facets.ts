import { z } from 'zod';
import { LIST_STATES } from '../../core/ports/ledgerReports.ts';
import { documentFilter } from './documents.ts';
import { endpointKey, type Exchange } from './shapes.ts';

const count = z.number();
const except = (what: string) =>
  `Counted with every condition except ${what}, so that people can choose another.`;

export const FACETS = {
  facets: {
    says: 'How many rows match a filter: in all, for each day or month, and for each other state, folder, endpoint or status.',
    request: documentFilter.extend({
      zone: z.string().max(60).describe('Time zone of the days, such as Europe/Berlin.'),
      by: z.enum(['day', 'month']).describe('Length of a period.'),
      cursor: z.string().max(200).optional().describe('`next` of the previous answer.'),
    }),
    response: z.object({
      total: count,
      states: z.array(z.object({ value: z.enum(LIST_STATES), count })).describe(except('the states')),
      folders: z.array(z.object({ value: z.string(), count })).describe(except('the folder')),
      endpoints: z.array(z.object({ value: endpointKey, count })).describe(except('the endpoint')),
      statuses: z.array(z.object({ value: z.string(), count })).describe(except('the statuses')),
      periods: z.array(z.object({ value: z.string(), count })).describe('Such as 2026-11-24, or 2026-11.'),
      next: z
        .string()
        .nullable()
        .describe(
          'Where to continue counting; add the next counts to these. Null at the end. A request counts for half a second at most.',
        ),
    }),
  },
} satisfies Record<string, Exchange>;
