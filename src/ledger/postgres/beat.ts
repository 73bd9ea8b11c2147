import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { reap } from './reaper.ts';
import { BEAT } from './sql/fleet.ts';
import type { Store } from './store.ts';

/** What an agent looks for with each heartbeat: whether a person has paused it, and whether others need their work taken over. */
export class Beat {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  #isPaused = false;

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  async run(): Promise<void> {
    if (!(await this.look())) return;
    for (const agent of await reap(this.#store, this.#clock))
      this.#log.warn('Took over the work of an agent that fell silent', { agent });
  }

  /** Resolves whether the lease of any other agent has run out. */
  async look(): Promise<boolean> {
    const { agentId } = this.#store.session;
    const row = await this.#store.read((sql) =>
      sql.get<{ pausedBy: string | null; isAnyOverdue: boolean }>(BEAT, { agentId }),
    );
    this.#isPaused = row !== undefined && row.pausedBy !== null;
    return row?.isAnyOverdue === true;
  }
}
