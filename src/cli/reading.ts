import { openReports } from '../ledger/configured/reports.ts';
import type { Config } from '../config/config.ts';
import { callControl } from '../control/client.ts';
import type { DocumentDetailJson, ListRowJson } from '../control/protocol/documents.ts';
import type { Request, Response } from '../control/protocol/protocol.ts';
import type { ResultDetailJson } from '../control/protocol/results.ts';
import { documentDetails, wordedRows } from '../control/queries/documents.ts';
import { oneResult, resultsPage } from '../control/queries/results.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { JournalHead } from '../core/ports/journal.ts';
import {
  PAGE_LIMIT,
  type KnownEndpoint,
  type LedgerReports,
  type ListFilter,
} from '../core/ports/ledgerReports.ts';
import { requestOf } from './filters.ts';
import { agentAnswers } from './session.ts';

/** The part of the ledger that read-only commands need. */
export interface LedgerReading extends Pick<LedgerReports, 'endpoints' | 'head'> {
  list(filter: ListFilter): AsyncIterable<ListRowJson>;
  /** @throws ReceiptdError DOCUMENT_UNKNOWN, DOCUMENT_AMBIGUOUS */
  details(wanted: Request<'document'>): Promise<readonly DocumentDetailJson[]>;
  resultsPage(request: Request<'results'>): Promise<Response<'results'>>;
  /** @throws ReceiptdError RESULT_UNKNOWN */
  oneResult(id: number): Promise<ResultDetailJson>;
  close(): Promise<void>;
}

/** @throws the errors of opening the ledger and of `work` */
export async function withReading<T>(
  config: Config,
  work: (reading: LedgerReading) => Promise<T>,
): Promise<T> {
  const reading = await openReading(config);
  try {
    return await work(reading);
  } finally {
    await reading.close();
  }
}

/**
 * Reads the ledger's files or, if they belong to another user, asks the running agent.
 * @throws ReceiptdError the errors of opening the ledger or asking the agent
 */
async function openReading(config: Config): Promise<LedgerReading> {
  try {
    const reports = await openReports(config);
    return {
      ...reports,
      list: (filter) => wordedRows(reports.list(filter)),
      details: async (wanted) => (await documentDetails(reports, wanted)).documents,
      resultsPage: (request) => resultsPage(reports, request),
      oneResult: async (id) => (await oneResult(reports, { id })).result,
    };
  } catch (error) {
    if (!(error instanceof ReceiptdError) || error.code !== 'FILE_UNREADABLE') throw error;
    // Without an agent, what keeps the files from being read is the answer.
    if (await agentAnswers(config)) return askingReading(config);
    throw error;
  }
}

function askingReading({ stateDir }: Config): LedgerReading {
  return {
    list: (filter) => pages(stateDir, filter),
    resultsPage: (request) => callControl(stateDir, 'results', request),
    oneResult: async (id) => (await callControl(stateDir, 'result', { id })).result,
    details: async (wanted) => (await callControl(stateDir, 'document', wanted)).documents,
    async endpoints(): Promise<KnownEndpoint[]> {
      const { endpoints } = await callControl(stateDir, 'knownEndpoints', {});
      return endpoints.map(({ createdAt, ...rest }) => ({
        ...rest,
        createdAt: createdAt === null ? null : Date.parse(createdAt),
      }));
    },
    head: async (): Promise<JournalHead | null> => (await callControl(stateDir, 'ledgerHead', {})).head,
    close: async () => {},
  };
}

async function* pages(
  stateDir: string,
  { limit = Infinity, ...filter }: ListFilter,
): AsyncGenerator<ListRowJson> {
  let left = limit;
  let cursor: string | null | undefined;
  while (left > 0 && cursor !== null) {
    const page = await callControl(stateDir, 'documents', {
      ...requestOf(filter),
      order: 'oldest',
      limit: Math.min(left, PAGE_LIMIT),
      cursor,
    });
    yield* page.rows;
    left -= page.rows.length;
    cursor = page.next;
  }
}
