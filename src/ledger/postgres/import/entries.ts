import { ReceiptdError } from '../../../core/domain/errors.ts';
import { foldedUnlessAscii } from '../../../core/domain/search.ts';
import type { JournalEntry, JournalHead } from '../../../core/ports/journal.ts';
import { fromJournal, type LedgerEvent } from '../../events.ts';
import { postedOf } from '../../resultRows.ts';
import { apply } from '../apply.ts';
import type { Sending } from '../eventSets.ts';
import type { Connection } from '../connection.ts';
import { Places } from '../places.ts';
import * as ENDPOINTS from '../sql/endpoints.ts';
import { ENSURE_ENDPOINT, ENSURE_FOLDER, isTwin } from './rows.ts';
import type { EntriesAfter } from './source.ts';
import { busy, inTransaction, type ImportState } from './state.ts';
import { storable, type Numbered } from './tables.ts';

/** Entries per transaction. */
const BATCH = 500;

/** Like the insert in apply, but marks a twin if another ledger brought the bytes or the name. */
const INSERT_DOCUMENT = `
INSERT INTO documents (id, endpoint_id, folder_id, agent_id, path, name, folded_path, folded_name, sha256, type,
                       size, lane, line, created_at, updated_at, twin)
SELECT n.id, n.endpoint_id, n.folder_id, :agentId::integer, :path, n.name, :foldedPath, :foldedName, n.sha256, :type,
       :size::bigint, :lane, :line::bigint, :at::bigint, :at::bigint, CASE WHEN ${isTwin('n')} THEN n.id ELSE 0 END
  FROM (SELECT :id::bigint AS id, e.id AS endpoint_id, f.id AS folder_id, :name::text COLLATE "C" AS name,
               :sha256::text COLLATE "C" AS sha256
          FROM folders f, endpoints e
         WHERE f.place = :place AND f.path = :folder AND e.base_url = :baseUrl AND e.uid = :uid) n`;

const INSERT_UNMATCHED = `
INSERT INTO results (id, received_at, status, sha256, size, encoding, words, fields, payload, given_name, given_uid)
VALUES (:id, :at, :status, :sha256, :size, :encoding, :words, :fields, :payload, :givenName, :givenUid) ON CONFLICT DO NOTHING`;

const MOVE_ON = `UPDATE imports SET seq = :seq, hash = :hash WHERE ledger = :ledger AND seq = :from`;

/** Fields that contain ids of rows. */
const NUMBERS: Readonly<Record<string, Numbered>> = {
  document: 'documents',
  documents: 'documents',
  attempt: 'attempts',
  sighting: 'sightings',
  sightings: 'sightings',
  supersedes: 'sightings',
  file: 'sightings',
  result: 'results',
};

/**
 * Replays the journal up to `upTo`, the other ledger's head: later entries may still be taken back.
 * @returns the number of entries replayed, and the head that is here now
 * @throws ReceiptdError MOVE_REFUSED if the journal was restarted or belongs to another ledger; JOURNAL_DAMAGED
 */
export async function takeEntries(
  connection: Connection,
  state: ImportState,
  entriesAfter: EntriesAfter,
  upTo: JournalHead,
): Promise<{ readonly taken: number; readonly head: ImportState['head'] }> {
  if (upTo.ledger !== state.ledger) throw new ReceiptdError('MOVE_REFUSED.anotherMachine');
  if (upTo.seq === state.head.seq && upTo.hash === state.head.hash) return { taken: 0, head: state.head };
  await connection.exec(`SET receiptd.agent = '${state.agentId}'`);
  const taking = new Taking(connection, state);
  let batch: JournalEntry[] = [];
  let isAnchored = false;
  for (const entry of entriesAfter(state.head.seq - 1)) {
    if (!isAnchored) {
      if (entry.seq !== state.head.seq || entry.hash !== state.head.hash) break;
      isAnchored = true;
      continue;
    }
    if (entry.seq > upTo.seq) break;
    batch.push(entry);
    if (batch.length < BATCH) continue;
    await taking.take(batch);
    batch = [];
  }
  if (!isAnchored) throw new ReceiptdError('MOVE_REFUSED.entryGone', { entry: state.head.seq });
  if (batch.length > 0) await taking.take(batch);
  const { head } = taking;
  if (head.seq !== upTo.seq || head.hash !== upTo.hash)
    throw new ReceiptdError('MOVE_REFUSED.notLeading', { entry: upTo.seq });
  return { taken: head.seq - state.head.seq, head };
}

class Taking {
  head: ImportState['head'];
  readonly #connection: Connection;
  readonly #state: ImportState;
  readonly #sql: Sending;
  readonly #known = new Set<string>();

