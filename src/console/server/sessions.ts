import { createHash } from 'node:crypto';
import { ageOf, momentOf, type Moment } from '../../core/domain/moment.ts';
import type { Clock } from '../../core/ports/clock.ts';

const MINUTE_MS = 60_000;
export const TOKEN_MS = 5 * MINUTE_MS;
const IDLE_MS = 12 * 60 * MINUTE_MS;
const ABSOLUTE_MS = 7 * 24 * 60 * MINUTE_MS;
const MOST_SESSIONS = 100;
const MOST_TOKENS = 20;
const SECRET_BYTES = 32;

export interface Session {
  /** Runs `end` when the session ends, so that running responses end with it. @returns the function that unregisters it */
  readonly onOver: (end: () => void) => () => void;
  /** Fingerprint of the password that opened it; null if a link did. */
  readonly password: string | null;
}

interface HeldSession extends Session {
  readonly end: () => void;
  readonly since: Moment;
  usedAt: Moment;
}

/**
 * Sign-in tokens and sessions of the console. Each token
 *
 *   valid ──redeem──▶ used      valid ──5 minutes──▶ expired
 *
 * and each session
 *
 *   open ──end, 12 h unused, 7 days, a hundred newer ones──▶ over
 *
 * Only hashes are kept, so that no copy of this memory signs anybody in. Nothing outlives the process.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #random: (bytes: number) => Buffer;
  /** Time of issue by hash; oldest first, as are the sessions. */
  readonly #tokens = new Map<string, Moment>();
  readonly #sessions = new Map<string, HeldSession>();

  constructor({ clock, random }: { clock: Clock; random: (bytes: number) => Buffer }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** `validUntil`: wall-clock milliseconds. */
  issueToken(): { token: string; validUntil: number } {
    const token = this.#secret();
    const now = momentOf(this.#clock);
    this.#tokens.set(hashOf(token), now);
    while (this.#tokens.size > MOST_TOKENS) this.#tokens.delete(oldest(this.#tokens));
    return { token, validUntil: now.wall + TOKEN_MS };
  }

  /** Invalidates the token. @returns whether it was valid */
  redeem(token: string): boolean {
    const issuedAt = this.#tokens.get(hashOf(token));
    this.#tokens.delete(hashOf(token));
    return issuedAt !== undefined && ageOf(issuedAt, this.#clock) < TOKEN_MS;
  }

  /** Starts a session. @returns its secret, always new, against session fixation */
  begin(password: string | null): string {
    const secret = this.#secret();
    const now = momentOf(this.#clock);
    // Not an AbortSignal: there may be many responses, and Node warns about more than ten listeners.
    const running = new Set<() => void>();
    const onOver = (each: () => void) => {
      running.add(each);
      return () => void running.delete(each);
    };
    const end = () => running.forEach((each) => each());
    this.#sessions.set(hashOf(secret), { onOver, end, password, since: now, usedAt: now });
    while (this.#sessions.size > MOST_SESSIONS) this.#drop(oldest(this.#sessions));
    return secret;
  }

  /** The session of the first secret that has one; it counts as used. */
  find(secrets: readonly string[]): Session | null {
    this.sweep();
    for (const secret of secrets) {
      const session = this.#sessions.get(hashOf(secret));
      if (session === undefined) continue;
      session.usedAt = momentOf(this.#clock);
      return session;
    }
    return null;
  }

  end(secrets: readonly string[]): void {
    for (const secret of secrets) this.#drop(hashOf(secret));
  }

  endAll(): void {
    for (const hash of this.#sessions.keys()) this.#drop(hash);
    this.#tokens.clear();
  }

  /** Removes expired tokens and sessions. @returns whether a token is still valid */
  sweep(): boolean {
    const age = (moment: Moment): number => ageOf(moment, this.#clock);
    for (const [hash, { since, usedAt }] of this.#sessions)
      if (age(usedAt) >= IDLE_MS || age(since) >= ABSOLUTE_MS) this.#drop(hash);
    for (const [hash, issuedAt] of this.#tokens) if (age(issuedAt) >= TOKEN_MS) this.#tokens.delete(hash);
    return this.#tokens.size > 0;
  }

  #drop(hash: string): void {
    this.#sessions.get(hash)?.end();
    this.#sessions.delete(hash);
  }

  #secret(): string {
    return this.#random(SECRET_BYTES).toString('base64url');
  }
}

/** Look-ups use the hash, so that their timing reveals nothing about a secret. */
function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}

function oldest(map: ReadonlyMap<string, unknown>): string {
  const [first = ''] = map.keys();
  return first;
}
