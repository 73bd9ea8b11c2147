import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import { reap } from './reaper.ts';
import type { Pulse } from './session.ts';
import { MAKE_PARTITIONS, PAUSED_BY } from './sql/fleet.ts';
import type { Store } from './store.ts';

/** Creates the next month's history partition long before it begins, also in agents that run for months. */
const PARTITIONS_EVERY_MS = 12 * 3_600_000;

/** Work of an agent at each heartbeat: learns whether a person has paused it, and takes over work of expired agents. */
export class Beat {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  #last: Pulse | null = null;
  #isPaused = false;
  #partitionsAt: number;

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#partitionsAt = clock.monotonic() + PARTITIONS_EVERY_MS;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Result of the last heartbeat. */
  get last(): Pulse | null {
    return this.#last;
  }

  async run(pulse: Pulse): Promise<void> {
    this.#last = pulse;
    this.#isPaused = pulse.pausedBy !== null;
    const now = this.#clock.monotonic();
    if (now >= this.#partitionsAt) {
      await this.#store.read((sql) => sql.run(MAKE_PARTITIONS), { isUrgent: true });
      this.#partitionsAt = now + PARTITIONS_EVERY_MS;
    }
    if (!pulse.isAnyOverdue) return;
    for (const agent of await reap(this.#store, this.#clock))
      this.#log.warn('silentAgentsWorkTaken', { agent });
  }

  /** Updates the state between heartbeats. */
  async look(): Promise<void> {
    const { agentId } = this.#store.membership.session;
    const row = await this.#store.read((sql) => sql.get<Pick<Pulse, 'pausedBy'>>(PAUSED_BY, { agentId }), {
      isUrgent: true,
    });
    this.#isPaused = row !== undefined && row.pausedBy !== null;
  }
}
