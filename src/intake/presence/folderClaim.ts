import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FolderClaims, FolderHolder } from '../../core/ports/folder.ts';
import type { Log } from '../../core/ports/log.ts';

export interface FolderClaimDeps {
  readonly path: string;
  /** Left out if no other agent can run on this machine. */
  readonly claims?: FolderClaims | undefined;
  /** How long a folder of another agent must be unclaimed before this one takes it over. */
  readonly takeOverAfterMs: number;
  /** The fleet's folder lead decides which agent takes it in, so there is no waiting time. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Another agent's claim. `since`: when it was first seen released; monotonic and wall-clock milliseconds. */
interface Other {
  by: FolderHolder | null;
  since: { readonly monotonic: number; readonly wall: number } | null;
  lookedAt: number;
}

/** Longest gap between checks; after a longer one, another agent may have held the folder meanwhile. */
const UNSEEN_MS = 30_000;

/**
 * This agent's claim to one folder. A changed token means a different folder:
 *
 *   unknown ──free──▶ held ◀──free for `takeOverAfter`── another's
 *      └──taken, or another's when this agent last ran───────▲
 *
 * An agent that restarts or is upgraded gets its folder back: a waiting agent only looks who holds it, without claiming it.
 */
export class FolderClaim {
  readonly #deps: FolderClaimDeps;
  #held: { readonly token: string; release(): Promise<void> } | null = null;
  /** Undefined: not asked yet. */
  #other: Other | null | undefined;

  constructor(deps: FolderClaimDeps) {
    this.#deps = deps;
    if (deps.isShared) this.#other = null;
  }

  /** Tries to claim the folder. Null if it is held; otherwise who takes it in and when this agent takes over. */
  async hold(token: string): Promise<ReceiptdError | null> {
    const { claims, path } = this.#deps;
    if (claims === undefined || this.#held?.token === token) return null;
    await this.release();
    if (this.#other === undefined)
      this.#other = (await claims.wasOthers(path)) ? { by: null, since: null, lookedAt: -Infinity } : null;
    if (this.#other !== null) {
      const now = await claims.look(token);
      if (now.kind === 'taken') return this.#isTaken(now.by);
      const waits = this.#isFree(this.#other);
      if (waits !== null) return waits;
    }
    const got = await claims.hold(token);
    if (got.kind === 'taken') return this.#isTaken(got.by);
    this.#held = { token, release: () => got.release() };
    return null;
  }

  /** When another agent's claim to the held folder ended (wall-clock milliseconds); null if there was none. */
  get othersUntil(): number | null {
    return this.#held === null ? null : (this.#other?.since?.wall ?? null);
  }

  /** Makes the folder this agent's own, after its existing files were handled. */
  async settle(): Promise<void> {
    if (!this.#other) return;
    await this.#deps.claims?.rememberOthers(this.#deps.path, false);
    this.#other = null;
  }

  async release(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    await held?.release();
  }

  async #isTaken(by: FolderHolder | null): Promise<ReceiptdError> {
    const { path, claims, takeOverAfterMs, isShared, log, clock } = this.#deps;
    const error = new ReceiptdError('FOLDER_TAKEN.held', {
      folder: path,
      by,
      takeOverAfterMs: isShared ? null : takeOverAfterMs,
    });
    if (isShared) return error;
    if (this.#other?.since) log.info('otherWatcherBack', { folder: path });
    this.#other = { by, since: null, lookedAt: clock.monotonic() };
    await claims?.rememberOthers(path, true);
    return error;
  }

  /** Null if it has been free for long enough; otherwise what this agent waits for. */
  #isFree(other: Other): ReceiptdError | null {
    const { path, takeOverAfterMs, clock, log } = this.#deps;
    const now = clock.monotonic();
    if (other.since === null || now - other.lookedAt > UNSEEN_MS) {
      other.since = { monotonic: now, wall: clock.now() };
      log.info('otherWatcherGone', {
        folder: path,
        takeOverAfterMs,
      });
    }
    other.lookedAt = now;
    const left = other.since.monotonic + takeOverAfterMs - now;
    if (left <= 0) return null;
    return new ReceiptdError('FOLDER_TAKEN.gone', {
      folder: path,
      by: other.by,
      since: other.since.wall,
      until: clock.now() + left,
    });
  }
}
