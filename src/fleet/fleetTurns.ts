import type { Document } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { ENTERED_FOR_MS } from '../core/domain/limits.ts';
import type { Clock, Random } from '../core/ports/clock.ts';
import type { FleetLimits, LedgerFleet } from '../core/ports/fleet.ts';
import type { SharedTurns } from '../delivery/sharedTurns.ts';

export interface FleetTurnsDeps {
  readonly fleet: Pick<LedgerFleet, 'enter' | 'isLeased' | 'isPaused'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** A request with a longer wait gives up its turn and is sent another time. */
const WAIT_AT_MOST_MS = 10_000;
const MOST_SPREAD_MS = 1_000;

/** The windows that the agents of a fleet share, and this agent's lease. */
export class FleetTurns implements SharedTurns {
  readonly hasOthers = true;
  readonly #deps: FleetTurnsDeps;

  constructor(deps: FleetTurnsDeps) {
    this.#deps = deps;
  }

  get isPaused(): boolean {
    return this.#deps.fleet.isPaused();
  }

  isLeased(attemptId?: number): boolean {
    return this.#deps.fleet.isLeased(attemptId);
  }

  takesTurns({ rate, perDay, perMonth }: FleetLimits): boolean {
    return rate !== null || perDay !== null || perMonth !== null;
  }

  async take(document: Document, limits: FleetLimits): Promise<number> {
    const waitMs = await this.#enter(document, limits);
    if (waitMs === 0) return 0;
    // Random delay, so that agents waiting for the same limit ask one after the other. A tenth of the window costs little and
    // spreads them well.
    const windowMs = limits.rate?.intervalMs ?? Infinity;
    return waitMs + this.#deps.random() * Math.min(MOST_SPREAD_MS, windowMs / 10);
  }

  /** If recording took long, others may have filled the window since: takes another turn then. */
  async keeps(
    document: Document,
    limits: FleetLimits,
    askedAt: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock } = this.#deps;
    if (limits.rate === null) return true;
    const until = clock.monotonic() + WAIT_AT_MOST_MS;
    try {
      for (let at = askedAt; clock.monotonic() - at > ENTERED_FOR_MS;) {
        at = clock.monotonic();
        const waitMs = await this.#enter(document, limits);
        if (waitMs === 0) continue;
        if (clock.monotonic() + waitMs > until) return false;
        await clock.sleep(waitMs, signal);
        at = -Infinity;
      }
      return !signal.aborted;
    } catch (error) {
      if (signal.aborted || error instanceof ReceiptdError) return false;
      throw error;
    }
  }

  async #enter({ endpoint, lane }: Document, limits: FleetLimits): Promise<number> {
    if (!this.takesTurns(limits)) return 0;
    return this.#deps.fleet.enter(endpoint, limits, lane);
  }
}
