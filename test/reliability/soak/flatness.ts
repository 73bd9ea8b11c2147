import type { Sample } from './samples.ts';

/** One figure over the life of an agent, by quarters after the warm-up. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  /** Medians, or lower quartiles if the figure follows the load: a leak shows even when little goes on. */
  readonly first: number;
  readonly last: number;
  /** Theil-Sen slope, in units per minute. */
  readonly slope: number;
  /** The tolerance, as text. */
  readonly allowed: string;
  readonly flat: boolean;
}

interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly of: (sample: Sample) => number | null;
  /** Whether the figure follows the load. */
  readonly floor?: boolean;
  /** Upper limit of a figure that may grow. */
  readonly most?: number;
  /** Tolerated growth from first to last quarter: a share of the first, or an amount, whichever is greater. */
  readonly share?: number;
  readonly more?: number;
  /** Earlier samples for which this is false count as warm-up too. */
  readonly since?: (sample: Sample) => boolean;
}

const MB = 1e6;
/** Warm-up, in which buffers and compiled code fill up, as a share of a life and at most in seconds. */
const WARM_UP_SHARE = 0.2;
const WARM_UP_MOST_S = 180;
/** SQLite's page cache grows with the ledger up to this size (src/ledger/sqlite/engine.ts). */
const LEDGER_CACHE_BYTES = 16e6;
/** Minimum number of samples for a verdict, and maximum number of points for a slope. */
const FEWEST = 40;
const SLOPE_POINTS = 300;

const perAccepted = (of: (sample: Sample) => number) => (sample: Sample) =>
  sample.accepted === 0 ? null : of(sample) / sample.accepted;

const FIGURES: readonly Figure[] = [
  {
    what: 'resident memory',
    unit: 'MB',
    of: ({ rss }) => rss / MB,
    share: 0.1,
    more: 10,
    since: ({ ledger }) => ledger >= LEDGER_CACHE_BYTES,
  },
  {
    what: 'heap after a full collection',
    unit: 'MB',
    of: ({ inside }) => (inside && inside.heapLive > 0 ? inside.heapLive / MB : null),
    share: 0.1,
    more: 4,
  },
  {
    what: 'memory outside the heap',
    unit: 'MB',
    of: ({ inside }) => (inside ? inside.external / MB : null),
    share: 0.25,
    more: 6,
  },
  {
    what: 'files open',
    floor: true,
    unit: '',
    of: ({ fds }) => (fds['file'] ?? 0) + (fds['other'] ?? 0),
    share: 0,
    more: 3,
  },
  { what: 'sockets', floor: true, unit: '', of: ({ fds }) => fds['socket'] ?? 0, share: 0, more: 5 },
  { what: 'pipes', unit: '', of: ({ fds }) => fds['pipe'] ?? 0, share: 0, more: 1 },
  { what: 'threads', unit: '', of: ({ threads }) => threads, share: 0, more: 1 },
  { what: 'handles and timers', floor: true, unit: '', of: handles, share: 0.1, more: 6 },
  {
    what: 'watches beyond directories',
    floor: true,
    unit: '',
    of: ({ watches, dirs }) => watches - dirs,
    share: 0,
    more: 3,
  },
  { what: 'answer to status', floor: true, unit: 'ms', of: ({ statusMs }) => statusMs, share: 0.5, more: 15 },
  {
    what: 'ledger for each accepted',
    unit: 'B',
    of: perAccepted(({ ledger }) => ledger),
    share: 0.1,
    more: 0,
  },
  {
    what: 'journal for each accepted',
    unit: 'B',
    of: perAccepted(({ journal }) => journal),
    share: 0.1,
    more: 0,
  },
  { what: 'write-ahead log', unit: 'MB', of: ({ wal }) => wal / MB, most: 70 },
  { what: 'log files', unit: 'MB', of: ({ logs }) => logs / MB, most: 5 },
  { what: 'files in the state directory', unit: '', of: ({ state }) => state, share: 0, more: 1 },
];

/** Judges each figure of a life. Null if there are too few samples. */
export function flatness(samples: readonly Sample[]): Row[] | null {
  const settled = afterWarmUp(samples);
  if (settled.length < FEWEST) return null;
  return [...FIGURES.flatMap((figure) => judge(figure, settled) ?? []), cpu(settled)];
}

export function afterWarmUp(samples: readonly Sample[]): readonly Sample[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) return [];
  const begin = first.at + Math.min(WARM_UP_MOST_S, (last.at - first.at) * WARM_UP_SHARE);
  return samples.filter(({ at }) => at >= begin);
}

