import type { Clock } from '../../core/ports/clock.ts';
import type { Incidents } from '../../core/ports/incident.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Offer } from '../../control/server/respond.ts';
import type { ConsoleSettings } from './settings.ts';

export interface ConsoleDeps {
  readonly settings: ConsoleSettings;
  readonly stateDir: string;
  readonly offer: Offer;
  /** The directory of its pages. */
  readonly statics: URL;
  readonly log: Log;
  readonly incidents: Incidents;
  readonly clock: Clock;
  readonly random: (bytes: number) => Buffer;
}
