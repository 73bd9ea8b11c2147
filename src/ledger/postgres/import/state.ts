import { randomUUID } from 'node:crypto';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import type { JournalHead } from '../../../core/ports/journal.ts';
import { NO_HASH } from '../../journal/line.ts';
import type { Connection } from '../connection.ts';
import type { Source } from './source.ts';
import type { Numbered, Table } from './tables.ts';

/** Progress of an import. Each step updates it in the same transaction, so that a crash loses nothing. */
export interface ImportState {
  readonly ledger: string;
  readonly agentId: number;
  readonly agent: string;
  /** Head of the copy whose rows are imported. */
  readonly copy: Pick<JournalHead, 'seq' | 'hash'>;
  /** Last journal entry that is here. */
  readonly head: Pick<JournalHead, 'seq' | 'hash'>;
  readonly distances: Readonly<Record<Numbered, number>>;
  /** Highest id of a table for which room is reserved. */
  readonly reserved: number;
  /** Null once all rows of the copy are here. */
  readonly part: Table['name'] | null;
  readonly position: number;
  readonly isFinished: boolean;
}

/** Keeps two processes from beginning the same import at once. */
const LOCK = 7_267_342;
const NUMBERED: readonly Numbered[] = ['documents', 'attempts', 'sightings', 'results'];
/** Extra ids reserved for rows that are added during the import. */
const GROWTH = 1_000_000;

const FIND = `
SELECT i.ledger, i.agent_id AS "agentId", a.name AS agent, i.copy_seq AS "copySeq", i.copy_hash AS "copyHash", i.seq, i.hash,
       i.documents, i.attempts, i.sightings, i.results, i.reserved, i.part, i.position, i.finished_at IS NOT NULL AS "isFinished"
  FROM imports i JOIN agents a ON a.id = i.agent_id WHERE i.ledger = :ledger`;

const MAKE_AGENT = `
INSERT INTO agents (name, chain, head_hash) VALUES (:agent, :chain, :hash) ON CONFLICT (name) DO NOTHING`;

const AGENT = `
SELECT id, epoch, head_seq AS seq, EXISTS (SELECT 1 FROM imports i WHERE i.agent_id = a.id) AS "isImported"
  FROM agents a WHERE name = :agent FOR UPDATE`;

const BEGIN = `
INSERT INTO imports (ledger, agent_id, copy_seq, copy_hash, seq, hash, documents, attempts, sightings, results, reserved, part)
VALUES (:ledger, :agentId, :seq, :hash, :seq, :hash, :documents, :attempts, :sightings, :results, :reserved, 'documents')`;

interface FoundRow extends Readonly<Record<Numbered, number>> {
  readonly ledger: string;
  readonly agentId: number;
  readonly agent: string;
  readonly copySeq: number;
  readonly copyHash: string;
  readonly seq: number;
  readonly hash: string;
  readonly reserved: number;
  readonly part: Table['name'] | null;
  readonly position: number;
  readonly isFinished: boolean;
}

/** Null if the import of this ledger was never begun. */
export async function findImport(connection: Connection, ledger: string): Promise<ImportState | null> {
  const row = await connection.get<FoundRow>(FIND, { ledger });
  if (!row) return null;
  const { agentId, agent, copySeq, copyHash, seq, hash, reserved, part, position, isFinished } = row;
  const { documents, attempts, sightings, results } = row;
  return {
    ledger,
    agentId,
    agent,
    copy: { seq: copySeq, hash: copyHash },
    head: { seq, hash },
    distances: { documents, attempts, sightings, results },
    reserved,
    part,
    position,
    isFinished,
  };
}

/** Creates the agent and reserves ids. @throws ReceiptdError MOVE_REFUSED */
export async function beginImport(connection: Connection, agent: string, copy: Source): Promise<ImportState> {
  const { ledger, seq, hash } = copy.head;
  await inTransaction(connection, async () => {
    await connection.run('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
    if (await findImport(connection, ledger)) return;
    await connection.run(MAKE_AGENT, { agent, chain: randomUUID(), hash: NO_HASH });
    const row = await connection.get<{ id: number; epoch: number; seq: number; isImported: boolean }>(AGENT, {
      agent,
    });
    if (!row) throw new Error('an agent that was just made is missing');
    if (row.epoch > 0 || row.seq > 0 || row.isImported)
      throw new ReceiptdError('MOVE_REFUSED.agentNameTaken', { agent });
    const reserved = GROWTH + 2 * Math.max(...NUMBERED.map((each) => copy.lastId(each)));
    const distances: Partial<Record<Numbered, number>> = {};
    for (const kind of NUMBERED) {
      const block = await connection.get<{ given: number }>('SELECT reserve_ids(:kind, :size) AS given', {
        kind,
        size: reserved,
      });
      distances[kind] = block?.given ?? 0;
    }
    const { documents = 0, attempts = 0, sightings = 0, results = 0 } = distances;
    const blocks = { documents, attempts, sightings, results, reserved };
    await connection.run(BEGIN, { ledger, agentId: row.id, seq, hash, ...blocks });
  });
  const state = await findImport(connection, ledger);
  if (!state) throw new Error('an import that was just begun is missing');
  return state;
}

/** @throws what `work` throws; the transaction is rolled back then */
export async function inTransaction<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.exec('BEGIN');
  try {
    const value = await work();
    await connection.settled();
    await connection.exec('COMMIT');
    return value;
  } catch (error) {
    await connection.settled().catch(() => {});
    if (connection.isOpen) await connection.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}

export function busy(): ReceiptdError {
  return new ReceiptdError('MOVE_REFUSED.underWay');
}
