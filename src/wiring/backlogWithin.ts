import type { Config } from '../config/config.ts';
import { endpointId } from '../core/domain/document.ts';
import { nextOpening, type Hours } from '../core/domain/hours.ts';
import { BUDGET_LIMITS, BUDGET_PERIODS, periodStart, type BudgetPeriod } from '../core/domain/limits.ts';
import type { Limits } from '../core/domain/settings.ts';
import type { LedgerQueue } from '../core/ports/ledgerQueue.ts';

const HOUR_MS = 3_600_000;
const STEP_MS = 60_000;

/** Number of queued documents by endpoint id. */
export type WaitingFiles = ReadonlyMap<string, number>;

/** Uploads in the current day and month by endpoint id; '': in total. Each count is queried once. */
export function sentSoFar(ledger: Pick<LedgerQueue, 'countAttempts' | 'now'>) {
  const now = ledger.now();
  const known = new Map<string, Promise<number>>();
  return (endpoint: Config['endpoints'][number]['key'] | null, period: BudgetPeriod): Promise<number> => {
    const key = `${period} ${endpoint === null ? '' : endpointId(endpoint)}`;
    const count = known.get(key) ?? ledger.countAttempts(endpoint, periodStart(period, now) - 1, now);
    known.set(key, count);
    return count;
  };
}

export type SentSoFar = ReturnType<typeof sentSoFar>;

/** How many queued documents the limits of this configuration would let through in the next hour, ignoring the network. */
export async function leavingWithinHour(
  { endpoints, delivery }: Pick<Config, 'endpoints' | 'delivery'>,
  waiting: WaitingFiles,
  sent: SentSoFar,
  now: number,
): Promise<number> {
  const open = openShare(delivery.hours, now);
  const allowed = async (key: Parameters<SentSoFar>[0], limits: Limits): Promise<number> => {
    const { rate } = limits;
    let most =
      open === 0
        ? 0
        : rate === null
          ? Infinity
          : Math.ceil(((rate.count * HOUR_MS) / rate.intervalMs) * open);
    for (const period of BUDGET_PERIODS) {
      const limit = limits[BUDGET_LIMITS[period]];
      if (limit !== null) most = Math.min(most, Math.max(0, limit - (await sent(key, period))));
    }
    return most;
  };
  let sum = 0;
  for (const [id, { key, limits }] of new Map(endpoints.map((each) => [endpointId(each.key), each])))
    sum += Math.min(waiting.get(id) ?? 0, await allowed(key, limits));
  return Math.min(sum, await allowed(null, delivery));
}

/** Share of the next hour that falls within sending hours. */
function openShare(hours: Hours | null, now: number): number {
  if (hours === null) return 1;
  let open = 0;
  for (let at = now; at < now + HOUR_MS; at += STEP_MS) if (nextOpening(hours, at) === 0) open += 1;
  return (open * STEP_MS) / HOUR_MS;
}
