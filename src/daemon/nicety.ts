import { messageOf, systemCode } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Log, LogEvent, LogFields } from '../core/ports/log.ts';

const AGAIN_MS = 60_000;

type BackgroundTask = (signal: AbortSignal) => Promise<unknown>;

/**
 * What the agent can do without: the returned function runs it until aborted and never rejects, because a machine without descriptors,
 * memory or /proc must not end the uploads. If it fails, it begins again a minute later. Each reason is logged once.
 */
export function nicety(
  event: LogEvent,
  run: BackgroundTask,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  fields: LogFields = {},
): (signal: AbortSignal) => Promise<void> {
  const said = new Set<string>();
  return async (signal) => {
    while (!signal.aborted) {
      try {
        await run(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const why = systemCode(error) ?? messageOf(error);
        if (!said.has(why)) log.warn(event, { ...fields, why });
        said.add(why);
      }
      await clock.sleep(AGAIN_MS, signal).catch(() => {});
    }
  };
}
