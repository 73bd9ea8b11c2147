import { randomBytes } from 'node:crypto';
import type { SandboxClock } from './clock.ts';

/** Cap on live tokens, to bound memory; beyond it, the oldest stops working. */
const MOST_TOKENS = 10_000;

/**
 * A token is valid until it expires or is revoked, or the sandbox stops: tokens are not kept over a restart, since clients must
 * cope with that anyway (interface 5).
 */
export class Tokens {
  readonly #clock: SandboxClock;
  readonly #lifetimeMs: number;
  /** Token → its client, and when it expires (monotonic milliseconds); in order of issue. */
  readonly #live = new Map<string, { readonly clientId: string; readonly expiresAt: number }>();

  constructor(clock: SandboxClock, lifetimeSeconds: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeSeconds * 1000;
  }

  issue(clientId: string): string {
    const now = this.#clock.monotonic();
    for (const [token, { expiresAt }] of this.#live) {
      if (expiresAt > now && this.#live.size < MOST_TOKENS) break;
      this.#live.delete(token);
    }
    const token = randomBytes(192).toString('base64url');
    this.#live.set(token, { clientId, expiresAt: now + this.#lifetimeMs });
    return token;
  }

  /** Why the header is refused; null if it is valid. `values`: all Authorization headers of the request. */
  refusal(values: readonly string[]): string | null {
    if (values.length === 0) return 'the Authorization header is missing';
    if (values.length > 1) return 'there is more than one Authorization header';
    const token = /^Bearer ([^\s]+)$/.exec(values[0] ?? '')?.[1];
    if (token === undefined)
      return 'the Authorization header is not "Bearer", exactly one space, and a token';
    const live = this.#live.get(token);
    if (live === undefined) return 'the token is invalid';
    if (this.#clock.monotonic() >= live.expiresAt) return 'the token has expired';
    return null;
  }

  /** The client of an accepted header's token; null for any other header. */
  clientOf([value = '']: readonly string[]): string | null {
    return this.#live.get(value.replace(/^Bearer /, ''))?.clientId ?? null;
  }

  revokeOf(clientId: string): void {
    for (const [token, live] of this.#live) if (live.clientId === clientId) this.#live.delete(token);
  }

  revokeAll(): void {
    this.#live.clear();
  }
}
