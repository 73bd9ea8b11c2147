import { readlink } from 'node:fs/promises';
import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';

export interface ZoneDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  /** What tells of the system's time zone, whatever it is; null where nothing does. */
  readonly source?: () => Promise<string | null>;
  /** Has the runtime look up the time zone again. */
  readonly renew?: () => void;
}

const LOOK_EVERY_MS = 60_000;

/**
 * A laptop travels: its system's time zone is another one then, and Node goes on with the one that it began with. Sending hours, quiet
 * hours, days and dates in names go by the new one within a minute, unless TZ is set. Until aborted. Linux and macOS; Windows tells of no
 * change here, and needs a restart.
 */
export async function watchZone(
  { clock, log, env, source = localtimeLink, renew = renewZone }: ZoneDeps,
  signal: AbortSignal,
): Promise<void> {
  if (env['TZ'] !== undefined) {
    const zone = unknownZone(env['TZ']);
    if (zone !== null) log.warn('TZ is not a known time zone; times are in UTC', { TZ: zone });
    return;
  }
  let before = await source();
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    const now = await source();
    // In the midst of being replaced it is not there for a moment.
    if (now === null || now === before) continue;
    before = now;
    renew();
    log.info("The machine's time zone has changed", { zone: zoneName() });
  }
}

/** As the runtime has it. */
export function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';
}

/** What TZ says, if Node makes nothing of it: then its times are those of UTC, without a word. */
export function unknownZone(text: string): string | null {
  const name = text.replace(/^:/, '');
  if (name === '' || /^(?:UTC|GMT|Etc\/.+|Zulu|Universal)$/i.test(name)) return null;
  const taken = zoneName();
  return taken === 'UTC' || taken === 'Etc/Unknown' || taken === 'undefined' ? text : null;
}

async function localtimeLink(): Promise<string | null> {
  return readlink('/etc/localtime').catch(() => null);
}

/** Node asks the system again whenever TZ is touched. */
function renewZone(): void {
  delete process.env['TZ'];
}
