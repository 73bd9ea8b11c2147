import { accountOfKey } from '../../core/domain/account.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import type { HoldTimer, HoldTimers } from './holdTimers.ts';

const RECHECK_MS = 20_000;

export interface CredentialsRecheckDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether an account's stored credentials differ from those last used. */
  readonly credentialsChanged?: (account: string | null) => Promise<boolean>;
}

/** While credentials are on hold, notices that somebody replaced them. */
export class CredentialsRecheck {
  readonly #deps: CredentialsRecheckDeps;
  readonly #timers: HoldTimers;
  #underWay: Promise<boolean> | null = null;

  constructor(deps: CredentialsRecheckDeps, timers: HoldTimers) {
    this.#deps = deps;
    this.#timers = timers;
  }

  /** Milliseconds until the next check; null if the credentials are not among these closed scopes. */
  dueInMs(closed: readonly HoldTimer[]): number | null {
    const { credentialsChanged, clock } = this.#deps;
    const held = credentialsChanged && closed.find(({ scope }) => scope === 'credentials');
    return held ? Math.max(0, held.checkedAt + RECHECK_MS - clock.monotonic()) : null;
  }

  /** Checks for changed credentials and, if there are any, tries them at once. Resolves whether there are. */
  async run(): Promise<boolean> {
    this.#underWay ??= this.#run().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #run(): Promise<boolean> {
    const { clock, log, credentialsChanged } = this.#deps;
    let isTried = false;
    for (const hold of this.#timers.all()) {
      if (hold.scope !== 'credentials') continue;
      hold.checkedAt = clock.monotonic();
      const account = accountOfKey(hold.key);
      if (!(await credentialsChanged?.(account).catch(() => false))) continue;
      this.#timers.retryIn(hold, 0);
      log.info('credentialsChanged', account === null ? {} : { account });
      isTried = true;
    }
    return isTried;
  }
}
