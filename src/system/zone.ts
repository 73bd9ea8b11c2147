import { readlink } from 'node:fs/promises';
import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';

export interface ZoneDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  /** A value that changes with the system's time zone; null if unavailable. */
  readonly source?: () => Promise<string | null>;
  /** Makes the runtime look up the time zone again. */
  readonly renew?: () => void;
}

const LOOK_EVERY_MS = 60_000;

/**
 * Follows changes of the system's time zone, such as on a laptop that travels, until aborted: Node alone would keep the zone
 * it started with. Sending hours, quiet hours, days and dates in names use the new zone within a minute. Does nothing if TZ is
 * set, nor on Windows, where changes are not detected and need a restart.
 */
export async function watchZone(
  { clock, log, env, source = localtimeLink, renew = renewZone }: ZoneDeps,
  signal: AbortSignal,
): Promise<void> {
  if (env['TZ'] !== undefined) {
    const zone = unknownZone(env['TZ']);
    if (zone !== null) log.warn('timeZoneUnknown', { TZ: zone });
    return;
  }
  let before = await source();
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    const now = await source();
    // Null also for a moment while the link is being replaced.
    if (now === null || now === before) continue;
    before = now;
    renew();
    log.info('timeZoneChanged', { zone: zoneName() });
  }
}

/** The time zone that the runtime uses. */
export function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';
}

/** The value of TZ if Node does not know it, and so silently uses UTC; otherwise null. */
export function unknownZone(text: string): string | null {
  const name = text.replace(/^:/, '');
  if (name === '' || /^(?:UTC|GMT|Etc\/.+|Zulu|Universal)$/i.test(name)) return null;
  const taken = zoneName();
  return taken === 'UTC' || taken === 'Etc/Unknown' || taken === 'undefined' ? text : null;
}

async function localtimeLink(): Promise<string | null> {
  return readlink('/etc/localtime').catch(() => null);
}

/** Changing TZ makes Node look up the zone again. */
function renewZone(): void {
  delete process.env['TZ'];
}
