import { noteJson } from '../protocol/noteJson.ts';
import { toHoldJson } from '../protocol/holdJson.ts';
import { endpointId } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Note } from '../../core/domain/note.ts';
import { problemsOf, type Facts } from '../../core/domain/problem.ts';
import { rateText } from '../../core/domain/rate.ts';
import { iso } from '../../core/domain/words.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Hold } from '../../core/domain/hold.ts';
import type { LedgerReports, ListState, StateCount } from '../../core/ports/ledgerReports.ts';
import type { OverviewResponse } from '../protocol/overview.ts';
import type { StatusResponse } from '../protocol/status.ts';
import type { ResultColumn } from './columns.ts';
import type { History } from './history.ts';
import { rateForecasts } from './rateNotes.ts';

export interface OverviewDeps {
  readonly ledger: LedgerReports;
  readonly clock: Clock;
  readonly history: History;
  readonly status: () => StatusResponse;
  readonly around: () => Pick<Facts, 'incidents' | 'folders'>;
  /** State of the agents that share the ledger; null if it is not shared or can't be reached. */
  readonly fleetNote?: () => Promise<Note | null>;
  readonly endpoints: () => readonly EndpointSettings[];
  /** The configured `results.columns`. */
  readonly columns: () => readonly ResultColumn[];
}

export async function overview({
  ledger,
  clock,
  history,
  status,
  around,
  fleetNote,
  endpoints,
  columns,
}: OverviewDeps): Promise<OverviewResponse> {
  const now = clock.now();
  const known = await figures(ledger, history);
  const { counts, holds, oldest, perMinute } = known ?? UNKNOWN;
  const note: Note | null = known === null ? { kind: 'ledgerAway' } : ((await fleetNote?.()) ?? null);
  const plain = status();
  const forecasts = rateForecasts(plain.limitedBy, counts, endpoints());
  const more = [...forecasts, ...(note === null ? [] : [note])].map(noteJson);
  const daemon = { ...plain, notes: [...plain.notes, ...more] };
  const waiting = countIn(counts, ['queued', 'uploading', 'held']);
  const held = countIn(counts, ['held']);
  const isPaused = (id: string) =>
    holds.some(({ scope, key, reason }) => scope === 'endpoint' && key === id && reason === 'PAUSED');
  return {
    now: iso(now),
    zone: {
      name: Intl.DateTimeFormat().resolvedOptions().timeZone,
      offsetMinutes: -new Date(now).getTimezoneOffset(),
    },
    status: daemon,
    shared: ledger.fleet !== null,
    problems: problemsOf({ now, ...around(), endpoints: endpoints(), counts, holds }),
    counts: counts.map((each) => ({ ...each })),
    holds: holds.map(toHoldJson),
    endpoints: endpoints().map(({ alias, key, account, limits }) => ({
      alias,
      account: account ?? null,
      endpoint: key,
      paused: isPaused(endpointId(key)),
      concurrency: limits.concurrency,
      rate: rateText(limits.rate),
      perDay: limits.perDay,
      perMonth: limits.perMonth,
    })),
    columns: [...columns()],
    backlog: {
      waiting,
      held,
      oldest: oldest === null ? null : iso(oldest),
      perMinute,
      emptyInMs:
        forecasts.length > 0
          ? Math.round(Math.max(...forecasts.map(({ leftMs }) => leftMs)))
          : emptyIn(waiting - held, perMinute),
    },
  };
}

interface Figures {
  readonly counts: readonly StateCount[];
  readonly holds: readonly Hold[];
  readonly oldest: number | null;
  readonly perMinute: number;
}

const UNKNOWN: Figures = { counts: [], holds: [], oldest: null, perMinute: 0 };

/** Null while a shared ledger can't be reached; the overview then shows the agent's own status only. */
async function figures(ledger: LedgerReports, history: OverviewDeps['history']): Promise<Figures | null> {
  try {
    const counts = await ledger.counts();
    const holds = await ledger.holds();
    const oldest = await oldestWaiting(ledger, counts);
    return { counts, holds, oldest, perMinute: await history.perMinute() };
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'LEDGER_UNREACHABLE') return null;
    throw error;
  }
}

/** When the document that has waited longest was named, in wall-clock milliseconds; null if none waits. */
export async function oldestWaiting(
  ledger: Pick<LedgerReports, 'list'>,
  counts: readonly StateCount[],
): Promise<number | null> {
  const states = ['queued', 'uploading', 'held'] as const;
  // Avoids scanning a long ledger just to find nothing.
  if (countIn(counts, states) === 0) return null;
  for await (const { createdAt } of ledger.list({ states, limit: 1 })) return Date.parse(createdAt);
  return null;
}

function emptyIn(toSend: number, perMinute: number): number | null {
  if (toSend <= 0) return 0;
  return perMinute === 0 ? null : Math.round((toSend * 60_000) / perMinute);
}

export function countIn(counts: readonly StateCount[], states: readonly ListState[]): number {
  return counts.filter(({ state }) => states.includes(state)).reduce((sum, { count }) => sum + count, 0);
}
