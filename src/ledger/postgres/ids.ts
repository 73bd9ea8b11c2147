import type { Sql } from './statements.ts';

export type IdKind = 'documents' | 'attempts' | 'results';

/** So many at once: asking for one would take as long as the work that it is for. */
const BLOCK = 50;

/** Numbers from the sequences of the tables. Some are never used; none is given twice. */
export class Ids {
  readonly #left = new Map<IdKind, number[]>();

  async next(sql: Sql, kind: IdKind): Promise<number> {
    let left = this.#left.get(kind) ?? [];
    if (left.length === 0) {
      const text = `SELECT nextval('${kind}_id_seq') AS id FROM generate_series(1, ${BLOCK})`;
      left = (await sql.all<{ id: number }>(text)).map(({ id }) => id);
      this.#left.set(kind, left);
    }
    const id = left.shift();
    if (id === undefined) throw new Error('a sequence gave no number');
    return id;
  }
}
