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
      .describe('Null if the document is not known here.'),
    status: z.string().nullable().describe("The service's status, verbatim; null if the result has none."),
    sha256: z.string().describe('SHA-256 of the posted bytes.'),
    size: z.number().describe('Bytes.'),
    encoding: z.enum(['utf8', 'base64']).describe('How the payload is encoded as text.'),
    givenName: z.string().nullable().describe('Name of an unknown document, as the result gives it.'),
    givenUid: z.string().nullable().describe('Uid of the endpoint, as the result or the address gives it.'),
  })
  .meta({ id: 'Result' });

export const RESULTS = {
  results: {
    says: 'What the service posted about documents, newest first.',
    request: z.object({
      unmatched: z.boolean().optional().describe('Only results for no known document.'),
      documentId: z.number().int().optional().describe('Only results for this document.'),
      before: z.number().int().optional().describe('`next` of the previous page.'),
      limit: z.number().int().min(1).max(RESULTS_LIMIT).optional().describe('50 if left out.'),
    }),
    response: z.object({
      results: z.array(resultRow),
      next: z.number().nullable().describe('Where the next page begins; null at the end.'),
      total: z.number().nullable().describe('Results on all pages; null for the results of one document.'),
    }),
  },
  result: {
    says: 'One result, with its payload.',
    request: z.object({ id: z.number().int() }),
    response: z.object({
      result: resultRow.extend({
        payload: z.string().nullable().describe('Verbatim, or in base64 (see `encoding`); null if erased.'),
      }),
    }),
  },
  resultsPath: {
    says: 'Path of the address that the service posts results to. It contains a secret.',
    request: z.object({ uid: z.string().max(200).optional().describe('Uid of the endpoint.') }),
    response: z.object({ path: z.string() }),
  },
} satisfies Record<string, Exchange>;

export type ResultJson = z.infer<typeof resultRow>;
export type ResultDetailJson = z.infer<typeof RESULTS.result.response>['result'];
