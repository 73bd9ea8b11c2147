import type { Connection } from '../connection.ts';
import { arraysOf, mappingOf } from './rows.ts';
import type { Source } from './source.ts';
import type { ImportState } from './state.ts';
import { mapped, TABLES, type Mapping, type Row, type Table, type Value } from './tables.ts';

export interface Compared {
  /** Rows that are equal on both sides, by table. */
  readonly rows: Readonly<Record<Table['name'], number>>;
  /** Sentences for people; the first twenty. */
  readonly findings: readonly string[];
  readonly moreFindings: number;
}

const PAGE = 1_000;
const SHOWN = 20;

const OF_THE_MOMENT = `
UPDATE documents d SET lane = r.lane, not_before = r.not_before
  FROM unnest(:ids::bigint[], :lanes::text[], :times::bigint[]) AS r (id, lane, not_before) WHERE d.id = r.id`;

const SAME_UNMATCHED = `SELECT 1 AS there FROM results WHERE document_id IS NULL AND sha256 = :sha256`;

/**
 * Compares every row of the ledger with its counterpart here, field by field, in the order of ids, and updates fields
 * that change without a journal entry. The ledger must not change meanwhile.
 */
export async function compare(
  connection: Connection,
  state: ImportState,
  source: Source,
  onRows: (table: Table, rows: number) => void,
): Promise<Compared> {
  const findings = new Findings();
  const mapping = await mappingOf(connection, state, source);
  const rows: Partial<Record<Table['name'], number>> = {};
  for (const table of TABLES)
    rows[table.name] = await compareTable(connection, state, source, mapping, table, findings, onRows);
  const { documents = 0, attempts = 0, sightings = 0, results = 0, acts = 0 } = rows;
  return { rows: { documents, attempts, sightings, results, acts }, ...findings.result };
}

async function compareTable(
  connection: Connection,
  state: ImportState,
  source: Source,
  mapping: Mapping,
  table: Table,
  findings: Findings,
  onRows: (table: Table, rows: number) => void,
): Promise<number> {
  const here = new Here(connection, state, table);
  let same = 0;
  const last = source.lastId(table.name);
  for (let from = 0; from < last; from += PAGE) {
    const there = source.rows(table, from + 1, from + PAGE);
    const late: Row[] = [];
    for (const original of there) {
      const row = mapped(table, original, mapping);
      const found = await here.counterpart(row);
      const id = original[0] ?? '';
      if (found === null) {
        if (table.name === 'results' && (await isKnownUnmatched(connection, table, row))) same += 1;
        else findings.add(`${table.what} ${id} is not in the shared ledger.`);
        continue;
      }
      const different = table.columns.filter(
        ({ name }, index) => (table.name !== 'acts' || name !== 'id') && found[index] !== row[index],
      );
      const lasting = different.filter(({ ofTheMoment }) => ofTheMoment !== true);
      if (lasting.length > 0)
        findings.add(`${table.what} ${id} differs in ${lasting.map(({ name }) => name).join(', ')}.`);
      else {
        same += 1;
        if (different.length > 0) late.push(row);
      }
    }
    if (late.length > 0) await bringUpToDate(connection, table, late);
    onRows(table, there.length);
  }
  for (const row of await here.rest())
    findings.add(`${table.what} ${row[0] ?? ''} of the shared ledger is not in the one that was moved.`);
  return same;
}

async function isKnownUnmatched(connection: Connection, table: Table, row: Row): Promise<boolean> {
  const value = (column: string): Value =>
    row[table.columns.findIndex(({ name }) => name === column)] ?? null;
  if (value('document_id') !== null) return false;
  return (await connection.get(SAME_UNMATCHED, { sha256: value('sha256') })) !== undefined;
}

async function bringUpToDate(connection: Connection, table: Table, rows: readonly Row[]): Promise<void> {
  const arrays = arraysOf(table, rows);
  const { id: ids = null, lane: lanes = null, not_before: times = null } = arrays;
  await connection.run(OF_THE_MOMENT, { ids, lanes, times });
}

/** Rows of the import that are here, page by page in the order of ids. */
class Here {
  readonly #connection: Connection;
  readonly #table: Table;
  readonly #text: string;
  readonly #params: Readonly<Record<string, number>>;
  #after: number;
  #page: Row[] = [];
  readonly #extra: Row[] = [];
  #isAtEnd = false;

  constructor(connection: Connection, { agentId, distances, reserved }: ImportState, table: Table) {
    this.#connection = connection;
    this.#table = table;
    const isActs = table.name === 'acts';
    const distance = table.name === 'acts' ? 0 : distances[table.name];
    this.#after = distance;
    this.#params = isActs ? { agentId } : { last: distance + reserved };
    const which = isActs ? 'agent_id = :agentId' : 'id <= :last';
    const columns = table.columns.map(({ name }) => `t.${name}::text AS ${name}`).join(', ');
    this.#text = `SELECT ${columns} FROM ${table.name} t WHERE t.id > :after AND t.${which} ORDER BY t.id LIMIT ${PAGE}`;
  }

  /** The row with the same id (for acts: the next one); null if there is none. */
  async counterpart(row: Row): Promise<Row | null> {
    for (;;) {
      await this.#fill();
      const [first] = this.#page;
      if (first === undefined) return null;
      const distance = this.#table.name === 'acts' ? 0 : Number(first[0]) - Number(row[0]);
      if (distance > 0) return null;
      this.#page.shift();
      if (distance === 0) return first;
      this.#extra.push(first);
    }
  }

  /** Rows without a counterpart: those skipped, and the first ones after the last row. */
  async rest(): Promise<readonly Row[]> {
    await this.#fill();
    return [...this.#extra, ...this.#page].slice(0, SHOWN);
  }

  async #fill(): Promise<void> {
    if (this.#page.length > 0 || this.#isAtEnd) return;
    const rows = await this.#connection.all<Record<string, Value>>(this.#text, {
      ...this.#params,
      after: this.#after,
    });
    this.#page = rows.map((row) => this.#table.columns.map(({ name }) => row[name] ?? null));
    this.#isAtEnd = rows.length < PAGE;
    const last = this.#page.at(-1)?.[0];
    if (last !== undefined) this.#after = Number(last);
  }
}

class Findings {
  readonly #sentences: string[] = [];
  #more = 0;

  add(sentence: string): void {
    if (this.#sentences.length < SHOWN) this.#sentences.push(sentence);
    else this.#more += 1;
  }

  get result(): Pick<Compared, 'findings' | 'moreFindings'> {
    return { findings: this.#sentences, moreFindings: this.#more };
  }
}
