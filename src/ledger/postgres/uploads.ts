import type { AttemptOutcome, DocumentState } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { documentUnknown, wrongState } from '../documentErrors.ts';
import type { Move } from '../events.ts';
import { besideResults } from './results.ts';
import * as SQL from './sql/queue.ts';
import type { Transaction } from './transaction.ts';

export interface Standing {
  readonly id: number;
  readonly name: string;
  readonly state: DocumentState;
  readonly endpointId: number;
  /** Who admitted it. */
  readonly agentId: number;
  readonly claimedBy: number | null;
}

/**
 * Documents of which no request is under way, for this agent to move: queued and claimed by nobody else, or between two attempts of
 * one upload (a 401 and its replay) of its own. Locked from now on.
 * @throws ReceiptdError DOCUMENT_UNKNOWN, DOCUMENT_STATE; DOCUMENT_TAKEN where another agent has one
 */
export async function idle(
  sql: Transaction,
  ids: readonly number[],
  wanted: string,
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
  /** The document that it was begun for; a server that took over may have given its number out once more. */
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
 * Ends upload requests that this agent has under way. Their documents are locked from now on.
 * @throws ReceiptdError DOCUMENT_STATE; DOCUMENT_TAKEN where one is another agent's, or was put back
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
      throw new ReceiptdError('DOCUMENT_STATE', `Upload request number ${attemptId} is not under way.`);
    const { documentId } = row;
    sql.emit({ kind: 'ended', attempt: attemptId, document: documentId, outcome, httpStatus, message }, at);
    return { documentId, hasResults: withResults.has(documentId) };
  });
}

/** How many uploads of an agent that it will not end itself are queued again, as sent perhaps; all its claims end. */
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

/** The same of some of its uploads. */
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
  return new ReceiptdError('DOCUMENT_TAKEN', `${name} is being sent by another agent.`);
}
