import path from 'node:path';
import { ReceiptdError } from '../core/domain/errors.ts';
import { writeDurably } from '../system/durableFile.ts';
import { readMark } from './stateMarks.ts';

/**
 * Marks that a state directory's ledger has moved to PostgreSQL. Durable before the move completes there: a crash in between
 * leaves a machine that sends nothing, never two ledgers that both send.
 */
const MARK = 'moved-to-postgres.json';

export interface LedgerMoved {
  /** The ledger's UUID. */
  readonly ledger: string;
  /** Host, port and database, for people; null if the mark can't be read. */
  readonly where: string | null;
  readonly agent: string;
  readonly isComplete: boolean;
}

export async function markLedgerMoved(stateDir: string, mark: LedgerMoved): Promise<void> {
  await writeDurably(path.join(stateDir, MARK), `${JSON.stringify(mark)}\n`);
}

/** Null if the ledger did not move. An unreadable mark counts as moved. */
export async function ledgerMoved(stateDir: string): Promise<LedgerMoved | null> {
  const mark = await readMark(stateDir, MARK);
  if (mark === null) return null;
  const { ledger, where, agent, isComplete } = mark;
  const word = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    ledger: word(ledger) ?? '',
    where: word(where),
    agent: word(agent) ?? '',
    isComplete: isComplete === true,
  };
}

/** Call before opening the SQLite ledger for writing. @throws ReceiptdError LEDGER_MOVED */
export async function refuseMovedLedger(stateDir: string): Promise<void> {
  const mark = await ledgerMoved(stateDir);
  if (mark === null) return;
  const { where, agent, isComplete } = mark;
  throw new ReceiptdError('LEDGER_MOVED', { stateDir, where, agent, isComplete });
}
