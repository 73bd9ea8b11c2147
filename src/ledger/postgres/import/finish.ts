import type { JournalEvent } from '../../../core/ports/journal.ts';
import { toJournal, type LedgerEvent } from '../../events.ts';
import { apply } from '../apply.ts';
import type { Connection } from '../connection.ts';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import { ADD_HISTORY, chainOn, SET_HEAD } from '../history.ts';
import { Places } from '../places.ts';
import * as HOLDS from '../sql/holds.ts';
import { LOCK_ENDPOINTS, mappingOf } from './rows.ts';
import type { Source } from './source.ts';
import { busy, inTransaction, type ImportState } from './state.ts';

/** Documents of the ledger that collide with those of another ledger. */
export interface Merged {
  /** Documents whose bytes or name another ledger had brought into the same endpoint: kept beside the other document. */
  readonly twins: number;
  /** Of these, waiting documents that another agent has too: failed, for a person to decide. */
  readonly failed: number;
  /** Of these, documents that were never sent and got a new name, since another image has theirs. */
  readonly renamed: number;
}

export const TWIN = 'TWIN';

const AGENT = `
SELECT epoch, chain, head_seq AS seq, head_hash AS hash FROM agents WHERE id = :agentId FOR UPDATE`;

const SYNC_ENDPOINT = `
UPDATE endpoints
   SET next_seq = greatest(next_seq, :nextSeq::bigint), next_line = greatest(next_line, :nextLine::bigint),
       record = CASE WHEN name IS NULL THEN :record ELSE record END,
       created_at = CASE WHEN name IS NULL THEN :createdAt::bigint ELSE created_at END, name = coalesce(name, :name)
 WHERE id = :id`;

const SYNC_FOLDER = `UPDATE folders SET watched_at = :watchedAt WHERE id = :id`;
const SYNC_MARK = `
INSERT INTO folder_marks (folder_id, agent_id, mark) VALUES (:id, :agentId, :mark)
ON CONFLICT (folder_id, agent_id) DO UPDATE SET mark = excluded.mark`;

const SYNC_ORIGINALS = `
INSERT INTO originals (folder_id, rule, stays) VALUES (:id, :rule, :stays)
ON CONFLICT (folder_id) DO UPDATE SET rule = excluded.rule, stays = excluded.stays`;

const TWINS = `
SELECT d.id, d.name, d.sha256, d.state, d.attempts, d.endpoint_id AS "endpointId", b.id AS "sameBytes", a.name AS "agent",
       (SELECT t.id FROM attempts t WHERE t.document_id = d.id AND t.finished_at IS NULL) AS "openAttempt"
  FROM documents d
  LEFT JOIN documents b ON b.endpoint_id = d.endpoint_id AND b.sha256 = d.sha256 AND b.twin = 0
  LEFT JOIN agents a ON a.id = b.agent_id
 WHERE d.twin <> 0 AND d.id > :first AND d.id <= :last ORDER BY d.id`;

const IS_TAKEN = `
SELECT 1 AS there FROM documents WHERE endpoint_id = :endpointId AND name = :name LIMIT 1`;

const FINISH = `UPDATE imports SET finished_at = now() WHERE ledger = :ledger AND finished_at IS NULL`;

interface TwinRow {
  readonly id: number;
  readonly name: string;
  readonly sha256: string;
  readonly state: string;
  readonly attempts: number;
  readonly endpointId: number;
  readonly sameBytes: number | null;
  readonly agent: string | null;
  readonly openAttempt: number | null;
}

/**
 * In one transaction: imports state outside the rows (numbers given out, marks, pauses), decides about waiting documents
 * that collide with another ledger's, and begins the agent's chain with an entry that names the last one of the old
 * journal.
 * @throws ReceiptdError MOVE_REFUSED if an agent of that name has begun to work meanwhile
 */
