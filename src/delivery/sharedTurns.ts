import type { Document } from '../core/domain/document.ts';
import type { FleetLimits } from '../core/ports/fleet.ts';

/** What agents that share a ledger owe each other before a request leaves (fleet/fleetTurns.ts). */
export interface SharedTurns {
  /** Others send what waits here, if this agent does not. */
  readonly hasOthers: boolean;
  /** A person has paused this agent. */
  readonly isPaused: boolean;
  /** Whether this agent is surely still one of them; with an attempt, whether that began under the same lease. */
  isLeased(attemptId?: number): boolean;
  /** Whether a request of such an endpoint takes a turn that another agent could have. */
  takesTurns(limits: FleetLimits): boolean;
  /**
   * Counts a request in the windows and budgets that all of them keep. Resolves 0 once it is counted; else for how many milliseconds
   * nothing of its endpoint should be tried.
   */
  take(document: Document, limits: FleetLimits): Promise<number>;
  /** Right before it leaves: whether a request still has the turn for which it asked at `askedAt` (monotonic), or has another by now. */
  keeps(document: Document, limits: FleetLimits, askedAt: number, signal: AbortSignal): Promise<boolean>;
}

/** A ledger of this agent's own. */
export const ALONE: SharedTurns = {
  hasOthers: false,
  isPaused: false,
  isLeased: () => true,
  takesTurns: () => false,
  take: () => Promise.resolve(0),
  keeps: () => Promise.resolve(true),
};
