import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Offer } from '../control/server/respond.ts';
import { createConsole, type Console } from '../console/server/console.ts';
import { systemClock } from '../system/systemClock.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Log } from '../core/ports/log.ts';

/** Beside the program's other files. */
const STATICS = new URL('./console/', import.meta.url);

export function composeConsole(
  { console: settings, stateDir }: Config,
  offer: Offer,
  { incidents, log }: { readonly incidents: Incidents; readonly log: Log },
): Console {
  const statics = STATICS;
  return createConsole({
    settings,
    stateDir,
    offer,
    statics,
    log,
    incidents,
    clock: systemClock,
    random: randomBytes,
  });
}
