import type { Json } from '../../core/ports/journal.ts';
import type { ParsedLine } from './line.ts';

type Range = [from: number, to: number];

/** Tracks which personal data exist, which were erased, and whether the `erased` entries agree. */
export class PersonalData {
  readonly #erased: Range[] = [];
  /** May span entries that never had personal data, so that a journal without erasures is one range. */
  readonly #kept: Range[] = [];
  readonly #accounted: Range[] = [];
  #erasedCount = 0;
  #keptIsOpen = false;

  get erased(): number {
    return this.#erasedCount;
  }

  /** Numbers must rise from call to call. */
  met(seq: number, personal: ParsedLine['personal']): void {
    if (personal === 'kept') {
      const open = this.#keptIsOpen ? this.#kept.at(-1) : undefined;
      if (open) open[1] = seq;
      else this.#kept.push([seq, seq]);
      this.#keptIsOpen = true;
    } else if (personal === 'erased') {
      this.#erasedCount += 1;
      this.#keptIsOpen = false;
      const last = this.#erased.at(-1);
      if (last && last[1] === seq - 1) last[1] = seq;
      else this.#erased.push([seq, seq]);
    }
  }

  /** Entry `seq` claims to account for `ranges`; it can do so only for earlier entries. */
  accounted(seq: number, ranges: Json | undefined): void {
    if (!isArray(ranges)) return;
    for (const range of ranges) {
      if (!isArray(range)) continue;
      const [from, to] = range;
      if (typeof from === 'number' && typeof to === 'number' && from <= to && from < seq) {
        this.#accounted.push([from, Math.min(to, seq - 1)]);
      }
    }
  }

  /** An entry of another agent's chain accounts for these. */
  accountedElsewhere(from: number, to: number): void {
    this.#accounted.push([from, to]);
  }

  *findings(): Generator<string, void> {
    const accounted = joined(this.#accounted);
    for (const range of without(this.#erased, accounted)) {
      yield `The personal data of ${named(range)} is blank, but no later entry records an erasure.`;
    }
    for (const range of common(this.#kept, accounted)) {
      yield `The personal data of ${named(range)} is still there, although a later entry records its erasure.`;
    }
  }
}

function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function named([from, to]: Range): string {
  return from === to ? `entry ${from}` : `entries ${from} to ${to}`;
}

/** Sorted, with overlapping and adjacent ranges merged. */
function joined(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** The parts of `ranges` that none of `others` covers; both sorted. */
function* without(ranges: readonly Range[], others: readonly Range[]): Generator<Range, void> {
  let next = 0;
  for (const [from, to] of ranges) {
    let start = from;
    while (others[next] && (others[next]?.[1] ?? 0) < start) next += 1;
    for (let at = next; start <= to; at += 1) {
      const [coveredFrom, coveredTo] = others[at] ?? [Infinity, Infinity];
      if (coveredFrom > start) yield [start, Math.min(to, coveredFrom - 1)];
      start = Math.max(start, coveredTo + 1);
    }
  }
}

/** The parts of `ranges` that one of `others` covers; both sorted. */
function* common(ranges: readonly Range[], others: readonly Range[]): Generator<Range, void> {
  let next = 0;
  for (const [from, to] of ranges) {
    while (others[next] && (others[next]?.[1] ?? 0) < from) next += 1;
    for (let at = next; ; at += 1) {
      const other = others[at];
      if (!other || other[0] > to) break;
      yield [Math.max(from, other[0]), Math.min(to, other[1])];
    }
  }
}
