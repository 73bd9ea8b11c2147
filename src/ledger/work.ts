import { CHAIN, type Entry } from './entries.ts';
import type { Engine, Head } from './engine.ts';
import { fold, namingBytes, type FilePlace, type WorkingSet } from './fold.ts';
import {
  byTable,
  columnsOf,
  COUNTED,
  isListedRow,
  SPAN_MS,
  TABLE_NAMES,
  TABLES,
  type Cells,
  type Row,
  type Table,
} from './schema.ts';

const BY_ID = byTable(
  (table) => `{one id:int} SELECT ${columnsOf(table, 't')} FROM ${table} t WHERE t.id = r.id`,
);

interface Taken {
  readonly endpoint: number;
  readonly key: string;
}

const BYTES_TAKEN = `SELECT r.endpoint AS endpoint, r.sha256 AS key FROM {rows endpoint:int sha256:text} documents d
  WHERE d.endpoint_id = r.endpoint AND d.sha256 = r.sha256`;
const NAMES_TAKEN = `SELECT r.endpoint AS endpoint, r.name AS key FROM {rows endpoint:int name:text} documents d
  WHERE d.endpoint_id = r.endpoint AND d.name = r.name`;

const AT_PATH = `SELECT r.folder AS folder, r.dir AS dir, r.name AS name, f.id AS id FROM {rows folder:int dir:text name:text} files f
  WHERE f.folder_id = r.folder AND f.dir = r.dir AND f.name = r.name AND f.gone_at IS NULL`;
const RECEIVED = `SELECT r.document AS document, r.sha256 AS sha256 FROM {rows document:int sha256:text} results s
  WHERE coalesce(s.document_id, 0) = r.document AND s.sha256 = r.sha256`;

type Rows = { readonly [Name in Table]: Map<number, Row<Name>> };
/** There are few of them, and nearly every transaction asks for the same. */
export type KnownPlaces = Pick<Rows, 'endpoints' | 'folders'>;
type Changes = { readonly [Name in Table]: Map<number, 'new' | Partial<Row<Name>>> };

/**
 * What one transaction knows and has changed. Steps read and decide here, the fold changes rows here, and `flush` writes each changed row once, in its
 * last state, with one statement for each table and set of columns. So no batch writes a row twice, which statements in sets can't do, and the order
 * within a batch matters only in plain code: both engines run the same steps.
 */
export class Work implements WorkingSet {
  readonly engine: Engine;
  readonly head: Head;
  readonly entries: { readonly entry: Entry; readonly at: number }[] = [];
  readonly rows: Rows;
  readonly #changes: Changes = byTable(() => new Map<number, never>());
  readonly #counts = { counts: new Map<string, number>(), requests: new Map<string, number>() };
  /** Null unless entries are folded that may meet those of others. */
  #taken: Set<string> | null = null;
  /** Ids of files, by path. */
  readonly #atPaths = new Map<string, number>();

  /** `places`: endpoints and folders as the transactions before left them, where there is one agent. */
  constructor(engine: Engine, head: Head, places: Partial<KnownPlaces> = {}) {
    this.engine = engine;
    this.head = head;
    this.rows = { ...byTable(() => new Map<number, never>()), ...places };
  }

  /** Whether no other agent writes this ledger. */
  get isAlone(): boolean {
    return this.head.base === 0;
  }

  /** Added to the numbers of entries, which are those of their chain, to make ids. */
  get base(): number {
    return this.head.base;
  }

  get agent(): number {
    return this.head.base / CHAIN;
  }

  get name(): string {
    return this.head.name;
  }

  /* ---- Looking up ---- */

  /** Rows by id, from the database unless they are here; locks them. Undefined for those that there are none of. */
  async load<Name extends Table>(
    table: Name,
    ids: readonly number[],
  ): Promise<readonly (Row<Name> | undefined)[]> {
    const rows: Map<number, Row<Name>> = this.rows[table];
    const missing = [...new Set(ids)].filter((id) => !rows.has(id)).sort((a, b) => a - b);
    if (missing.length > 0)
      await this.find(
        table,
        BY_ID[table],
        missing.map((id) => ({ id })),
      );
    return ids.map((id) => rows.get(id));
  }

  /** The same of several tables, in their order. */
  async loadAll(ids: Readonly<Partial<Record<Table, readonly number[]>>>): Promise<void> {
    await Promise.all(TABLE_NAMES.flatMap((table) => (ids[table] ? [this.load(table, ids[table])] : [])));
  }

