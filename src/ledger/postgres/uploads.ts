import type { AttemptOutcome, DocumentState } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { AttemptResult, Requeue } from '../../core/ports/ledgerQueue.ts';
import { documentUnknown, wrongState } from '../documentErrors.ts';
import type { Move } from '../events.ts';
import { moveOf, seenAgain, wholeTime } from '../moves.ts';
import { besideResults } from './results.ts';
import { SOURCES } from './sql/disposals.ts';
import { NEXT_LINE } from './sql/endpoints.ts';
import { HELD_AMONG } from './sql/holds.ts';
import * as SQL from './sql/queue.ts';
import type { Transaction } from './transaction.ts';
import type { Underway } from './underway.ts';

/** Retry interval for bytes that only an agent that is not running may have. */
const LOOK_AGAIN_MS = 10 * 60_000;

const ELSEWHERE = 'Only the agent that picked it up can find its image, and sends it once it does.';

export interface Standing {
  readonly id: number;
  readonly name: string;
  readonly sha256: string;
  readonly state: DocumentState;
  readonly endpointId: number;
  readonly baseUrl: string;
  readonly uid: string;
  /** The agent that admitted it. */
  readonly agentId: number;
  readonly claimedBy: number | null;
}

/**
 * Locks documents for this agent to move. They must have no request in progress: queued and not claimed by another
 * agent, or between two attempts of one of this agent's uploads (a 401 and its replay).
 * @throws ReceiptdError DOCUMENT_UNKNOWN, DOCUMENT_STATE; DOCUMENT_TAKEN if another agent has one
 */
