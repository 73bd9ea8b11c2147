import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListOrder, ListRow } from '../../ports/ledgerReports.ts';
import type { Walk as WalkSql } from './sql/reports.ts';
import type { Params, Sql } from './statements.ts';
import type { Store } from './store.ts';

/** Rows that are looked at in the first read: a screen of them. */
const FIRST_WINDOW = 50;
const GROWTH = 4;
/** And in any: no read transaction, and no turn of the event loop, lasts longer. */
const LARGEST_WINDOW = 10_000;
/** So many rows may come of one: each costs as much as ten that are passed over. */
const LARGEST_YIELD = 1_000;

/** A row's place in the order of creation. */
export interface Position {
  readonly at: number;
  readonly id: number;
}

export interface Listed extends Position {
  readonly row: ListRow;
}

export interface WalkOptions {
  readonly store: Store;
  readonly sql: WalkSql;
  readonly order: ListOrder;
  /** Begins behind it. */
  readonly from: Position;
  /** The first time that is not wanted any more, in this order. */
  readonly stop: number;
  /** Beside the window's own. */
  readonly params: Params;
  readonly read: (sql: Sql, text: string, params: Params) => Listed[];
}

/** Along an index by the time of creation, window by window. */
export class Walk {
  readonly #options: WalkOptions;
  #pending: Listed[] = [];
  /** Where the last window ended; null: nothing is left. */
  #looked: Position | null;
  #taken: Position;
  #size = FIRST_WINDOW;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#looked = options.from;
    this.#taken = options.from;
  }

  /** The next row, if it is known. */
  get next(): Listed | undefined {
    return this.#pending[0];
  }

  get isOver(): boolean {
    return this.#pending.length === 0 && this.#looked === null;
  }

  /** From where another walk would go on; null where nothing is left. */
  get position(): Position | null {
    return this.#pending.length > 0 ? this.#taken : this.#looked;
  }

  take(): void {
    this.#taken = this.#pending.shift() ?? this.#taken;
  }

  /** Reads one window, where nothing is known. */
  async look(): Promise<void> {
    const { store, sql: text, order, stop, params, read } = this.#options;
    const start = this.#looked;
    if (start === null || this.#pending.length > 0) return;
    const size = this.#size;
    const isOldest = order === 'oldest';
    const end: Position = isOldest
      ? { at: stop - 1, id: Number.MAX_SAFE_INTEGER }
      : { at: stop + 1, id: Number.MIN_SAFE_INTEGER };
    this.#pending = await store.read((sql) => {
      const found = sql.get<Position>(text.windowEnd, { at: start.at, id: start.id, size });
      const isInside = found !== undefined && (isOldest ? found.at < stop : found.at > stop);
      const last = isInside ? found : end;
      this.#looked = isInside ? { at: found.at, id: found.id } : null;
      return read(sql, text.rows, {
        at: start.at,
        id: start.id,
        lastAt: last.at,
        lastId: last.id,
        ...params,
      });
    });
    const wanted = Math.round((size * LARGEST_YIELD) / Math.max(1, this.#pending.length));
    this.#size = Math.min(LARGEST_WINDOW, size * GROWTH, Math.max(FIRST_WINDOW, wanted));
    await nextTurn();
  }
}

/** The next of several walks' rows; `later` where the time was up before it was found, null where nothing is left. */
export async function nextOf(
  walks: readonly Walk[],
  order: ListOrder,
  endsAt = Infinity,
): Promise<Walk | 'later' | null> {
  for (;;) {
    const unknown = walks.filter((walk) => walk.next === undefined && !walk.isOver);
    if (unknown.length === 0) break;
    for (const walk of unknown) await walk.look();
    if (performance.now() >= endsAt && walks.some((walk) => walk.next === undefined && !walk.isOver))
      return 'later';
  }
  const sign = order === 'oldest' ? 1 : -1;
  let first: Walk | null = null;
  for (const walk of walks) {
    const at = walk.next?.at;
    if (at === undefined) continue;
    const best = first?.next?.at;
    if (best === undefined || (at - best) * sign < 0) first = walk;
  }
  return first;
}
