import { z } from 'zod';
import { endpointKey, instant, type Exchange } from './shapes.ts';

export const RESULTS_LIMIT = 500;

const resultRow = z
  .object({
    id: z.number(),
    receivedAt: instant,
    document: z
      .object({ id: z.number(), name: z.string(), endpoint: endpointKey })
      .nullable()
      .describe('Null: none that is known here.'),
    status: z.string().nullable().describe("The service's status, verbatim; null where the result has none."),
    sha256: z.string().describe('Of what was posted.'),
    size: z.number().describe('Bytes.'),
    encoding: z.enum(['utf8', 'base64']).describe('How the payload is kept as text.'),
    givenName: z.string().nullable().describe('Of a document that is not known here, as the result says.'),
    givenUid: z.string().nullable().describe('Of the endpoint, as the result or the address says.'),
  })
  .meta({ id: 'Result' });

export const RESULTS = {
  results: {
    says: 'What the service posted about documents, newest first.',
    request: z.object({
      unmatched: z.boolean().optional().describe('Only what belongs to no document that is known here.'),
      documentId: z.number().int().optional().describe('Only of this document.'),
      before: z.number().int().optional().describe('`next` of the page before.'),
      limit: z.number().int().min(1).max(RESULTS_LIMIT).optional().describe('50 if left out.'),
    }),
    response: z.object({
      results: z.array(resultRow),
      next: z.number().nullable().describe('Where the next page begins; null at the end.'),
      total: z.number().nullable().describe('On all pages; null for those of one document.'),
    }),
  },
  result: {
    says: 'One result, with what was posted.',
    request: z.object({ id: z.number().int() }),
    response: z.object({
      result: resultRow.extend({
        payload: z.string().nullable().describe('Verbatim, or in base64 (`encoding`); null: erased.'),
      }),
    }),
  },
  resultsPath: {
    says: 'Path of the address that the service posts results to. It holds a secret.',
    request: z.object({ uid: z.string().max(200).optional().describe('Of the endpoint.') }),
    response: z.object({ path: z.string() }),
  },
} satisfies Record<string, Exchange>;

export type ResultJson = z.infer<typeof resultRow>;
export type ResultDetailJson = z.infer<typeof RESULTS.result.response>['result'];