  /** Rows by a statement that selects `columnsOf` the table. */
  async find<Name extends Table>(
    table: Name,
    statement: string,
    batch: readonly object[] | null,
    params: object = {},
  ): Promise<readonly Row<Name>[]> {
    if (batch?.length === 0) return [];
    const rows: Map<number, Row<Name>> = this.rows[table];
    const found = await this.engine.each<Row<Name>>(statement, batch, params);
    return found.map((row) => {
      const known = rows.get(row.id);
      if (known === undefined) rows.set(row.id, row);
      return known ?? row;
    });
  }

  /** Answers that are no rows of a table. */
  async ask<Answer>(
    statement: string,
    batch: readonly object[] | null,
    params: object = {},
  ): Promise<readonly Answer[]> {
    return batch?.length === 0 ? [] : this.engine.each<Answer>(statement, batch, params);
  }

  get<Name extends Table>(table: Name, id: number): Row<Name> {
    const row = this.rows[table].get(id);
    if (row === undefined) throw new Error(`${table} ${id} was not looked up`);
    return row;
  }

  /* ---- Recording ---- */

  /** An id as it is in an entry, and the number in an entry as an id. */
  ref(id: number): number {
    return id - this.base >= 0 && id - this.base < CHAIN ? id - this.base : id;
  }

  id(number: number): number {
    return number < CHAIN ? number + this.base : number;
  }

  /** Adds an entry and folds it in. @returns its id */
  add(happened: Entry, at: number): number {
    const entry = this.isAlone ? happened : namingBytes(this, happened);
    this.entries.push({ entry, at });
    const id = this.base + this.head.seq + this.entries.length;
    fold(this, entry, at, id);
    return id;
  }

  /* ---- Changing: for the fold alone ---- */

