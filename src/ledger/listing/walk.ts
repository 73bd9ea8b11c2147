import type { ListOrder, ListRow } from '../../core/ports/ledgerReports.ts';

/** Rows that are looked at in the first read: a screen of them. */
const FIRST_WINDOW = 50;
const GROWTH = 16;
/** And in any: no read transaction, and no turn of the event loop, lasts longer. */
export const LARGEST_WINDOW = 10_000;
/** So many rows may come of one: each costs as much as ten that are passed over. */
const LARGEST_YIELD = 1_000;

/** A row's place in the order of creation. */
export interface Position {
  readonly at: number;
  readonly id: number;
}

export interface Listed extends Position {
  /** Absolute. */
  readonly folder: string;
  readonly row: ListRow;
}

/** What an adapter reads at once: of the `size` rows behind `start`, up to `end` at most, those that the filter lets pass. */
export interface WindowWanted {
  readonly order: ListOrder;
  readonly start: Position;
  readonly size: number;
  /** The first time that is not wanted any more, in this order. */
  readonly stop: number;
  readonly end: Position;
}

export interface Window {
  readonly rows: Listed[];
  /** The last row that was looked at; null: nothing is left behind it. */
  readonly looked: Position | null;
}

export type ReadWindow = (wanted: WindowWanted) => Promise<Window>;

export interface WalkOptions {
  readonly order: ListOrder;
  /** Begins behind it. */
  readonly from: Position;
  readonly stop: number;
  readonly read: ReadWindow;
  /** Decides about what was read. As soon as it is read: several walks can look for their next rows at the same time. */
  readonly isMeant: (row: ListRow) => boolean;
}

/** Whether the end of a window, where one was found, lies before the walk's own. */
export function isInside(found: Position | undefined, { order, stop }: WindowWanted): found is Position {
  return found !== undefined && (order === 'oldest' ? found.at < stop : found.at > stop);
}

/** The last place before the first time that is not wanted. */
export function endOf(order: ListOrder, stop: number): Position {
  return order === 'oldest'
    ? { at: stop - 1, id: Number.MAX_SAFE_INTEGER }
    : { at: stop + 1, id: Number.MIN_SAFE_INTEGER };
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

  /**
   * Everything before this time was looked at; null where nothing is left. Not that of `position`: while no row has been
   * taken, that is where the walk began, and may be no time at all.
   */
  get lookedUntil(): number | null {
    return (this.next ?? this.#looked)?.at ?? null;
  }

  take(): void {
    this.#taken = this.#pending.shift() ?? this.#taken;
  }

  /** Reads one window, where nothing is known. */
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

/** The next of several walks' rows; `later` where the time was up before it was found, null where nothing is left. */
export async function nextOf(
  walks: readonly Walk[],
  order: ListOrder,
  isUp = () => false,
): Promise<Walk | 'later' | null> {
  const isUnknown = (walk: Walk): boolean => walk.next === undefined && !walk.isOver;
  // Each at its own pace: a walk's next row is needed, however far away it is.
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