export async function finishImport(
  connection: Connection,
  state: ImportState,
  source: Source,
  at: number,
): Promise<Merged> {
  const { agentId, agent, ledger } = state;
  const mapping = await mappingOf(connection, state, source);
  await connection.exec('SELECT make_history_partitions()');
  return inTransaction(connection, async () => {
    const own = await connection.get<{ epoch: number; chain: string; seq: number; hash: string }>(AGENT, {
      agentId,
    });
    if (own?.epoch !== 0 || own.seq !== 0) throw new ReceiptdError('MOVE_REFUSED.agentStarted', { agent });
    if ((await connection.run(FINISH, { ledger })) !== 1) throw busy();
    await connection.all(LOCK_ENDPOINTS, { ids: [...mapping.endpoints.values()] });
    for (const { id, nextSeq, nextLine, name, record, createdAt } of source.endpoints) {
      const row = { id: mapping.endpoints.get(id) ?? 0, nextSeq, nextLine, name, record, createdAt };
      connection.send(SYNC_ENDPOINT, row);
    }
    for (const { id, watchedAt, mark, rule, stays } of source.folders) {
      const folder = mapping.folders.get(id) ?? 0;
      connection.send(SYNC_FOLDER, { id: folder, watchedAt });
      if (mark !== null) connection.send(SYNC_MARK, { id: folder, agentId, mark });
      if (rule !== null && stays !== null) {
        const here = stays === 0 ? 0 : stays + mapping.distances.sightings;
        connection.send(SYNC_ORIGINALS, { id: folder, rule, stays: here });
      }
    }
    for (const { scope, key, message, since } of source.pauses) {
      const hold = {
        paused: 1,
        reason: 'PAUSED',
        message,
        since,
        until: null,
        demandedUntil: null,
        sharedMs: null,
        agentId: 0,
      };
      connection.send(HOLDS.PUT_HOLD, {
        scope,
        key: new Places(agent).ofKey(scope, key),
        ...hold,
      });
    }
    const { events, merged } = await decideTwins(connection, state, at);
    const told: LedgerEvent[] = [
      { kind: 'begun', ledger: own.chain, because: `Agent ${agent} joined the ledger.` },
      {
        kind: 'imported',
        ledger,
        seq: state.head.seq,
        hash: state.head.hash,
        documents: source.lastId('documents'),
        because: "This agent's own ledger was moved here.",
      },
      ...events,
    ];
    const lines: JournalEvent[] = told.map((event) => toJournal(event, at));
    const chained = chainOn(own, lines, agentId);
    connection.send(ADD_HISTORY, chained.params);
    connection.send(SET_HEAD, { agentId, ...chained.head });
    for (const signal of ['queue', 'holds', 'agents'])
      connection.send(`SELECT pg_notify('receiptd', :signal)`, { signal });
    return merged;
  });
}

async function decideTwins(
  connection: Connection,
  state: ImportState,
  at: number,
): Promise<{ readonly events: readonly LedgerEvent[]; readonly merged: Merged }> {
  const first = state.distances.documents;
  const rows = await connection.all<TwinRow>(TWINS, { first, last: first + state.reserved });
  const events: LedgerEvent[] = [];
  const sending = {
    session: { agentId: state.agentId, epoch: 0, chain: '' },
    places: new Places(state.agent),
    send: (text: string, params = {}) => connection.send(text, params),
  };
  const emit = (event: LedgerEvent): void => {
    apply(sending, event, at);
    events.push(event);
  };
  let [failed, renamed] = [0, 0];
  for (const row of rows) {
    const { id: document, sameBytes, agent, openAttempt } = row;
    const isOpen = row.state === 'queued' || row.state === 'uploading';
    if (!isOpen) continue;
    if (sameBytes !== null) {
      // If both agents sent the image, the service would have it twice, under two names.
      if (openAttempt !== null) {
        const ended = {
          attempt: openAttempt,
          document,
          outcome: 'unknown' as const,
          httpStatus: null,
          message: null,
        };
        emit({ kind: 'ended', ...ended });
      }
      const message = `Agent ${agent ?? ''} has the same image, as document ${sameBytes}; retrying sends this one as well.`;
      emit({ kind: 'moved', documents: [document], state: 'failed', reason: TWIN, message });
      failed += 1;
    } else if (row.attempts === 0) {
      emit({ kind: 'renamed', document, name: await freeName(connection, row) });
      renamed += 1;
    }
  }
  return { events, merged: { twins: rows.length, failed, renamed } };
}

/** No longer than the old name, or than every endpoint allows; the last candidate is unique to these bytes. */
async function freeName(connection: Connection, { name, sha256, endpointId }: TwinRow): Promise<string> {
  const limit = Math.max(Buffer.byteLength(name), sha256.length);
  const suffix = `-${sha256.slice(0, 16)}`;
  let stem = name;
  while (Buffer.byteLength(stem) > limit - suffix.length) stem = withoutLast(stem);
  const wanted = `${stem}${suffix}`;
  const taken = await connection.get(IS_TAKEN, { endpointId, name: wanted });
  return taken === undefined ? wanted : sha256;
}

function withoutLast(text: string): string {
  return Array.from(text).slice(0, -1).join('');
}
