import type { Document } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { ENTERED_FOR_MS } from '../../core/domain/limits.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { FleetLimits, LedgerFleet } from '../../core/ports/fleet.ts';

export interface FleetRateDeps {
  readonly ledger: { readonly fleet: Pick<LedgerFleet, 'enter'> | null };
  readonly limits: FleetLimits;
  readonly clock: Clock;
}

/** A request that would have to wait longer for its place leaves another time. */
const WAIT_AT_MOST_MS = 10_000;
const MOST_SPREAD_MS = 1_000;

/** For how long the fleet's limits keep the request from leaving; 0 once it counts among those that leave. */
export async function enter(
  { endpoint, lane }: Document,
  { ledger, limits }: FleetRateDeps,
): Promise<number> {
  const { rate, perDay, perMonth } = limits;
  if (ledger.fleet === null || (rate === null && perDay === null && perMonth === null)) return 0;
  return ledger.fleet.enter(endpoint, limits, lane);
}

/**
 * Right before it leaves: whether a request still has the place for which it asked at `askedAt` (monotonic). Where recording it took
 * long, others may have filled the window since; then it takes another place. False: it is not to leave now.
 */
export async function keepsItsTurn(
  document: Document,
  askedAt: number,
  deps: FleetRateDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, ledger, limits } = deps;
  if (ledger.fleet === null || limits.rate === null) return true;
  const until = clock.monotonic() + WAIT_AT_MOST_MS;
  try {
    for (let at = askedAt; clock.monotonic() - at > ENTERED_FOR_MS;) {
      at = clock.monotonic();
      const waitMs = await enter(document, deps);
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

/** Agents that wait for the same limit ask one after the other: a tenth of its window is little to lose, and much to spread them over. */
export function spread(
  waitMs: number,
  { limits, random }: Pick<FleetRateDeps, 'limits'> & { readonly random: Random },
): number {
  const windowMs = limits.rate?.intervalMs ?? Infinity;
  return waitMs + random() * Math.min(MOST_SPREAD_MS, windowMs / 10);
}
