import type { Clock } from '../../core/ports/clock.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { LedgerHolds } from '../../core/ports/ledger.ts';
import { holdKey } from './holdTimer.ts';

type PausedScope = 'endpoint' | 'folder';

/** What people have paused, until somebody lets it go on. Kept over restarts. */
export class Pauses {
  readonly #ledger: LedgerHolds;
  readonly #clock: Clock;
  readonly #paused = new Map<string, Hold>();
  #changes = 0;

  constructor(ledger: LedgerHolds, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** How often somebody has paused or resumed here. */
  get changes(): number {
    return this.#changes;
  }

  has(scope: PausedScope, key: string): boolean {
    return this.#paused.has(holdKey(scope, key));
  }

  folders(): string[] {
    return [...this.#paused.values()].filter((hold) => hold.scope === 'folder').map((hold) => hold.key);
  }

  /** One of an earlier run. */
  restore(hold: Hold): void {
    this.#paused.set(holdKey(hold.scope, hold.key), hold);
  }

  /** These are all that are in force. @returns whether they are others than before */
  replace(holds: readonly Hold[]): boolean {
    const now = new Map(holds.map((hold) => [holdKey(hold.scope, hold.key), hold]));
    const isSame = now.size === this.#paused.size && [...now.keys()].every((key) => this.#paused.has(key));
    this.#paused.clear();
    for (const [key, hold] of now) this.#paused.set(key, hold);
    return !isSame;
  }

  async pause(scope: PausedScope, key: string, by: string): Promise<void> {
    const message = `Paused by ${by}.`;
    const since = this.#clock.now();
    const hold: Hold = { scope, key, reason: 'PAUSED', message, since, until: null, demandedUntil: null };
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
