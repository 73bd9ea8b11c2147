import type { Dispatcher } from '../pipeline/dispatch.ts';
import { FleetWatch } from '../pipeline/fleetWatch.ts';
import type { Holds } from '../pipeline/holds.ts';
import { Leads } from '../pipeline/leads.ts';
import type { FolderSettings } from '../pipeline/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';

export interface FleetParts {
  readonly leads: Leads;
  readonly watch: FleetWatch;
}

/** Null for a ledger that one agent has to itself. */
export function composeFleet(
  { fleet, storage }: Pick<Ledger, 'fleet' | 'storage'>,
  parts: {
    readonly folders: readonly Pick<FolderSettings, 'path' | 'share'>[];
    readonly dispatcher: Dispatcher;
    readonly holds: Holds;
    readonly clock: Clock;
    readonly log: Log;
  },
): FleetParts | null {
  if (fleet === null) return null;
  const { folders, dispatcher, holds, clock, log } = parts;
  const shares = new Map(folders.flatMap(({ path, share }) => (share ? [[path, share] as const] : [])));
  return {
    leads: new Leads({ fleet, storage, shares, clock, log }),
    watch: new FleetWatch({ fleet, storage, dispatcher, holds, clock, log }),
  };
}
