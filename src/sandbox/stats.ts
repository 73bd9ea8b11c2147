import type { ServiceRoute } from './target.ts';
import type { SandboxClock } from './clock.ts';

/** A status code, or what happened instead of an answer. `aborted`: the client went away first. */
export type UploadEnding = number | 'cut' | 'stalled' | 'aborted';

export interface SandboxStats {
  /** Count by route, then by status code or ending, since the start. */
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Distinct documents stored, including earlier runs, as for the next three. */
  readonly stored: number;
  /** Repeated uploads of a name. */
  readonly repeats: number;
  readonly repeatsWithOtherBytes: number;
  /** Uploads that count towards the plan's quota. */
  readonly quotaUsed: number;
  readonly uploadsInFlight: number;
  /** Most concurrent uploads since the start, each counted from the arrival of its head until just before its answer. */
  readonly maxConcurrentUploads: number;
  readonly maxConcurrentUploadsByEndpoint: Readonly<Record<string, number>>;
  /** Monotonic milliseconds of the last 10,000 upload requests, including refused and faulty ones; oldest first. */
  readonly uploadArrivals: readonly number[];
}

const ARRIVALS = 10_000;

/** Counts requests. Memory is bounded: a ring buffer of arrivals, and one counter per route, status and endpoint. */
export class SandboxMeter {
  readonly #clock: SandboxClock;
  readonly #requests: Record<string, Record<string, number>> = {};
  readonly #arrivals: { at: number; endpointUid: string | null }[] = [];
  #oldest = 0;
  #most = 0;
  #inFlight = 0;
  readonly #byEndpoint = new Map<string, { now: number; most: number }>();

  constructor(clock: SandboxClock) {
    this.#clock = clock;
  }

  count(route: ServiceRoute | 'other', ending: UploadEnding): void {
    const of = (this.#requests[route] ??= {});
    of[ending] = (of[ending] ?? 0) + 1;
  }

  /** `endpointUid` is null for an unknown endpoint. @returns the function to call when the upload is over */
  uploadArrived(endpointUid: string | null): () => void {
    const arrival = { at: this.#clock.monotonic(), endpointUid };
    if (this.#arrivals.length < ARRIVALS) this.#arrivals.push(arrival);
    else {
      this.#arrivals[this.#oldest] = arrival;
      this.#oldest = (this.#oldest + 1) % ARRIVALS;
    }
    this.#inFlight += 1;
    this.#most = Math.max(this.#most, this.#inFlight);
    const endpoint = endpointUid === null ? null : (this.#byEndpoint.get(endpointUid) ?? { now: 0, most: 0 });
    if (endpointUid !== null && endpoint !== null) {
      endpoint.now += 1;
      endpoint.most = Math.max(endpoint.most, endpoint.now);
      this.#byEndpoint.set(endpointUid, endpoint);
    }
    return () => {
      this.#inFlight -= 1;
      if (endpoint !== null) endpoint.now -= 1;
    };
  }

  arrivals(endpointUid?: string): number[] {
    return [...this.#arrivals.slice(this.#oldest), ...this.#arrivals.slice(0, this.#oldest)]
      .filter((arrival) => endpointUid === undefined || arrival.endpointUid === endpointUid)
      .map((arrival) => arrival.at);
  }

  report(): Omit<SandboxStats, 'stored' | 'repeats' | 'repeatsWithOtherBytes' | 'quotaUsed'> {
    return {
      requests: structuredClone(this.#requests),
      uploadsInFlight: this.#inFlight,
      maxConcurrentUploads: this.#most,
      maxConcurrentUploadsByEndpoint: Object.fromEntries(
        [...this.#byEndpoint].map(([uid, endpoint]) => [uid, endpoint.most]),
      ),
      uploadArrivals: this.arrivals(),
    };
  }
}
