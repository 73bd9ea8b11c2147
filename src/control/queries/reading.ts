import { iso } from '../../core/domain/words.ts';
import type { Operations } from '../protocol/protocol.ts';
import { countDocuments, documentDetails, documentsPage, neighboursOf } from './documents.ts';
import { facetsOf } from './facets.ts';
import { fleetOf } from './fleet.ts';
import { oneResult, resultsPage } from './results.ts';
import { overview, type OverviewDeps } from './overview.ts';

const HOUR_MINUTES = 60;

/** The read-only operations. */
export function readingOperations(
  deps: OverviewDeps,
): Pick<
  Operations,
  | 'status'
  | 'overview'
  | 'fleet'
  | 'documents'
  | 'neighbours'
  | 'countDocuments'
  | 'facets'
  | 'seenCounts'
  | 'document'
  | 'results'
  | 'result'
  | 'history'
  | 'ledgerHead'
  | 'knownEndpoints'
> {
  const { ledger, history, status } = deps;
  return {
    status: async () => status(),
    overview: () => overview(deps),
    fleet: () => fleetOf(ledger),
    documents: (request, gone) => documentsPage(ledger, request, gone),
    neighbours: (request) => neighboursOf(ledger, request),
    countDocuments: (request, gone) => countDocuments(ledger, request, gone),
    facets: (request, gone) => facetsOf(ledger, request, gone),
    async seenCounts({ since, until }) {
      const counts = await ledger.seenCounts(Date.parse(since), Date.parse(until));
      return { counts: counts.map((each) => ({ ...each, newest: iso(each.newest) })) };
    },
    document: (request) => documentDetails(ledger, request),
    results: (request) => resultsPage(ledger, request),
    result: (request) => oneResult(ledger, request),
    history: ({ minutes = HOUR_MINUTES }) => history.last(minutes),
    ledgerHead: async () => ({ head: await ledger.head() }),
    async knownEndpoints() {
      const endpoints = await ledger.endpoints();
      return {
        endpoints: endpoints.map(({ createdAt, ...rest }) => ({
          ...rest,
          createdAt: createdAt === null ? null : iso(createdAt),
        })),
      };
    },
  };
}
