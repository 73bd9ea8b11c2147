import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Facts } from '../core/domain/problem.ts';
import { local } from '../core/domain/words.ts';
import { Alerting, type Around } from '../features/alerts/alerting.ts';
import { alertOperations } from '../features/alerts/operations.ts';
import type { AlertTimes } from '../features/alerts/times.ts';
import { openAlertStore } from '../features/alerts/store.ts';
import { textsIn } from '../texts/texts.ts';
import { alertChannels } from './alertChannels.ts';
import { mailPasswordOperations } from './mailPassword.ts';
import type { Running } from './generation.ts';
import type { ProcessScope } from './processScope.ts';

/** Alerts outlive a configuration, so that a reload does not repeat them. */
export async function composeAlerts(
  config: Config,
  lasting: ProcessScope,
  current: () => Running,
  stop: AbortSignal,
) {
  const { clock, log, incidents, ledger, host } = lasting;
  const alerting = await Alerting.open(
    {
      clock,
      log,
      incidents,
      ledger,
      host,
      random: Math.random,
      newId: randomUUID,
      store: openAlertStore(config.stateDir),
      around: () => around(lasting, current()),
    },
    timesOf(config),
  );
  let taken = config;
  const take = (next: Config): void => {
    taken = next;
    alerting.take(timesOf(next), alertChannels(next, lasting), textsIn(next.language, local));
  };
  take(config);
  // A new password retries undelivered alerts at once.
  const mail = mailPasswordOperations(
    () => taken,
    lasting,
    () => take(taken),
  );
  return {
    operations: { ...alertOperations(alerting, stop), ...mail },
    /** Applies a changed configuration. */
    take,
    /** Sends alerts until `until` aborts. Never rejects. */
    run: (until: AbortSignal) => alerting.run(until),
  };
}

function around({ incidents, inherited }: ProcessScope, running: Running): Around {
  const folders = foldersOf(running);
  return {
    incidents: incidents.list(),
    isOfGeneration: (key) => inherited.has(key),
    folders,
    endpoints: running.config.endpoints,
    isLooking: folders.some(({ state }) => state === 'starting'),
  };
}

function timesOf({ alerts: { after, quietHours, digest } }: Config): AlertTimes {
  return { afterMs: after, quietHours, digest };
}

/** The watched folders, as problems are derived from them. */
export function foldersOf({ intakes }: Pick<Running, 'intakes'>): Facts['folders'] {
  return intakes.map(({ status: { path, state, why, since } }) => ({ path, state, why, since }));
}