export async function idle(
  sql: Transaction,
  ids: readonly number[],
  wanted: 'upload' | 'postpone' | 'lose',
): Promise<readonly Standing[]> {
  const [rows, attempts] = await Promise.all([
    sql.all<Standing>(SQL.STANDINGS, { ids }),
    sql.all<{ documentId: number }>(SQL.OPEN_ATTEMPTS_OF, { ids }),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const open = new Set(attempts.map(({ documentId }) => documentId));
  return ids.map((id) => {
    const row = byId.get(id);
    if (!row) throw documentUnknown(id);
    const isTaken = row.claimedBy !== null && row.claimedBy !== sql.session.agentId;
    if (isTaken && (row.state === 'queued' || row.state === 'uploading')) throw taken(row.name);
    if (row.state === 'queued' || (row.state === 'uploading' && !open.has(id))) return row;
    throw wrongState(row.name, row.state, wanted);
  });
}

export interface AttemptEnd {
  readonly attemptId: number;
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly message: string | null;
  /** The document that the attempt was begun for: after a failover, the server may give out the attempt's id again. */
  readonly expected: number | undefined;
}

export interface EndedAttempt {
  readonly documentId: number;
  readonly hasResults: boolean;
}

interface AttemptStanding {
  readonly id: number;
  readonly documentId: number;
  readonly name: string;
  readonly agentId: number;
  readonly epoch: number;
  readonly finishedAt: number | null;
}

/**
 * Ends this agent's upload requests and locks their documents.
 * @throws ReceiptdError DOCUMENT_STATE; DOCUMENT_TAKEN if one is another agent's, or was put back
 */
export async function endAttempts(
  sql: Transaction,
  ends: readonly AttemptEnd[],
): Promise<readonly EndedAttempt[]> {
  const ids = ends.map(({ attemptId }) => attemptId);
  const [standings, results] = await Promise.all([
    sql.all<AttemptStanding>(SQL.ATTEMPT_STANDINGS, { ids }),
    sql.all<{ documentId: number }>(SQL.WITH_RESULTS, { ids }),
  ]);
  const byId = new Map(standings.map((row) => [row.id, row]));
  const withResults = new Set(results.map(({ documentId }) => documentId));
  const { agentId, epoch } = sql.session;
  return ends.map(({ attemptId, at, outcome, httpStatus, message, expected }) => {
    const row = byId.get(attemptId);
    const isOpen = row?.finishedAt === null;
    if (row && (row.agentId !== agentId || (!isOpen && row.epoch !== epoch))) throw taken(row.name);
    if (!row || !isOpen || (expected !== undefined && row.documentId !== expected))
      throw new ReceiptdError('DOCUMENT_STATE.notUnderWay', { attempt: attemptId });
    const { documentId } = row;
    sql.emit({ kind: 'ended', attempt: attemptId, document: documentId, outcome, httpStatus, message }, at);
    return { documentId, hasResults: withResults.has(documentId) };
  });
}

/**
 * Queues all uploads of an agent that will not end them itself, as possibly sent, and ends all its claims. Resolves how
 * many.
 */
export async function interrupt(
  sql: Transaction,
  agentId: number,
  message: string,
  at: number,
): Promise<number> {
  const count = await putBack(sql, agentId, message, at);
  sql.send(SQL.END_CLAIMS, { agentId });
  return count;
}

/** Like `interrupt`, for some of its uploads. */
export async function putBack(
  sql: Transaction,
  agentId: number,
  message: string,
  at: number,
  isForgotten: (documentId: number) => boolean = () => true,
): Promise<number> {
  const [, uploading] = await Promise.all([
    sql.all(SQL.LOCK_UPLOADING, { agentId }),
    sql.all<{ id: number; attemptId: number | null; hasResults: boolean }>(SQL.UPLOADING, { agentId }),
  ]);
  const rows = uploading.filter(({ id }) => isForgotten(id));
  for (const { id, attemptId, hasResults } of rows) {
    if (attemptId !== null) {
      const end = { outcome: 'unknown', httpStatus: null, message } as const;
      sql.emit({ kind: 'ended', attempt: attemptId, document: id, ...end }, at);
    }
    const flags = { answerLost: attemptId !== null, serverError: false };
    const why = { notBefore: 0, reason: 'INTERRUPTED', message };
    const move: Move = { state: 'queued', how: 'later', ...why, ...flags };
    const end = hasResults ? await besideResults(sql, id, move) : move;
    sql.emit({ kind: 'moved', documents: [id], ...end }, at);
  }
  return rows.length;
}

function taken(name: string): ReceiptdError {
  return new ReceiptdError('DOCUMENT_TAKEN', { name });
}

export interface Beginning {
  readonly documentId: number;
  readonly at: number;
  readonly bytes: number;
  /** Set once the attempt has an id. */
  attempt: number | null;
}

export interface End {
  readonly attemptId: number;
  readonly result: AttemptResult;
}

/**
 * Records upload requests before they are sent. Null for documents that another agent put on hold, for which nothing is
 * recorded.
 */
export async function beginAll(
  sql: Transaction,
  uploads: readonly Beginning[],
  underway: Underway,
): Promise<readonly (number | null)[]> {
  const ids = uploads.map(({ documentId }) => documentId);
  const { agentId } = sql.session;
  const [standings, held] = await Promise.all([
    idle(sql, ids, 'upload'),
    sql.all<{ id: number }>(HELD_AMONG, { ids, agentId }),
  ]);
  const isHeld = new Set(held.map(({ id }) => id));
  const attempts = await sql.nextIds('attempts', uploads.length - isHeld.size);
  let taken = 0;
  return uploads.map((upload, index) => {
    const { documentId, bytes, at } = upload;
    if (isHeld.has(documentId)) return null;
    const { name, sha256, baseUrl, uid } = standings[index] as Standing;
    sql.remember({ endpoint: { baseUrl, uid }, sha256, name, seq: null, isSent: true });
    const attempt = attempts[taken] as number;
    taken += 1;
    sql.emit({ kind: 'began', attempt, document: documentId, bytes }, at);
    underway.begun(documentId, attempt, sql.session.epoch);
    upload.attempt = attempt;
    return attempt;
  });
}

/** Ends requests and moves their documents. */
export async function finishAll(
  sql: Transaction,
  ends: readonly End[],
  underway: Underway,
): Promise<readonly EndedAttempt[]> {
  const ended = await endAttempts(
    sql,
    ends.map(({ attemptId, result }) => ownEnd(underway, attemptId, result)),
  );
  for (const [index, { documentId, hasResults }] of ended.entries()) {
    const { result } = ends[index] as End;
    const move = moveOf(result.transition);
    const end = hasResults ? await besideResults(sql, documentId, move) : move;
    sql.emit({ kind: 'moved', documents: [documentId], ...end }, result.at);
  }
  return ended;
}

export function ownEnd(
  underway: Underway,
  attemptId: number,
  end: Omit<AttemptEnd, 'attemptId' | 'expected'>,
): AttemptEnd {
  const { at, outcome, httpStatus, message } = end;
  return { attemptId, at, outcome, httpStatus, message, expected: underway.documentOf(attemptId) };
}

/** For a claimed document; see `LedgerQueue`. */
export async function markLost(
  sql: Transaction,
  id: number,
  message: string,
  at: number,
  { newestSeen, reached }: { readonly newestSeen: number; readonly reached: readonly string[] },
): Promise<void> {
  const [standing] = await idle(sql, [id], 'lose');
  const { agentId, sha256 } = standing as Standing;
  const [newest] = await sql.all<{ sighting: number }>(SOURCES, { sha256, reached });
  if ((newest?.sighting ?? 0) > newestSeen) {
    sql.emit({ kind: 'moved', documents: [id], ...seenAgain(at) }, at);
    return;
  }
  if (agentId === sql.session.agentId) {
    sql.emit({ kind: 'moved', documents: [id], state: 'lost', reason: 'BYTES_GONE', message }, at);
    return;
  }
  // The agent that admitted it may have a copy, or know where the file went.
  const flags = { answerLost: false, serverError: false };
  const admitter = await sql.get<{ isRunning: boolean }>(SQL.IS_RUNNING, { id: agentId });
  // Until that agent runs again, agents that reach the folder look now and then.
  const notBefore = admitter?.isRunning === true ? 0 : wholeTime(at + LOOK_AGAIN_MS);
  const why = { notBefore, reason: 'BYTES_ELSEWHERE', message: ELSEWHERE };
  sql.emit({ kind: 'moved', documents: [id], state: 'queued', how: 'later', ...why, ...flags }, at);
  if (notBefore === 0) sql.send(SQL.GIVE_BACK, { id });
  sql.notify('queue');
}

/** Queues failed or queued documents at the end of their endpoint's queue. */
export async function queueAtEnd(
  sql: Transaction,
  { documentIds, reason, message }: Requeue,
  at: number,
): Promise<void> {
  const rows = await sql.all<Standing>(SQL.STANDINGS, { ids: documentIds });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const lines = new Map<number, number>();
  for (const id of documentIds) {
    const row = byId.get(id);
    if (row?.state !== 'failed' && row?.state !== 'queued') continue;
    const line = lines.get(row.endpointId) ?? (await nextLine(sql, row.endpointId));
    lines.set(row.endpointId, line + 1);
    sql.emit({ kind: 'moved', documents: [id], state: 'queued', how: 'atEnd', line, reason, message }, at);
  }
}

/** The next position in an endpoint's queue; the event that uses it takes it. */
async function nextLine(sql: Transaction, endpointId: number): Promise<number> {
  const row = await sql.get<{ line: number }>(NEXT_LINE, { id: endpointId });
  if (!row) throw new Error('a document without its endpoint');
  return row.line;
}
