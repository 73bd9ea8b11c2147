import type { Attempt, DocumentState, Verdict } from '../../core/domain/document.ts';
import type { Cases } from '../../core/ports/ledger.ts';
import type { OriginalsRule } from '../../core/ports/ledgerReports.ts';
import type { LedgerEvent, Move } from '../events.ts';
import { relativePath, type DocumentRow, type IdentityRow } from '../rows.ts';
import * as SQL from './sql/snapshot.ts';
import type { Sql } from './statements.ts';

/** An event and when it happened. */
export interface Told {
  readonly event: LedgerEvent;
  readonly at: number;
}

const BATCH = 500;

/**
 * Yields the events that lead to the ledger's content, for a journal that did not record them when they happened. With
 * `onUnreadable`, skips unreadable rows of a damaged ledger and reports them by table.
 */
export function* snapshot(sql: Sql, onUnreadable?: (table: string) => void): Generator<Told> {
  for (const row of rowsOf<EndpointRow>(sql, 'endpoints', SQL.ENDPOINTS, onUnreadable)) {
    const { baseUrl, uid, name, record, createdAt } = row;
    const endpoint = { baseUrl, uid };
    if (name !== null)
      yield { event: { kind: 'endpoint', endpoint, name, record: record ?? '' }, at: createdAt ?? 0 };
  }
  const hasResults = holdsResults(sql, onUnreadable);
  for (const row of rowsOf<SnapshotRow>(sql, 'documents', SQL.DOCUMENTS, onUnreadable)) {
    yield* documentEvents(sql, row, hasResults);
  }
  if (hasResults) {
    for (const row of rowsOf<ResultRow>(sql, 'results', SQL.UNMATCHED_RESULTS, onUnreadable))
      yield toldResult(row);
  }
  for (const row of rowsOf<SightingRow>(sql, 'sightings', SQL.SIGHTINGS, onUnreadable)) {
    yield* sightingEvents(row);
  }
  const rules = originalsRules(sql, onUnreadable);
  for (const { folder, watchedAt, mark } of rowsOf<FolderRow>(sql, 'folders', SQL.FOLDERS, onUnreadable)) {
    if (watchedAt !== null) yield { event: { kind: 'watched', folder }, at: watchedAt };
    // Everything after the first line is a doubt about the mark, which is not part of the journal.
    const [place] = mark?.split('\n') ?? [];
    if (place) yield { event: { kind: 'placed', folder, mark: place }, at: watchedAt ?? 0 };
    const rule = rules.get(folder);
    if (rule) yield { event: { kind: 'originals', folder, ...rule }, at: watchedAt ?? 0 };
  }
  for (const { at, kind, by, detail } of rowsOf<ActRow>(sql, 'acts', SQL.ACTS, onUnreadable)) {
    yield { event: { kind: 'act', act: kind, by, detail }, at };
  }
  for (const { scope, key, message, since } of pauses(sql, onUnreadable)) {
    yield { event: { kind: 'paused', scope, key, message }, at: since };
  }
}

/** If the table is missing or unreadable, everything else about the folder is kept. */
function originalsRules(
  sql: Sql,
  onUnreadable: ((table: string) => void) | undefined,
): ReadonlyMap<string, OriginalsRule> {
  try {
    if (!sql.get(SQL.HAS_ORIGINALS)) return new Map();
    const rows = sql.all<OriginalsRule & { readonly folder: string }>(SQL.ORIGINALS);
    return new Map(rows.map(({ folder, rule, stays }) => [folder, { rule, stays }]));
  } catch (error) {
    if (!onUnreadable) throw error;
    onUnreadable('originals');
    return new Map();
  }
}

function pauses(sql: Sql, onUnreadable: ((table: string) => void) | undefined): readonly PauseRow[] {
  try {
    return sql.all<PauseRow>(SQL.PAUSES);
  } catch (error) {
    if (!onUnreadable) throw error;
    onUnreadable('holds');
    return [];
  }
}

