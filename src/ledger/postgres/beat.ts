import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import { reap } from './reaper.ts';
import { BEAT, MAKE_PARTITIONS } from './sql/fleet.ts';
import type { Store } from './store.ts';

/** The next month's part of the history is made long before it begins, also by agents that run for months. */
const PARTITIONS_EVERY_MS = 12 * 3_600_000;

/** What an agent looks for with each heartbeat: whether a person has paused it, and whether others need their work taken over. */
export class Beat {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
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

  async run(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now >= this.#partitionsAt) {
      await this.#store.read((sql) => sql.run(MAKE_PARTITIONS), { isUrgent: true });
      this.#partitionsAt = now + PARTITIONS_EVERY_MS;
    }
    if (!(await this.look())) return;
    for (const agent of await reap(this.#store, this.#clock))
      this.#log.warn('Took over the work of an agent that went silent', { agent });
  }

  /** Resolves whether the lease of any other agent has run out. */
  async look(): Promise<boolean> {
    const { agentId } = this.#store.session;
    const row = await this.#store.read(
      (sql) => sql.get<{ pausedBy: string | null; isAnyOverdue: boolean }>(BEAT, { agentId }),
      { isUrgent: true },
    );
    this.#isPaused = row !== undefined && row.pausedBy !== null;
    return row?.isAnyOverdue === true;
  }
}
