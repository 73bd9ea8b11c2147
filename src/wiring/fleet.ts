import type { Dispatcher } from '../delivery/queue/dispatcher.ts';
import { FleetWatch } from '../fleet/fleetWatch.ts';
import type { Holds } from '../delivery/holds/holds.ts';
import { FolderLeadership } from '../fleet/folderLeadership.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';

export interface FleetParts {
  readonly leads: FolderLeadership;
  readonly watch: FleetWatch;
}

/** Null if the ledger is not shared. */
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
    leads: new FolderLeadership({ fleet, storage, shares, clock, log }),
    watch: new FleetWatch({ fleet, storage, dispatcher, holds, clock, log }),
  };
}
