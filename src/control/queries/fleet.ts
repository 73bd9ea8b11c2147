import type { Note } from '../../core/domain/note.ts';
import { iso } from '../../core/domain/words.ts';
import type { FleetAgent } from '../../core/ports/fleet.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import type { Response } from '../protocol/protocol.ts';
import type { FleetAgentJson } from '../protocol/fleet.ts';
import { toHoldJson } from '../protocol/holdJson.ts';

/** The agents that share the ledger; `agents` is null if it is not shared. */
export async function fleetOf({ fleet }: Pick<LedgerReports, 'fleet'>): Promise<Response<'fleet'>> {
  return { agents: fleet === null ? null : (await fleet.agents()).map(toJson) };
}

function toJson({ startedAt, lastSeenAt, paused, leads, holds, ...rest }: FleetAgent): FleetAgentJson {
  return {
    ...rest,
    startedAt: isoOf(startedAt),
    lastSeenAt: isoOf(lastSeenAt),
    paused: paused && { by: paused.by, since: iso(paused.since) },
    leads: [...leads],
    holds: holds.map(toHoldJson),
  };
}

function isoOf(at: number | null): string | null {
  return at === null ? null : iso(at);
}

/** The state of the whole fleet, as a note in the status of a single agent. */
export function fleetNote(agents: readonly FleetAgent[]): Note {
  return {
    kind: 'fleet',
    agents: agents.map(({ name, state, paused, queued, uploading }) => ({
      name,
      state,
      paused: paused !== null,
      queued,
      uploading,
    })),
  };
}

/** The overview is polled every second or two; the fleet is queried less often. */
const COUNTED_EVERY_MS = 10_000;

/** Cached `fleetNote` for callers that poll; null if the ledger is not shared or can't be reached. */
export function fleetNotes(
  { fleet }: Pick<LedgerReports, 'fleet'>,
  clock: Pick<Clock, 'monotonic'>,
): () => Promise<Note | null> {
  if (fleet === null) return async () => null;
  let known: { readonly at: number; readonly note: Promise<Note | null> } | null = null;
  return () => {
    if (known === null || clock.monotonic() - known.at >= COUNTED_EVERY_MS)
      known = { at: clock.monotonic(), note: fleet.agents().then(fleetNote, () => null) };
    return known.note;
  };
}
