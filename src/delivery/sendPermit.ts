import type { Document } from '../core/domain/document.ts';
import type { Reservation } from '../core/domain/limits.ts';
import type { Answer } from '../core/domain/outcome.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { FleetLimits } from '../core/ports/fleet.ts';
import type { Pacer } from './limits/pacer.ts';
import type { SharedTurns } from './sharedTurns.ts';

/** Longest wait of a replay. Beyond it, the replay gives back its slot, which another endpoint may need. */
const REPLAY_WAIT_MS = 2_000;

export interface SendPermitDeps {
  readonly pacer: Pacer;
  readonly turns: SharedTurns;
  readonly clock: Clock;
  readonly document: Document;
  /** The endpoint's limits that the fleet shares. */
  readonly limits: FleetLimits;
  /** False once the endpoint is closed, the agent is stopping, or anything else prevents sending. */
  readonly isOpen: () => boolean;
  /** Aborts when no more requests may be sent. */
  readonly until: AbortSignal;
}

/** Why a recorded request was not sent. */
export type NotLeft = 'HELD_BACK' | 'LEASE_LOST';

/**
 * What a request needs before it may be sent, in this order:
 *
 *   reserved (our own windows) ──▶ entered (windows that agents share) ──▶ recorded ──▶ slot ──▶ lease ──▶ under way
 *        └───────────────────────────── cancel: its places are given back ─────────┘
 *
 * Created when a document is claimed and this agent's windows have room; `renew` starts over for a replay.
 */
export class SendPermit {
  readonly #deps: SendPermitDeps;
  /** Null once used or given back. */
  #reservation: Reservation | null;
  /** When a turn in the shared windows was requested; monotonic. */
  #askedAt = 0;
  #giveBackSlot: (() => void) | null = null;

  constructor(deps: SendPermitDeps) {
    this.#deps = deps;
    this.#reservation = deps.pacer.reserve(deps.document.endpoint, deps.document.lane);
  }

  get isOpen(): boolean {
    return this.#deps.isOpen();
  }

  /** Gives back the places in the windows of a request that is not sent. Idempotent. */
  cancel(): void {
    this.#reservation?.cancel();
    this.#reservation = null;
  }

  /** Takes a turn in the windows that agents share; call once bytes and token are ready. False if there is none now. */
  async enter(): Promise<boolean> {
    const { document, limits, turns, pacer, clock } = this.#deps;
    this.#askedAt = clock.monotonic();
    const waitMs = await turns.take(document, limits);
    if (waitMs === 0) return true;
    pacer.defer(document.endpoint, waitMs);
    return false;
  }

  /** Sends the request; call once it is recorded. Resolves the answer, or why it was not sent. */
  async leave(
    attemptId: number,
    request: (onStart: () => void) => Promise<Answer>,
    signal: AbortSignal,
  ): Promise<Answer | NotLeft> {
    const { document, limits, turns, pacer } = this.#deps;
    const keepsTurn = await turns.keeps(document, limits, this.#askedAt, signal);
    const hasSlot = keepsTurn && (await this.#takeSlot(signal));
    // Another agent may have taken the document over, or a hold may have come, since the attempt was recorded.
    const isLost = !keepsTurn || !turns.isLeased(attemptId);
    const reservation = this.#reservation;
    if (!isLost && hasSlot && this.isOpen && reservation) {
      this.#reservation = null;
      return pacer.run(reservation, request);
    }
    this.cancel();
    return isLost ? 'LEASE_LOST' : 'HELD_BACK';
  }

  /** False if `until` aborted. Rejects if `signal` did. */
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

  /** Frees the slot for another request. Idempotent. */
  giveBackSlot(): void {
    this.#giveBackSlot?.();
    this.#giveBackSlot = null;
  }

  /** Reserves places in all windows for a replay. False, with nothing reserved, if that would take too long. */
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