  /**
   * Whether another document of the endpoint has these bytes or this name. An admission has made sure that none has; only entries that come from
   * another ledger meet one, and `look` has looked for it.
   */
  isTaken(endpoint: number, sha256: string, name: string): boolean {
    if (this.#taken === null) return false;
    const isBytes = this.#isFirst(`${endpoint} bytes ${sha256}`);
    const isName = this.#isFirst(`${endpoint} name ${name}`);
    return !isBytes || !isName;
  }

  isAtPath(at: FilePlace, id: number): boolean {
    if (this.#taken === null) return false;
    const key = pathKey(at);
    const other = this.#atPaths.get(key);
    // One that is gone by now was looked up for that.
    if (other !== undefined && (this.rows.files.get(other)?.gone_at ?? null) === null) return true;
    this.#atPaths.set(key, id);
    return false;
  }

  isReceived(document: number, sha256: string): boolean {
    return this.#taken !== null && !this.#isFirst(resultKey(document, sha256));
  }

  #isFirst(key: string): boolean {
    const isFirst = this.#taken?.has(key) !== true;
    this.#taken?.add(key);
    return isFirst;
  }

  /** Looks for what others have in place of these, before they are folded. */
  async look({ admitted, files, results }: LookUp): Promise<void> {
    const [bytes, names, paths, received] = await Promise.all([
      this.ask<Taken>(BYTES_TAKEN, admitted),
      this.ask<Taken>(NAMES_TAKEN, admitted),
      this.ask<FilePlace & { readonly id: number }>(AT_PATH, files),
      this.ask<Result>(RECEIVED, results),
    ]);
    const taken = (this.#taken ??= new Set());
    for (const { endpoint, key } of bytes) taken.add(`${endpoint} bytes ${key}`);
    for (const { endpoint, key } of names) taken.add(`${endpoint} name ${key}`);
    for (const file of paths) this.#atPaths.set(pathKey(file), file.id);
    for (const { document, sha256 } of received) taken.add(resultKey(document, sha256));
  }

  insert<Name extends Table>(table: Name, row: Row<Name>): void {
    this.#count(table, row, 1);
    const rows: Map<number, Row<Name>> = this.rows[table];
    const changes: Map<number, 'new' | Partial<Row<Name>>> = this.#changes[table];
    rows.set(row.id, row);
    changes.set(row.id, 'new');
  }

  /** A row whose count does not change need not be looked up: results, folders, attempts unless they were not sent. */
  change<Name extends Table>(table: Name, id: number, values: Partial<Row<Name>>): void {
    const row: Row<Name> | undefined = this.rows[table].get(id);
    const isUnsent = 'outcome' in values && values.outcome === NOT_SENT;
    if (row !== undefined) {
      const isCounted = isUnsent || 'state' in values || 'verdict' in values || 'gone_at' in values;
      if (isCounted) this.#count(table, row, -1);
      Object.assign(row, values);
      if (isCounted) this.#count(table, row, 1);
    } else if (isUnsent || table === 'documents' || table === 'files') this.get(table, id);
    const changes: Map<number, 'new' | Partial<Row<Name>>> = this.#changes[table];
    const before = changes.get(id);
    if (before === 'new') return;
    // Several rows may share `values`.
    changes.set(id, before === undefined ? values : { ...before, ...values });
  }

  #count(table: Table, row: object, by: number): void {
    const key = KEY_OF[table]?.(row as never);
    if (key === undefined || key === null) return;
    const counts = this.#counts[table === 'attempts' ? 'requests' : 'counts'];
    counts.set(key, (counts.get(key) ?? 0) + by);
  }

  /* ---- Writing ---- */

  /** Writes what changed, and the counts with the last call. Updates come first: a file must be gone before the next one takes its path. */
  async flush(isLast = true): Promise<void> {
    const written: Promise<void>[] = [];
    const write = (what: void | Promise<void>): void => {
      if (what !== undefined) written.push(what);
    };
    for (const table of TABLE_NAMES) {
      const inserted: Cells[] = [];
      const updated = new Map<string, { readonly ids: number[]; readonly rows: Cells[] }>();
      for (const [id, change] of this.#changes[table]) {
        if (change === 'new') {
          inserted.push(this.get(table, id));
          continue;
        }
        const columns = Object.keys(change).join();
        let group = updated.get(columns);
        if (group === undefined) updated.set(columns, (group = { ids: [], rows: [] }));
        group.ids.push(id);
        group.rows.push(change);
      }
      for (const [columns, { ids, rows }] of updated)
        write(this.engine.update(table, columns.split(','), ids, rows));
      if (inserted.length > 0) write(this.engine.insert(table, TABLES[table], inserted, ON_CONFLICT[table]));
      this.#changes[table].clear();
    }
    // The next step may ask how many requests there were.
    for (const table of isLast ? (['counts', 'requests'] as const) : (['requests'] as const)) {
      // In one order for all agents.
      const changed = [...this.#counts[table]].filter(([, n]) => n !== 0).sort();
      const rows = changed.map(([key, n]) => ROW_OF[table](key, n, this.agent));
      if (rows.length > 0) write(this.engine.insert(table, COUNTED[table], rows, ON_CONFLICT[table]));
      this.#counts[table].clear();
    }
    // PostgreSQL gets them one behind the other without a wait for answers: the first failure is the one to report.
    for (const each of await Promise.allSettled(written)) if (each.status === 'rejected') throw each.reason;
  }
}

interface Result {
  readonly document: number;
  readonly sha256: string;
}

interface LookUp {
  readonly admitted: readonly { readonly endpoint: number; readonly sha256: string; readonly name: string }[];
  readonly files: readonly FilePlace[];
  readonly results: readonly Result[];
}

const pathKey = ({ folder, dir, name }: FilePlace): string => `${folder} ${dir}\n${name}`;
const resultKey = (document: number, sha256: string): string => `result ${document} ${sha256}`;

/** Another agent may meet the same endpoint or folder at the same moment. */
const ON_CONFLICT: Readonly<Partial<Record<string, string>>> = {
  endpoints: 'ON CONFLICT (id) DO NOTHING',
  folders: 'ON CONFLICT (id) DO NOTHING',
  counts: 'ON CONFLICT (endpoint_id, folder_id, state, agent) DO UPDATE SET n = counts.n + excluded.n',
  requests: 'ON CONFLICT (endpoint_id, span) DO UPDATE SET n = requests.n + excluded.n',
};

const NOT_SENT = 'notSent';

/** What a row counts for; null: nothing. */
const KEY_OF: Readonly<Partial<Record<Table, (row: never) => string | null>>> = {
  documents: ({ endpoint_id, folder_id, state }: Row<'documents'>) => `${endpoint_id} ${folder_id} ${state}`,
  files: (row: Row<'files'>) =>
    isListedRow(row) ? `${row.endpoint_id} ${row.folder_id} ${row.verdict}` : null,
  attempts: ({ endpoint_id, began_at, outcome }: Row<'attempts'>) =>
    outcome === NOT_SENT ? null : `${endpoint_id} ${began_at - (began_at % SPAN_MS)}`,
};

const ROW_OF = {
  counts(key: string, n: number, agent: number): Cells {
    const [endpoint, folder, state = ''] = key.split(' ');
    return { endpoint_id: Number(endpoint), folder_id: Number(folder), state, agent, n };
  },
  requests(key: string, n: number): Cells {
    const [endpoint, span] = key.split(' ');
    return { endpoint_id: Number(endpoint), span: Number(span), n };
  },
} as const;