function judge(
  { what, unit, of, floor = false, most, share = 0, more = 0, since }: Figure,
  settled: readonly Sample[],
): Row | null {
  const later = since ? settled.filter(since) : settled;
  // A short life may end before that.
  const samples = later.length >= FEWEST ? later : settled;
  const points = samples.flatMap((sample) => {
    const value = of(sample);
    return value === null ? [] : [{ at: sample.at / 60, value }];
  });
  if (points.length < FEWEST / 2) return null;
  const typical = (which: 0 | 3): number =>
    quantile(
      quarter(points, which).map(({ value }) => value),
      floor ? 0.25 : 0.5,
    );
  const [first, last] = [typical(0), typical(3)];
  const slope = slopeOf(points);
  if (most !== undefined) {
    const highest = Math.max(...points.map(({ value }) => value));
    const bound = `${most} ${unit} at most`;
    return { what, unit, first, last, slope, allowed: bound, flat: highest <= most };
  }
  const allowed = Math.max(Math.abs(first) * share, more);
  const words = [...(share > 0 ? [`${share * 100} %`] : []), ...(more > 0 ? [`${more} ${unit}`.trim()] : [])];
  return {
    what,
    unit,
    first,
    last,
    slope,
    allowed: `+ ${words.join(' or ')}`,
    flat: last - first <= allowed,
  };
}

/** CPU time per image must not increase as the ledger grows. */
function cpu(samples: readonly Sample[]): Row {
  const cost = (part: readonly Sample[]): number => {
    const [from, to] = [part[0], part.at(-1)];
    if (!from || !to || to.accepted === from.accepted) return 0;
    return ((to.cpuSeconds - from.cpuSeconds) * 1_000) / (to.accepted - from.accepted);
  };
  const [first, last] = [cost(quarter(samples, 0)), cost(quarter(samples, 3))];
  const minutes = ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / 60;
  return {
    what: 'processor for each accepted',
    unit: 'ms',
    first,
    last,
    slope: minutes === 0 ? 0 : (last - first) / (minutes * 0.75),
    allowed: '+ 50 % or 5 ms',
    flat: last - first <= Math.max(first * 0.5, 5),
  };
}

/** Short-lived resources of a single request. */
const PASSING = /^(FSReq|Immediate|CloseReq|TCPSocketWrap|TCPConnectWrap|WriteWrap|ShutdownWrap)/;

/** Excludes one handle for each watched directory, since these come and go legitimately. */
function handles({ inside, dirs }: Sample): number | null {
  if (!inside) return null;
  const lasting = Object.entries(inside.resources).filter(([type]) => !PASSING.test(type));
  return lasting.reduce((sum, [, count]) => sum + count, 0) - dirs;
}

function quarter<T>(list: readonly T[], which: 0 | 1 | 2 | 3): readonly T[] {
  const at = (share: number): number => Math.floor((list.length * share) / 4);
  return list.slice(at(which), at(which + 1));
}

/** The median slope of all pairs, which is robust against outliers. */
export function slopeOf(points: readonly { readonly at: number; readonly value: number }[]): number {
  const step = Math.max(1, Math.ceil(points.length / SLOPE_POINTS));
  const some = points.filter((_, index) => index % step === 0);
  const slopes: number[] = [];
  for (const [index, a] of some.entries()) {
    for (const b of some.slice(index + 1)) if (b.at > a.at) slopes.push((b.value - a.value) / (b.at - a.at));
  }
  return quantile(slopes, 0.5);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

export function tableOf(rows: readonly Row[]): string {
  const number = (value: number): string => value.toFixed(Math.abs(value) < 100 ? 1 : 0);
  const lines = rows.map(({ what, unit, first, last, slope, allowed, flat }) =>
    [
      what.padEnd(30),
      `${number(first)} ${unit}`.padStart(12),
      `${number(last)} ${unit}`.padStart(12),
      `${slope >= 0 ? '+' : ''}${slope.toFixed(2)}/min`.padStart(14),
      allowed.padStart(20),
      flat ? '  flat' : '  GROWS',
    ].join(''),
  );
  const head = ['', 'first quarter', 'last quarter', 'slope', 'allowed', ''];
  return [
    `${head[0]!.padEnd(29)}${head[1]!.padStart(14)}${head[2]!.padStart(13)}${head[3]!.padStart(12)}${head[4]!.padStart(20)}`,
    ...lines,
  ].join('\n');
}
