import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Reader } from '../engine.ts';
import type { Cell, Cells } from '../schema.ts';
import { parse, translate, type Dialect, type Parsed } from '../statements.ts';

const indexOf = (name: string, batch: NonNullable<Parsed['batch']>): number =>
  batch.findIndex(([column]) => column === name);

const SETS: Dialect = {
  lateral: '',
  rows: () => 'json_each(?1) r CROSS JOIN',
  one: (query) => query.replace(' FROM ', ' FROM json_each(?1) r CROSS JOIN '),
  row: (name, batch) => (batch.length === 1 ? 'r.value' : `(r.value ->> ${indexOf(name, batch)})`),
  batchParams: () => 1,
  param: (index) => `?${index + 1}`,
  lock: () => '',
  number: (column, param) =>
    `CASE WHEN typeof(${column} ->> ${param}) IN ('integer', 'real') THEN ${column} ->> ${param} END`,
};
/** For statements that are run for each row. */
const EACH: Dialect = {
  ...SETS,
  rows: () => '',
  row: (name, batch) => `?${indexOf(name, batch) + 1}`,
  batchParams: ({ length }) => length,
};

interface PreparedStatement {
  readonly statement: StatementSyncInstance;
  /** Columns of the batch; null for a statement without. */
  readonly columns: readonly string[] | null;
  readonly params: readonly string[];
  readonly isEach: boolean;
}

/** Lists with their filters make ever new texts. */
const MOST_PREPARED = 400;

/** A connection with its prepared statements. */
export class Statements implements Reader {
  readonly db: DatabaseSyncInstance;
  readonly #prepared = new Map<string, PreparedStatement>();

  constructor(db: DatabaseSyncInstance) {
    this.db = db;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a statement decides what its rows are
  each<Row>(text: string, batch: readonly object[] | null, params: object = {}): readonly Row[] {
    const { statement, columns, params: names, isEach } = this.#prepare(text);
    const rest = valuesOf(params as Cells, names);
    // The rows are what the statement selects.
    if (columns === null || batch === null) return statement.all(...rest);
    const rows = batch as readonly Cells[];
    if (!isEach) return statement.all(inJson(rows, columns), ...rest);
    return rows.flatMap((row): Row[] => statement.all(...valuesOf(row, columns), ...rest));
  }

  run(text: string, ...values: Cell[]): void {
    this.#prepare(text).statement.run(...values);
  }

  /** A statement that is run for row after row. */
  statement(text: string): StatementSyncInstance {
    return this.#prepare(text).statement;
  }

  close(): void {
    this.#prepared.clear();
    this.db.close();
  }

  #prepare(text: string): PreparedStatement {
    let prepared = this.#prepared.get(text);
    if (prepared === undefined) {
      const parsed = parse(text);
      const { batch, params, isEach } = parsed;
      if (this.#prepared.size >= MOST_PREPARED) this.#prepared.clear();
      prepared = {
        statement: this.db.prepare(translate(text, parsed, isEach ? EACH : SETS)),
        columns: batch?.map(([name]) => name) ?? null,
        params,
        isEach,
      };
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }
}

export function valuesOf(row: Cells, names: readonly string[]): Cell[] {
  const values: Cell[] = [];
  for (const name of names) values.push(row[name] ?? null);
  return values;
}

export function inJson(rows: readonly Cells[], names: readonly string[]): string {
  const [only] = names;
  return JSON.stringify(
    names.length === 1 && only !== undefined
      ? rows.map((row) => row[only] ?? null)
      : rows.map((row) => names.map((name) => row[name] ?? null)),
  );
}
