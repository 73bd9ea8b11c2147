import type { Sql } from './statements.ts';

export type IdKind = 'documents' | 'attempts' | 'results';

/** Ids reserved per query: fetching a single one would take as long as the work that needs it. */
const BLOCK = 50;

/** Ids from the sequences of the tables. Some are never used; none is given out twice. */
export class Ids {
  readonly #left = new Map<IdKind, number[]>();

  async take(sql: Sql, kind: IdKind, count: number): Promise<readonly number[]> {
    const left = this.#left.get(kind) ?? [];
    this.#left.set(kind, left);
    if (left.length < count) {
      const more = Math.max(BLOCK, count);
      const text = `SELECT nextval('${kind}_id_seq') AS id FROM generate_series(1, :more::integer)`;
      left.push(...(await sql.all<{ id: number }>(text, { more })).map(({ id }) => id));
    }
    const ids = left.splice(0, count);
    if (ids.length < count) throw new Error('a sequence gave no number');
    return ids;
  }
}
