import { z } from 'zod';
import { LIST_STATES } from '../../core/ports/ledgerReports.ts';
import { documentFilter } from './documents.ts';
import { endpointKey, type Exchange } from './shapes.ts';

const count = z.number();
const except = (what: string) =>
  `With every condition but that of ${what}, so that one can be chosen instead.`;

export const FACETS = {
  facets: {
    says: 'How many rows a filter lists, and how many it would with another state, folder, endpoint or status, and in each day or month.',
    request: documentFilter.extend({
      zone: z.string().max(60).describe('Whose days they are, such as Europe/Berlin.'),
      by: z.enum(['day', 'month']).describe('Of what there is one count for each.'),
      cursor: z.string().max(200).optional().describe('`next` of the answer before.'),
    }),
    response: z.object({
      total: count,
      states: z.array(z.object({ value: z.enum(LIST_STATES), count })).describe(except('states')),
      folders: z.array(z.object({ value: z.string(), count })).describe(except('the folder')),
      endpoints: z.array(z.object({ value: endpointKey, count })).describe(except('the endpoint')),
      statuses: z.array(z.object({ value: z.string(), count })).describe(except('statuses')),
      periods: z.array(z.object({ value: z.string(), count })).describe('Such as 2026-11-24, or 2026-11.'),
      next: z
        .string()
        .nullable()
        .describe(
          'Where to count on, and what to add to these; null at the end. No request counts for longer than half a second.',
        ),
    }),
  },
} satisfies Record<string, Exchange>;
