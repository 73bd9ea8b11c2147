import type { Document } from '../core/domain/document.ts';
import type { Reservation } from '../core/domain/limits.ts';
import type { Answer } from '../core/domain/outcome.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { FleetLimits } from '../core/ports/fleet.ts';
import type { Pacer } from './limits/pacer.ts';
import type { SharedTurns } from './sharedTurns.ts';

/** A replay that would have to wait longer gives back its place, which another endpoint may need. */
const REPLAY_WAIT_MS = 2_000;

export interface SendPermitDeps {
  readonly pacer: Pacer;
  readonly turns: SharedTurns;
  readonly clock: Clock;
  readonly document: Document;
  /** What the agents that share the ledger keep together of the endpoint's limits. */
  readonly limits: FleetLimits;
  /** False once its endpoint was closed, the agent is stopping, or anything else keeps it. */
  readonly isOpen: () => boolean;
  /** Aborts when nothing leaves any more. */
  readonly until: AbortSignal;
}

/** Why a request that was recorded did not leave. */
export type NotLeft = 'HELD_BACK' | 'LEASE_LOST';

/**
 * What one request needs before it may leave, in this order:
 *
 *   reserved (our own windows) ──▶ entered (windows that agents share) ──▶ recorded ──▶ slot ──▶ lease ──▶ under way
 *        └───────────────────────────── cancel: its places are given back ─────────┘
 *
 * Made when a document is claimed, whose turn it is in our own windows; `renew` starts over for a replay.
 */
export class SendPermit {
  readonly #deps: SendPermitDeps;
  /** Null once its places were used, or given back. */
  #reservation: Reservation | null;
  /** When a turn in the shared windows was asked for; monotonic. */
  #askedAt = 0;
  #giveBackSlot: (() => void) | null = null;

  constructor(deps: SendPermitDeps) {
    this.#deps = deps;
    this.#reservation = deps.pacer.reserve(deps.document.endpoint, deps.document.lane);
  }

  get isOpen(): boolean {
    return this.#deps.isOpen();
  }

  /** It does not leave: its places in the windows are given back. Idempotent. */
  cancel(): void {
    this.#reservation?.cancel();
    this.#reservation = null;
  }

  /** Once bytes and token are at hand. False: it is not its turn among the agents that share the windows. */
  async enter(): Promise<boolean> {
    const { document, limits, turns, pacer, clock } = this.#deps;
    this.#askedAt = clock.monotonic();
    const waitMs = await turns.take(document, limits);
    if (waitMs === 0) return true;
    pacer.defer(document.endpoint, waitMs);
    return false;
  }

  /** Once it is recorded. Resolves the answer, or why it did not leave. */
  async leave(
    attemptId: number,
    request: (onStart: () => void) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer | NotLeft> {
    const { document, limits, turns, pacer } = this.#deps;
    const keepsTurn = await turns.keeps(document, limits, this.#askedAt, signal);
    const hasSlot = keepsTurn && (await this.#takeSlot(signal));
    // While its beginning was recorded, and while it waited, another agent may have taken it over, or a hold have come.
    const isLost = !keepsTurn || !turns.isLeased(attemptId);
    const reservation = this.#reservation;
    if (!isLost && hasSlot && this.isOpen && reservation) {
      this.#reservation = null;
      return pacer.run(reservation, request);
    }
    this.cancel();
    return isLost ? 'LEASE_LOST' : 'HELD_BACK';
  }

  /** False: nothing leaves any more. Rejects where `signal` ends everything. */
  async #takeSlot(signal: AbortSignal): Promise<boolean> {
    const { document, pacer, until } = this.#deps;
    this.giveBackSlot();
    try {
      this.#giveBackSlot = await pacer.slot(document.endpoint, document.lane, until);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (until.aborted) return false;
      throw error;
    }
  }

  /** Another request may leave in its place. Idempotent. */
  giveBackSlot(): void {
    this.#giveBackSlot?.();
    this.#giveBackSlot = null;
  }

  /** For another request of the same delivery: a place in all windows. False, and nothing taken, where that would take long. */
  async renew(signal: AbortSignal): Promise<boolean> {
    const { document, pacer } = this.#deps;
    const next = await pacer.waitForTurn(document.endpoint, REPLAY_WAIT_MS, signal);
    if (next === null) return false;
    this.#reservation = next;
    if ((await this.enter()) && this.isOpen) return true;
    this.cancel();
    return false;
  }
}