  constructor(connection: Connection, state: ImportState) {
    this.#connection = connection;
    this.#state = state;
    this.head = state.head;
    this.#sql = {
      session: { agentId: state.agentId, epoch: 0, chain: '' },
      places: new Places(state.agent),
      send: (text, params) => connection.send(text, params),
    };
  }

  async take(entries: readonly JournalEntry[]): Promise<void> {
    const told = entries.map((entry) => ({ event: this.#moved(fromJournal(entry)), at: entry.at }));
    for (const { event } of told) await this.#ensure(event);
    const last = entries.at(-1) ?? this.head;
    const { ledger } = this.#state;
    await inTransaction(this.#connection, async () => {
      const { seq, hash } = last;
      if ((await this.#connection.run(MOVE_ON, { ledger, seq, hash, from: this.head.seq })) !== 1)
        throw busy();
      for (const { event, at } of told) this.#apply(event, at);
    });
    this.head = { seq: last.seq, hash: last.hash };
  }

  #apply(event: LedgerEvent, at: number): void {
    switch (event.kind) {
      case 'named': {
        const { document: id, endpoint, name, sha256, type, size, lane, line, seq, path } = event;
        const { baseUrl, uid } = endpoint;
        this.#sql.send(ENDPOINTS.ENDPOINT_FOR_UPDATE, { baseUrl, uid });
        const row = { id, baseUrl, uid, name, sha256, type, size, lane, line, path, at };
        const { agentId } = this.#state;
        const folded = { foldedName: foldedUnlessAscii(name), foldedPath: foldedUnlessAscii(path) };
        this.#sql.send(INSERT_DOCUMENT, {
          ...row,
          ...folded,
          agentId,
          ...this.#sql.places.ofFolder(event.folder),
        });
        this.#sql.send(ENDPOINTS.GAVE, { baseUrl, uid, line, seq: seq ?? 0 });
        return;
      }
      case 'result': {
        if (event.document !== null) return apply(this.#sql, event, at);
        const { result: id, status, sha256, size, encoding, payload, givenName, givenUid } = event;
        const kept = { status, sha256, size, encoding, payload, givenName, givenUid };
        this.#sql.send(INSERT_UNMATCHED, { id, at, ...kept, ...postedOf(event) });
        return;
      }
      case 'continued':
      case 'restored':
      case 'rebuilt':
        throw new ReceiptdError('MOVE_REFUSED.madeAnew');
      // Only the latest value counts; it is imported from the ledger itself at the end.
      case 'watched':
      case 'placed':
      case 'originals':
      case 'endpoint':
      case 'paused':
      case 'resumed':
        return;
      default:
        return apply(this.#sql, event, at);
    }
  }

  /** The event with ids of this database, and text that it can store. */
  #moved(event: LedgerEvent): LedgerEvent {
    const fields: Record<string, unknown> = { ...event };
    if (event.kind === 'result' && event.payload?.includes('\0') === true) {
      fields['encoding'] = 'base64';
      fields['payload'] = Buffer.from(event.payload).toString('base64');
    }
    for (const [key, value] of Object.entries(fields)) {
      const of = NUMBERS[key];
      if (typeof value === 'string') fields[key] = storable(value);
      else if (of !== undefined && typeof value === 'number') fields[key] = this.#number(of, value);
      else if (of !== undefined && Array.isArray(value))
        fields[key] = value.map((each) => this.#number(of, Number(each)));
    }
    // The same fields with other values.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return fields as unknown as LedgerEvent;
  }

  #number(of: Numbered, id: number): number {
    if (id > this.#state.reserved)
      throw new ReceiptdError('MOVE_REFUSED.grewTooMuch', { reserved: this.#state.reserved });
    return id + this.#state.distances[of];
  }

  async #ensure(event: LedgerEvent): Promise<void> {
    if ('folder' in event) {
      const params = this.#sql.places.ofFolder(event.folder);
      await this.#once(`${params.place} ${params.folder}`, ENSURE_FOLDER, params);
    }
    const endpoint = 'endpoint' in event ? event.endpoint : event.kind === 'sighted' ? event.into : null;
    if (endpoint) {
      const { baseUrl, uid } = endpoint;
      await this.#once(`${baseUrl}#${uid}`, ENSURE_ENDPOINT, { baseUrl, uid });
    }
  }

  async #once(key: string, text: string, params: Readonly<Record<string, string>>): Promise<void> {
    if (this.#known.has(key)) return;
    await this.#connection.run(text, params);
    this.#known.add(key);
  }
}
