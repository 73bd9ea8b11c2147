/** Long enough to measure a few documents a minute. */
const WINDOW_MS = 5 * 60_000;
const LEAST_MS = 1_000;
const LEVELS = '▁▂▃▄▅▆▇█';

interface Sample {
  readonly at: number;
  readonly accepted: number;
}

/** Pace derived from repeated counts of accepted documents. Times are monotonic milliseconds. */
export class Throughput {
  #looks: Sample[] = [];

  /** A lower `accepted` starts over: a document is being sent again on purpose, or the ledger was replaced. */
  add(at: number, accepted: number): void {
    const last = this.#looks.at(-1);
    if (last && accepted < last.accepted) this.#looks = [];
    this.#looks.push({ at, accepted });
    // Keep one sample from before the window, to cover all of it.
    while ((this.#looks[1]?.at ?? at) <= at - WINDOW_MS) this.#looks.shift();
  }

  /** Pace over the last five minutes, or since the first sample; null while too little time has passed. */
  perMinute(): number | null {
    const [first] = this.#looks;
    const last = this.#looks.at(-1);
    if (!first || !last || last.at - first.at < LEAST_MS) return null;
    return ((last.accepted - first.accepted) * 60_000) / (last.at - first.at);
  }

  /** Milliseconds to send `waiting` documents at this pace; null without a pace. */
  forecast(waiting: number): number | null {
    const perMinute = this.perMinute();
    return perMinute === null || perMinute === 0 ? null : (waiting * 60_000) / perMinute;
  }

  /** A bar chart of the last intervals, at most `width`, scaled to the fastest. */
  bars(width: number): string {
    const looks = this.#looks.slice(-width - 1);
    const paces = looks.slice(1).map(({ at, accepted }, index) => {
      const before = looks[index] as Sample;
      return (accepted - before.accepted) / Math.max(1, at - before.at);
    });
    const most = Math.max(...paces);
    return paces.map((pace) => LEVELS[level(pace, most)]).join('');
  }
}

function level(pace: number, most: number): number {
  return most === 0 ? 0 : Math.ceil((pace / most) * (LEVELS.length - 1));
}
