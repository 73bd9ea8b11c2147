import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { numberParams } from '../numberParams.ts';

type Value = string | number | bigint | null;
export type Params = Readonly<Record<string, Value>>;

/** Prepared statements, by their text, with parameters as `:name`. Each takes exactly the parameters that it names. */
export interface Sql {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns it selects
  get<Row>(text: string, params?: Params): Row | undefined;
  all<Row>(text: string, params?: Params): Row[];
  /** For many rows: each as an array of values in column order, with every integer a bigint. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns it selects
  tuples<Row>(text: string, params?: Params): Row[];
  /** For statements that return no rows. */
  run(text: string, params?: Params): void;
  /** Rolls back the transaction, or to a savepoint, unless SQLite has already done so. */
  rollback(text: 'ROLLBACK' | `ROLLBACK TO ${string}`): void;
  /** Caches of ids of rows that are never deleted, by name; cleared by a rollback. See places.ts. */
  readonly endpoints: Map<string, number>;
  readonly folders: Map<string, number>;
  /** Caches of the next ids by table, and of the next numbers by endpoint; cleared by a rollback. See numbers.ts. */
  readonly nextIds: Map<Numbered, number>;
  readonly nextNumbers: Map<number, EndpointNumbers>;
}

export type Numbered = 'documents' | 'sightings' | 'attempts';

/** Numbers of an endpoint: the next `{seq}`, and the next position in its queue. */
export interface EndpointNumbers {
  readonly seq: number;
  readonly line: number;
}

interface Prepared {
  readonly statement: StatementSyncInstance;
  readonly names: readonly string[];
}

/**
 * `forget` drops the statements. A closed connection keeps its files and locks until the engine has garbage-collected
 * its statements: a process that reads a ledger repeatedly should keep one connection, and nobody may remove or replace
 * the files meanwhile.
 */
export function createSql(db: DatabaseSyncInstance): Sql & { forget(): void } {
  const prepare = (text: string): Prepared => {
    // Binding by number takes half as long as by name.
    const numbered = numberParams(text);
    return { statement: db.prepare(numbered.text), names: numbered.names };
  };
  const statements = new Map<string, Prepared>();
  const prepared = (text: string): Prepared => {
    let known = statements.get(text);
    if (!known) {
      known = prepare(text);
      statements.set(text, known);
    }
    return known;
  };
  const bare = new Map<string, Prepared>();
  const preparedBare = (text: string): Prepared => {
    let known = bare.get(text);
    if (!known) {
      known = prepare(text);
      known.statement.setReadBigInts(true);
      known.statement.setReturnArrays(true);
      bare.set(text, known);
    }
    return known;
  };
  const endpoints = new Map<string, number>();
  const folders = new Map<string, number>();
  const nextIds = new Map<Numbered, number>();
  const nextNumbers = new Map<number, EndpointNumbers>();
  return {
    endpoints,
    folders,
    nextIds,
    nextNumbers,
    rollback(text) {
      for (const known of [endpoints, folders, nextIds, nextNumbers]) known.clear();
      // After some failures (a full disk), SQLite has already rolled back.
      if (db.isTransaction) db.exec(text);
    },
    get(text, params = NONE) {
      const { statement, names } = prepared(text);
      return statement.get(...valuesOf(params, names));
    },
    all(text, params = NONE) {
      const { statement, names } = prepared(text);
      return statement.all(...valuesOf(params, names));
    },
    tuples(text, params = NONE) {
      const { statement, names } = preparedBare(text);
      return statement.all(...valuesOf(params, names));
    },
    run(text, params = NONE) {
      const { statement, names } = prepared(text);
      // The driver's `run` takes twice as long for a small change: it builds a result object that nobody needs here.
      statement.get(...valuesOf(params, names));
    },
    forget: () => {
      statements.clear();
      bare.clear();
    },
  };
}

const NONE: Params = {};

function valuesOf(params: Params, names: readonly string[]): Value[] {
  const values: Value[] = [];
  for (const name of names) {
    const value = params[name];
    if (value === undefined) throw new TypeError(`A statement lacks its parameter :${name}.`);
    values.push(value);
  }
  let given = 0;
  for (const _ in params) given += 1;
  if (given !== names.length) {
    const unknown = Object.keys(params).filter((name) => !names.includes(name));
    throw new TypeError(`A statement has no parameter :${unknown.join(', :')}.`);
  }
  return values;
}
