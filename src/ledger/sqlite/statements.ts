import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

export type Params = Readonly<Record<string, string | number | bigint | null>>;

/** Prepared statements, by their text. */
export interface Sql {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns it selects
  get<Row>(text: string, params?: Params): Row | undefined;
  all<Row>(text: string, params?: Params): Row[];
  /** For many rows: each as its values in the order of the columns, every integer a bigint. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns it selects
  tuples<Row>(text: string, params?: Params): Row[];
  /** Resolves the number of rows changed. */
  run(text: string, params?: Params): number;
}

/** `forget` drops the statements, which would keep the connection from closing. */
export function createSql(db: DatabaseSyncInstance): Sql & { forget(): void } {
  const statements = new Map<string, StatementSyncInstance>();
  const prepared = (text: string): StatementSyncInstance => {
    let statement = statements.get(text);
    if (!statement) {
      statement = db.prepare(text);
      statements.set(text, statement);
    }
    return statement;
  };
  const bare = new Map<string, StatementSyncInstance>();
  const preparedBare = (text: string): StatementSyncInstance => {
    let statement = bare.get(text);
    if (!statement) {
      statement = db.prepare(text);
      statement.setReadBigInts(true);
      statement.setReturnArrays(true);
      bare.set(text, statement);
    }
    return statement;
  };
  return {
    get: (text, params = {}) => prepared(text).get(params),
    all: (text, params = {}) => prepared(text).all(params),
    tuples: (text, params = {}) => preparedBare(text).all(params),
    run: (text, params = {}) => prepared(text).run(params).changes,
    forget: () => {
      statements.clear();
      bare.clear();
    },
  };
}
