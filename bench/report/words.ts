import type { Figure } from '../scenario.ts';
import type { Entry, Machine } from './history.ts';

const BIG = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** `1.62 ×`, `20,000`, `3.4 ms`. */
export function amount(value: number, unit: Figure['unit']): string {
  const text = (Math.abs(value) >= 1_000 || unit === 'count' ? BIG : SMALL).format(value);
  if (unit === 'count') return text;
  return `${text} ${unit === 'ratio' ? '×' : unit}`;
}

/** The target of a figure; empty without one. */
export function aim({ target, unit, better }: Figure): string {
  if (target === undefined) return '';
  return `${better === 'more' ? 'at least' : 'at most'} ${amount(target, unit)}`;
}

/** Whether the target was reached; empty without one. */
export function verdict({ value, target, better }: Figure): string {
  if (target === undefined) return '';
  if (better === 'more' ? value >= target : value <= target) return 'reached';
  if (target === 0) return 'not reached';
  const share = value / target;
  if (share >= 2) return `not reached, ${SMALL.format(share)} times the target`;
  return `not reached, ${percent(Math.abs(share - 1))} ${better === 'more' ? 'below' : 'above'}`;
}

/** Formats a share as `+12 %`. */
export function percent(share: number, sign: 'auto' | 'exceptZero' = 'auto'): string {
  const digits = { maximumSignificantDigits: 2, signDisplay: sign } as const;
  return `${new Intl.NumberFormat('en', digits).format(share * 100)} %`;
}

/** A note as a sentence. */
export function remark({ note = '' }: Figure): string {
  return note === '' ? '' : `${note.charAt(0).toUpperCase()}${note.slice(1).replace(/\.$/, '')}.`;
}

/** `21 November 2026, commit d53e6cc with changes`. */
export function occasion({ date, commit, dirty }: Pick<Entry, 'date' | 'commit' | 'dirty'>): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date));
  if (commit === null) return day;
  return `${day}, commit ${short(commit)}${dirty ? ' with changes' : ''}`;
}

export function place({ processor, processors, memoryGB, kernel, node }: Machine): string {
  return `${processors} × ${processor}, ${memoryGB} GB of memory, ${kernel}, Node ${node}`;
}

export const short = (commit: string): string => commit.slice(0, 7);
