import type { ListOrder, ListRow } from '../../core/ports/ledgerReports.ts';

/** Rows examined in the first window: about one screen. */
const FIRST_WINDOW = 50;
const GROWTH = 16;
/** Largest window: bounds each read transaction and each turn of the event loop. */
export const LARGEST_WINDOW = 10_000;
/** Most rows that one window may return: each costs as much as ten rows that are skipped. */
const LARGEST_YIELD = 1_000;

/** A row's position in the order of creation. */
export interface Position {
  readonly at: number;
  readonly id: number;
}

export interface Listed extends Position {
  /** Absolute. */
  readonly folder: string;
  readonly row: ListRow;
}

/** One read by an adapter: among the `size` rows after `start`, but not beyond `end`, those that pass the filter. */
export interface WindowWanted {
  readonly order: ListOrder;
  readonly start: Position;
  readonly size: number;
  /** The first time outside the wanted range, in this order. */
  readonly stop: number;
  readonly end: Position;
}

export interface Window {
  readonly rows: Listed[];
  /** The last row examined; null if no rows are left. */
  readonly looked: Position | null;
}

export type ReadWindow = (wanted: WindowWanted) => Promise<Window>;

export interface WalkOptions {
  readonly order: ListOrder;
  /** Starts after this position. */
  readonly from: Position;
  readonly stop: number;
  readonly read: ReadWindow;
  /** How many rows are wanted; left out: all. */
  readonly limit?: number | undefined;
  /** Filters rows right after they are read, so that several walks can search for their next row at the same time. */
  readonly isMeant: (row: ListRow) => boolean;
}

/** Whether the end of a window, if one was found, comes before the end of the walk. */
export function isInside(found: Position | undefined, { order, stop }: WindowWanted): found is Position {
  return found !== undefined && (order === 'oldest' ? found.at < stop : found.at > stop);
}

/** The last position before `stop`. */
export function endOf(order: ListOrder, stop: number): Position {
  return order === 'oldest'
    ? { at: stop - 1, id: Number.MAX_SAFE_INTEGER }
    : { at: stop + 1, id: Number.MIN_SAFE_INTEGER };
}

/** Walks along an index by creation time, window by window. */
export class Walk {
  readonly #options: WalkOptions;
  #pending: Listed[] = [];
  /** Where the last window ended; null if no rows are left. */
  #looked: Position | null;
  #taken: Position;
  #size: number;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#looked = options.from;
    this.#taken = options.from;
    this.#size = Math.max(FIRST_WINDOW, options.limit ?? 0);
  }

  /** The next row, if it has been read. */
  get next(): Listed | undefined {
    return this.#pending[0];
  }

  get isOver(): boolean {
    return this.#pending.length === 0 && this.#looked === null;
  }

  /** Where another walk would continue; null if no rows are left. */
  get position(): Position | null {
    return this.#pending.length > 0 ? this.#taken : this.#looked;
  }

  /**
   * Everything before this time was examined; null if no rows are left. Differs from `position`, which is the start of
   * the walk until a row is taken, and may not be a real time then.
   */
  get lookedUntil(): number | null {
    return (this.next ?? this.#looked)?.at ?? null;
  }

  take(): void {
    this.#taken = this.#pending.shift() ?? this.#taken;
  }

  /** Reads one window, unless a row is pending. */
  async look(): Promise<void> {
    const { order, stop, read, isMeant } = this.#options;
    const start = this.#looked;
    if (start === null || this.#pending.length > 0) return;
    const size = this.#size;
    const { rows, looked } = await read({ order, start, size, stop, end: endOf(order, stop) });
    this.#pending = rows.filter(({ row }) => isMeant(row));
    this.#looked = looked;
    const wanted = Math.round((size * LARGEST_YIELD) / Math.max(1, rows.length));
    this.#size = Math.min(LARGEST_WINDOW, size * GROWTH, Math.max(FIRST_WINDOW, wanted));
  }
}

/** The walk with the next row; `later` if time ran out before one was found, null if no rows are left. */
export async function nextOf(
  walks: readonly Walk[],
  order: ListOrder,
  isUp = () => false,
): Promise<Walk | 'later' | null> {
  const isUnknown = (walk: Walk): boolean => walk.next === undefined && !walk.isOver;
  // Each walk at its own pace: the next row of every walk is needed, however far away it is.
  await Promise.all(
    walks.map(async (walk) => {
      for (let isFirst = true; isUnknown(walk) && (isFirst || !isUp()); isFirst = false) await walk.look();
    }),
  );
  if (walks.some(isUnknown)) return 'later';
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