function* documentEvents(sql: Sql, row: SnapshotRow, hasResults: boolean): Generator<Told> {
  const { id: document, baseUrl, uid, name, sha256, type, size, lane, line, folder, path } = row;
  const endpoint = { baseUrl, uid };
  // Numbers that `{seq}` gave out are recorded with the endpoint's last document.
  const seq = row.lastSeq === null ? null : row.lastSeq - 1;
  const named = { document, endpoint, name, sha256, type, size, lane, line, seq, folder, path };
  yield { event: { kind: 'named', ...named }, at: row.createdAt };
  for (const { id: attempt, startedAt, finishedAt, bytes, ...end } of sql.all<Attempt>(SQL.ATTEMPTS_OF, {
    id: document,
  })) {
    yield { event: { kind: 'began', attempt, document, bytes }, at: startedAt };
    const { outcome, httpStatus, message } = end;
    // An open attempt was interrupted: only a crash leaves one.
    const ended = { outcome: outcome ?? ('unknown' as const), httpStatus, message };
    yield { event: { kind: 'ended', attempt, document, ...ended }, at: finishedAt ?? row.updatedAt };
  }
  // The last result's status is repeated with the state, which may have a later one.
  const results = hasResults ? sql.all<ResultRow>(SQL.RESULTS_OF, { id: document }) : [];
  for (const result of results) yield toldResult(result);
  for (const move of movesOf(row))
    yield { event: { kind: 'moved', documents: [document], ...move }, at: row.updatedAt };
  yield* dismissal(row, { documents: [document], sightings: [] });
  if (row.erasedAt !== null)
    yield { event: { kind: 'erased', documents: [document], entries: [] }, at: row.erasedAt };
}

/** A document that was ever accepted keeps the service's status, no matter what happened later. */
function movesOf(row: SnapshotRow): Move[] {
  const { state, reason, message, serviceStatus: status, response } = row;
  const isAccepted = status !== null || state === 'accepted';
  const accepted: Move[] = isAccepted ? [{ state: 'accepted', status, response }] : [];
  switch (state) {
    case 'accepted':
      return row.answerLost === 1 ? [later(row), ...accepted] : accepted;
    case 'failed':
    case 'unconfirmed':
    case 'lost':
      return [
        ...accepted,
        ...(row.answerLost === 1 ? [later(row)] : []),
        { state, reason: reason ?? '', message },
      ];
    case 'queued':
      return [...accepted, later(row)];
    case 'uploading':
      return [...accepted, later({ ...row, answerLost: 1 })];
  }
}

function later({ notBefore, reason, message, answerLost }: SnapshotRow): Move {
  const flags = { answerLost: answerLost === 1, serverError: false };
  return { state: 'queued', how: 'later', notBefore, reason, message, ...flags };
}

function* sightingEvents(row: SightingRow): Generator<Told> {
  const { id: sighting, verdict, documentId: document, sha256, policy, reason, size, folder, message } = row;
  const { mtimeNs, ctimeNs, inode, seenAt: at } = row;
  const identity = { size, mtimeNs, ctimeNs, inode };
  const what = { verdict, document, sha256, policy, reason, message };
  const place = { folder, path: relativePath(row), supersedes: null };
  yield { event: { kind: 'sighted', sighting, ...what, ...identity, ...place, ...ofPages(row) }, at };
  if (row.goneAt !== null) yield { event: { kind: 'gone', sightings: [sighting] }, at: row.goneAt };
  const { disposing, disposed, archivedTo, updatedAt } = row;
  if (disposing !== null) yield { event: { kind: 'disposing', sighting, how: disposing }, at: updatedAt };
  if (disposed !== null)
    yield { event: { kind: 'disposed', sighting, how: disposed, archivedTo }, at: updatedAt };
  yield* dismissal(row, { documents: [], sightings: [sighting] });
}

