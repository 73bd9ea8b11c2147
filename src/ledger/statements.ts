/**
 * Statements are written once, in the common subset of SQL, and each engine turns them into its own text:
 *
 *   {rows endpoint:int name:text}  the batch as a table `r`, first in FROM with nothing between it and the next table
 *                                  SQLite      json_each(?1) r CROSS JOIN, and r.endpoint is r.value ->> 0
 *                                  PostgreSQL  unnest($1::bigint[], $2::text[]) AS r (endpoint, name) CROSS JOIN
 *   {one endpoint:int name:text}   the same, before a query `SELECT … FROM table t WHERE …` that finds one row at most, which it locks:
 *                                  lateral with a limit in PostgreSQL, a join in SQLite
 *   {lateral}                      before a subquery in FROM that uses r: LATERAL in PostgreSQL; SQLite has none, so such a statement is run for
 *                                  each row, and r.endpoint is a parameter
 *   {lock d}                       last: keeps other agents from these rows until the commit; nothing in SQLite, which has one writer
 *   {number s.fields :key}         the number that a JSON object has by this key; null if it is none
 *   :limit                         a parameter of the whole statement
 *
 * So a statement says what is asked for one row, and is right for many: nothing is both written and read within a batch (work.ts).
 */
export interface Parsed {
  /** Columns of the batch with their kinds; null for a statement without one. */
  readonly batch: readonly (readonly [name: string, kind: string])[] | null;
  readonly params: readonly string[];
  /** Run for each row where there is no LATERAL. */
  readonly isEach: boolean;
}

export interface Dialect {
  readonly lateral: string;
  rows(batch: NonNullable<Parsed['batch']>): string;
  one(query: string, batch: NonNullable<Parsed['batch']>): string;
  /** A column of the batch. */
  row(name: string, batch: NonNullable<Parsed['batch']>): string;
  /** How many parameters the batch takes. */
  batchParams(batch: NonNullable<Parsed['batch']>): number;
  /** @param index from 0, those of the batch included */
  param(index: number): string;
  lock(alias: string): string;
  number(column: string, param: string): string;
}

const BATCH = /\{(?:rows|one) ([^}]*)\}/;
const ONE = /^\s*\{one [^}]*\}\s*([^]*)$/;
/** Not in `::` and not within a word. */
const PARAM = /(?<![:\w]):([a-z]\w*)/gi;

export function parse(text: string): Parsed {
  const batch =
    BATCH.exec(text)?.[1]
      ?.split(' ')
      .map((column): [string, string] => {
        const [name = '', kind = 'text'] = column.split(':');
        return [name, kind];
      }) ?? null;
  const rest = text.replace(BATCH, '');
  const params = [...new Set([...rest.matchAll(PARAM)].map(([, name = '']) => name))];
  return { batch, params, isEach: text.includes('{lateral}') };
}

export function translate(text: string, { batch, params }: Parsed, dialect: Dialect): string {
  const columns = batch ?? [];
  const before = batch === null ? 0 : dialect.batchParams(batch);
  const one = ONE.exec(text)?.[1];
  return (one === undefined ? text.replace(BATCH, () => dialect.rows(columns)) : dialect.one(one, columns))
    .replace(/\br\.(?!value\b)(\w+)/g, (whole, name: string) =>
      batch === null ? whole : dialect.row(name, columns),
    )
    .replace(/\{number (\S+) (:\w+)\}/g, (_, column: string, param: string) => dialect.number(column, param))
    .replace(PARAM, (whole, name: string) =>
      params.includes(name) ? dialect.param(before + params.indexOf(name)) : whole,
    )
    .replaceAll('{lateral}', dialect.lateral)
    .replace(/\{lock (\w+)\}/g, (_, alias: string) => dialect.lock(alias));
}
