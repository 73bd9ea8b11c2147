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
 * A document of which no request is under way, for this agent to move: queued and claimed by nobody else, or between two attempts of
 * one upload (a 401 and its replay) of its own. Locked from now on.
 * @throws ReceiptdError DOCUMENT_UNKNOWN, DOCUMENT_STATE; DOCUMENT_TAKEN where another agent has it
 */
export async function idle(sql: Transaction, id: number, wanted: string): Promise<Standing> {
  const [[row], open] = await Promise.all([
    sql.all<Standing>(SQL.STANDINGS, { ids: [id] }),
    sql.get<{ id: number }>(SQL.OPEN_ATTEMPT_OF, { id }),
  ]);
  if (!row) throw documentUnknown(id);
  const isTaken = row.claimedBy !== null && row.claimedBy !== sql.session.agentId;
  if (isTaken && (row.state === 'queued' || row.state === 'uploading')) throw taken(row.name);
  if (row.state === 'queued' || (row.state === 'uploading' && !open)) return row;
  throw wrongState(row.name, row.state, wanted);
}

export interface AttemptEnd {
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly message: string | null;
}

/**
 * Ends an upload request that this agent has under way. Its document is locked from now on.
 * `expected`: the document that it was begun for; a server that took over may have given its number out once more.
 * @throws ReceiptdError DOCUMENT_STATE; DOCUMENT_TAKEN where it is another agent's, or was put back
 */
export async function endAttempt(
  sql: Transaction,
  attemptId: number,
  { at, outcome, httpStatus, message }: AttemptEnd,
  expected: number | undefined,
): Promise<{ readonly documentId: number; readonly hasResults: boolean }> {
  const [row, results] = await Promise.all([
    sql.get<{
      documentId: number;
      name: string;
      agentId: number;
      epoch: number;
      finishedAt: number | null;
    }>(SQL.ATTEMPT_STANDING, { id: attemptId }),
    sql.get<{ hasResults: boolean }>(SQL.HAS_RESULTS, { id: attemptId }),
  ]);
  const { agentId, epoch } = sql.session;
  const isOpen = row?.finishedAt === null;
  if (row && (row.agentId !== agentId || (!isOpen && row.epoch !== epoch))) throw taken(row.name);
  if (!row || !isOpen || (expected !== undefined && row.documentId !== expected))
    throw new ReceiptdError('DOCUMENT_STATE', `Upload request number ${attemptId} is not under way.`);
  const { documentId } = row;
  sql.emit({ kind: 'ended', attempt: attemptId, document: documentId, outcome, httpStatus, message }, at);
  return { documentId, hasResults: results?.hasResults === true };
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