function ofPages({ fileId, pages, baseUrl, uid }: SightingRow): Pick<Sighted, 'file' | 'pages' | 'into'> {
  if (fileId !== null) return { file: fileId };
  if (pages === null) return {};
  return { pages, into: baseUrl === null || uid === null ? null : { baseUrl, uid } };
}

type Sighted = Extract<LedgerEvent, { kind: 'sighted' }>;

function* dismissal({ dismissedAt, dismissedBy }: DismissalRow, cases: Cases): Generator<Told> {
  if (dismissedAt !== null)
    yield { event: { kind: 'dismissed', ...cases, by: dismissedBy ?? '' }, at: dismissedAt };
}

/** The ledger may be of a version before there were results. */
function holdsResults(sql: Sql, onUnreadable: ((table: string) => void) | undefined): boolean {
  try {
    return sql.get(SQL.HAS_RESULTS) !== undefined;
  } catch (error) {
    if (!onUnreadable) throw error;
    onUnreadable('results');
    return false;
  }
}

function toldResult({ id: result, receivedAt, ...row }: ResultRow): Told {
  return { event: { kind: 'result', result, ...row }, at: receivedAt };
}

interface ResultRow extends Omit<Extract<LedgerEvent, { kind: 'result' }>, 'kind' | 'result'> {
  readonly id: number;
  readonly receivedAt: number;
}

interface FolderRow {
  readonly id: number;
  readonly folder: string;
  readonly watchedAt: number | null;
  readonly mark: string | null;
}

interface EndpointRow {
  readonly id: number;
  readonly baseUrl: string;
  readonly uid: string;
  readonly name: string | null;
  readonly record: string | null;
  readonly createdAt: number | null;
}

interface DismissalRow {
  readonly dismissedAt: number | null;
  readonly dismissedBy: string | null;
}

interface SnapshotRow extends DocumentRow, DismissalRow {
  readonly line: number;
  readonly response: string | null;
  readonly erasedAt: number | null;
  /** `next_seq` of the endpoint, on its last document only. */
  readonly lastSeq: number | null;
  readonly state: DocumentState;
}

interface SightingRow extends IdentityRow, DismissalRow {
  readonly id: number;
  readonly folder: string;
  readonly dir: string;
  readonly name: string;
  readonly verdict: Verdict;
  readonly documentId: number | null;
  readonly sha256: string | null;
  readonly policy: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly seenAt: number;
  readonly updatedAt: number;
  readonly goneAt: number | null;
  readonly disposing: 'archived' | 'deleted' | null;
  readonly disposed: 'archived' | 'deleted' | 'kept' | null;
  readonly archivedTo: string | null;
  readonly fileId: number | null;
  readonly pages: number | null;
  readonly baseUrl: string | null;
  readonly uid: string | null;
}

interface ActRow {
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly by: string;
  readonly detail: string;
}

interface PauseRow {
  readonly scope: 'endpoint' | 'folder';
  readonly key: string;
  readonly message: string;
  readonly since: number;
}

/** Reads by ranges of ids; row by row if a range of a damaged table can't be read. */
function* rowsOf<Row extends { readonly id: number }>(
  sql: Sql,
  table: 'endpoints' | 'documents' | 'results' | 'sightings' | 'folders' | 'acts',
  text: string,
  onUnreadable: ((table: string) => void) | undefined,
): Generator<Row> {
  let last: number;
  try {
    last = sql.get<{ last: number | null }>(`SELECT max(id) AS last FROM ${table}`)?.last ?? 0;
  } catch (error) {
    if (!onUnreadable) throw error;
    return onUnreadable(table);
  }
  for (let from = 1; from <= last; from += BATCH) {
    const to = from + BATCH - 1;
    try {
      yield* sql.all<Row>(text, { from, to });
    } catch (error) {
      if (!onUnreadable) throw error;
      for (let id = from; id <= Math.min(to, last); id += 1) {
        let row: Row | undefined;
        try {
          row = sql.get<Row>(text, { from: id, to: id });
        } catch {
          onUnreadable(table);
        }
        if (row) yield row;
      }
    }
  }
}
