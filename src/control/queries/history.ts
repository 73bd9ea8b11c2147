import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AttemptOutcome } from '../../core/domain/document.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerReports, UploadRow } from '../../core/ports/ledgerReports.ts';
import type { HistoryBucket } from '../protocol/documents.ts';

const MINUTE_MS = 60_000;
/** Cap on the buckets of a chart. */
const MOST_BUCKETS = 120;
/** Age at which a bucket is final and can be cached: its requests have ended or were abandoned. */
const SETTLED_MS = 10 * MINUTE_MS;
/** Period that the pace is averaged over: long enough for a pace of a few documents per minute. */
const PACE_MINUTES = 5;

type UploadsOfDay = Pick<LedgerReports, 'uploads' | 'countAccepted'>;

/** Upload requests over time, by start time. Buckets that can't change any more are read once. */
export class History {
  readonly #ledger: UploadsOfDay;
  readonly #clock: Clock;
  /** By bucket length, then by start; both in milliseconds. */
  readonly #settled = new Map<number, Map<number, HistoryBucket>>();

  constructor(ledger: UploadsOfDay, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** The last minutes, oldest first and without gaps; the newest bucket is incomplete. */
  async last(minutes: number): Promise<{ everyMs: number; buckets: HistoryBucket[] }> {
    const everyMs = Math.ceil(minutes / MOST_BUCKETS) * MINUTE_MS;
    const now = this.#clock.now();
    const newest = Math.floor(now / everyMs) * everyMs;
    const count = Math.ceil((minutes * MINUTE_MS) / everyMs);
    const known = this.#settled.get(everyMs) ?? new Map<number, HistoryBucket>();
    this.#settled.set(everyMs, known);
    const oldest = newest - (count - 1) * everyMs;
    for (const at of known.keys()) if (at < oldest) known.delete(at);
    const buckets: HistoryBucket[] = [];
    for (let at = oldest; at <= newest; at += everyMs) {
      const bucket = known.get(at) ?? bucketOf(at, await this.#uploads(at, at + everyMs));
      if (at + everyMs + SETTLED_MS <= now) known.set(at, bucket);
      buckets.push(bucket);
    }
    return { everyMs, buckets };
  }

  /** Documents accepted per minute, averaged over the last PACE_MINUTES. */
  async perMinute(): Promise<number> {
    const now = this.#clock.now();
    return (await this.#ledger.countAccepted(now - PACE_MINUTES * MINUTE_MS, now + 1)) / PACE_MINUTES;
  }

  /** Reads a minute at a time, so that a busy day does not block the event loop. */
  async #uploads(from: number, to: number): Promise<UploadRow[]> {
    const all: UploadRow[] = [];
    for (let at = from; at < to; at += MINUTE_MS) {
      for (const upload of await this.#ledger.uploads(at, at + MINUTE_MS)) all.push(upload);
      await nextTurn();
    }
    return all;
  }
}

function bucketOf(at: number, uploads: readonly UploadRow[]): HistoryBucket {
  const ended = uploads.filter(({ outcome }) => outcome !== null && outcome !== 'notSent');
  const accepted = ended.filter(({ outcome }) => outcome === 'accepted');
  const times = accepted
    .map(({ startedAt, finishedAt }) => Math.max(0, (finishedAt ?? startedAt) - startedAt))
    .sort((a, b) => a - b);
  const countOf = (wanted: AttemptOutcome) => ended.filter(({ outcome }) => outcome === wanted).length;
  const [refused, limited] = [countOf('refused'), countOf('limited')];
  return {
    at: new Date(at).toISOString(),
    accepted: accepted.length,
    requests: ended.length,
    refused,
    limited,
    trouble: ended.length - accepted.length - refused - limited,
    bytes: accepted.reduce((sum, { bytes }) => sum + bytes, 0),
    medianMs: quantile(times, 0.5),
    slowestMs: quantile(times, 0.95),
  };
}

/** Nearest-rank quantile of sorted values; null if there are none. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
