import type { Document } from '../core/domain/document.ts';
import type { FleetLimits } from '../core/ports/fleet.ts';

/** Coordination between agents that share a ledger, before a request is sent (fleet/fleetTurns.ts). */
export interface SharedTurns {
  /** Other agents may send documents that wait here. */
  readonly hasOthers: boolean;
  /** A person has paused this agent. */
  readonly isPaused: boolean;
  /** Whether this agent certainly holds its lease; with an attempt, whether the attempt began under the same lease. */
  isLeased(attemptId?: number): boolean;
  /** Whether a request of an endpoint with these limits uses a turn that the agents share. */
  takesTurns(limits: FleetLimits): boolean;
  /**
   * Counts a request in the windows and budgets that the agents share. Resolves 0 if it was counted; else how many milliseconds to
   * wait before trying this endpoint again.
   */
  take(document: Document, limits: FleetLimits): Promise<number>;
  /** Called right before sending: whether the request still has its turn of `askedAt` (monotonic), or got a new one. */
  keeps(document: Document, limits: FleetLimits, askedAt: number, signal: AbortSignal): Promise<boolean>;
}

/** For a ledger that is not shared. */
export const ALONE: SharedTurns = {
  hasOthers: false,
  isPaused: false,
  isLeased: () => true,
  takesTurns: () => false,
  take: () => Promise.resolve(0),
  keeps: () => Promise.resolve(true),
};
