import type { Clock } from '../../core/ports/clock.ts';
import type { Hold } from '../../core/domain/hold.ts';
import type { LedgerHolds } from '../../core/ports/ledger.ts';
import { holdKey } from './holdTimers.ts';

type PausedScope = 'endpoint' | 'folder';

/** Endpoints and folders that people paused, until resumed. Survive restarts. */
export class Pauses {
  readonly #ledger: LedgerHolds;
  readonly #clock: Clock;
  readonly #paused = new Map<string, Hold>();
  #changes = 0;

  constructor(ledger: LedgerHolds, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Number of pauses and resumes made through this agent. */
  get changes(): number {
    return this.#changes;
  }

  has(scope: PausedScope, key: string): boolean {
    return this.#paused.has(holdKey(scope, key));
  }

  folders(): string[] {
    return [...this.#paused.values()].filter((hold) => hold.scope === 'folder').map((hold) => hold.key);
  }

  /** Restores a pause of an earlier run. */
  restore(hold: Hold): void {
    this.#paused.set(holdKey(hold.scope, hold.key), hold);
  }

  /** Replaces all pauses by those in force. @returns whether that changed any */
  replace(holds: readonly Hold[]): boolean {
    const now = new Map(holds.map((hold) => [holdKey(hold.scope, hold.key), hold]));
    const isSame = now.size === this.#paused.size && [...now.keys()].every((key) => this.#paused.has(key));
    this.#paused.clear();
    for (const [key, hold] of now) this.#paused.set(key, hold);
    return !isSame;
  }

  async pause(scope: PausedScope, key: string, by: string): Promise<void> {
    const since = this.#clock.now();
    const hold: Hold = { scope, key, reason: 'PAUSED', message: by, since, until: null, demandedUntil: null };
    await this.#ledger.putHold(hold);
    this.#changes += 1;
    this.#paused.set(holdKey(scope, key), hold);
  }

  async resume(scope: PausedScope, key: string): Promise<void> {
    await this.#ledger.clearHold(scope, key, 'PAUSED');
    this.#changes += 1;
    this.#paused.delete(holdKey(scope, key));
  }
}
