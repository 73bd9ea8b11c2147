import { ReceiptdError } from './errors.ts';

/** At most `count` in any window of `intervalMs` milliseconds. `null` means unlimited. */
export interface Rate {
  readonly count: number;
  readonly intervalMs: number;
}

export type RateUnit = 's' | 'min' | 'h';

const INTERVALS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };

/** The grammar of a rate, unlimited included; also the pattern in the config file's JSON Schema. */
export const RATE_PATTERN = /^(?:unlimited|([1-9]\d{0,6})(?:\/(s|min|h))?)$/;

/** `bare`: the unit of a number alone. @throws ReceiptdError CONFIG_INVALID */
export function parseRate(text: string, bare: RateUnit): Rate | null {
  const match = RATE_PATTERN.exec(text);
  if (match === null) {
    throw new ReceiptdError('CONFIG_INVALID.rate', { given: text.slice(0, 60) });
  }
  const [, count, unit = bare] = match;
  return count === undefined ? null : { count: Number(count), intervalMs: INTERVALS[unit] ?? 0 };
}

/** The text that `parseRate` reads as this rate. */
export function rateText(rate: Rate | null): string {
  if (rate === null) return 'unlimited';
  const unit = Object.keys(INTERVALS).find((each) => INTERVALS[each] === rate.intervalMs);
  return `${rate.count}/${unit ?? `${rate.intervalMs}ms`}`;
}
