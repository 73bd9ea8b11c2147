/** Long enough for a pace of a few documents a minute. */
const WINDOW_MS = 5 * 60_000;
const LEAST_MS = 1_000;
const LEVELS = '▁▂▃▄▅▆▇█';

interface Look {
  readonly at: number;
  readonly accepted: number;
}

/** What the number of accepted documents, checked again and again, says of the pace. Monotonic milliseconds. */
export class Throughput {
  #looks: Look[] = [];

  /** `accepted` may be less than before: a document is sent again on purpose, or the ledger is another one. */
  add(at: number, accepted: number): void {
    const last = this.#looks.at(-1);
    if (last && accepted < last.accepted) this.#looks = [];
    this.#looks.push({ at, accepted });
    // One from before the window, so that all of it is covered.
    while ((this.#looks[1]?.at ?? at) <= at - WINDOW_MS) this.#looks.shift();
  }

  /** Over the last five minutes, or since the first look; null while that says nothing yet. */
  perMinute(): number | null {
    const [first] = this.#looks;
    const last = this.#looks.at(-1);
    if (!first || !last || last.at - first.at < LEAST_MS) return null;
    return ((last.accepted - first.accepted) * 60_000) / (last.at - first.at);
  }

  /** Milliseconds until so many documents are sent at this pace; null where that can't be told. */
  forecast(waiting: number): number | null {
    const perMinute = this.perMinute();
    return perMinute === null || perMinute === 0 ? null : (waiting * 60_000) / perMinute;
  }

  /** A bar for each of the last looks, `width` at most; the highest is the quickest of them. */
  bars(width: number): string {
    const looks = this.#looks.slice(-width - 1);
    const paces = looks.slice(1).map(({ at, accepted }, index) => {
      const before = looks[index] as Look;
      return (accepted - before.accepted) / Math.max(1, at - before.at);
    });
    const most = Math.max(...paces);
    return paces.map((pace) => LEVELS[level(pace, most)]).join('');
  }
}

function level(pace: number, most: number): number {
  return most === 0 ? 0 : Math.ceil((pace / most) * (LEVELS.length - 1));
}
