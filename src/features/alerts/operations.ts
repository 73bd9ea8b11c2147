import { iso } from '../../core/domain/words.ts';
import type { Operations } from '../../control/protocol/protocol.ts';
import type { Alerting } from './alerting.ts';
import { quietUntil } from './times.ts';

/** The operations on alerts. `stop` ends a test in progress. */
export function alertOperations(
  alerting: Alerting,
  stop: AbortSignal,
): Pick<Operations, 'alerts' | 'testAlerts'> {
  return {
    async alerts() {
      const { now, times, channels, open } = await alerting.list();
      const until = times.quietHours === null ? null : quietUntil(times.quietHours, now);
      return {
        channels: [...channels],
        quietUntil: timeOf(until),
        open: open.map(({ entry: { condition, since, awaySince, told }, untold, waitingFor }) => ({
          code: condition.code,
          params: { ...condition.params },
          since: iso(since),
          overSince: timeOf(awaySince),
          toldAt: timeOf(told?.takenAt ?? null),
          toldBy: [...(told?.takenBy ?? [])],
          waitingFor: [...waitingFor],
          untold,
        })),
      };
    },
    async testAlerts({ channel: only }) {
      const results = await alerting.test(stop, only);
      return {
        results: results.map(({ channel, trouble }) => ({
          channel,
          problem: trouble?.sentence() ?? null,
          ...(trouble !== null && { error: trouble.facts() }),
        })),
      };
    },
  };
}

function timeOf(at: number | null): string | null {
  return at === null ? null : iso(at);
}
