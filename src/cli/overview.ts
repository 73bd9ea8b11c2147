import type { Config } from '../config/config.ts';
import { callControl } from '../daemon/control/client.ts';
import type { StatusResponse } from '../daemon/control/protocol.ts';
import { systemClock } from '../daemon/systemClock.ts';
import { ReceiptdError } from '../domain/errors.ts';
import type { Hold } from '../ports/hold.ts';
import type { LedgerReports, StateCount } from '../ports/ledgerReports.ts';
import { openReportsIfThere } from './session.ts';

/** What `status` and `top` have looked at. */
export interface Overview {
  readonly now: number;
  /** Null where none runs, or where it does not say. */
  readonly daemon: StatusResponse | null;
  /** Somebody is there and gives no answer that can be used: why, and what to do. */
  readonly silent: string | null;
  readonly counts: readonly StateCount[];
  readonly holds: readonly Hold[];
  /** When the document that has waited longest was named. */
  readonly oldestWaiting: number | null;
}

/** Asks the daemon, where one runs, and reads the ledger. */
export async function look(config: Config): Promise<Overview> {
  const answer = await askDaemon(config);
  const reports = await openReportsIfThere(config);
  const now = systemClock.now();
  if (reports === null) return { now, ...answer, counts: [], holds: [], oldestWaiting: null };
  try {
    const counts = await reports.counts();
    const holds = await reports.holds();
    return { now, ...answer, counts, holds, oldestWaiting: await oldestWaiting(reports, counts) };
  } finally {
    await reports.close();
  }
}

/** An agent that is stopped or hangs must not keep those waiting who ask why. */
const ANSWER_MS = 5_000;

async function askDaemon({ stateDir }: Config): Promise<Pick<Overview, 'daemon' | 'silent'>> {
  try {
    return { daemon: await callControl(stateDir, 'status', {}, { timeoutMs: ANSWER_MS }), silent: null };
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    if (error.code === 'NOT_RUNNING') return { daemon: null, silent: null };
    // One of an older version: what the ledger says is true all the same.
    if (error.code === 'CONTROL_FAILED') return { daemon: null, silent: error.sentence() };
    throw error;
  }
}

async function oldestWaiting(reports: LedgerReports, counts: readonly StateCount[]): Promise<number | null> {
  const states = ['queued', 'uploading', 'held'] as const;
  // Else all of a long ledger would be gone through to find none.
  if (!counts.some(({ state, count }) => count > 0 && states.some((each) => each === state))) return null;
  for await (const { createdAt } of reports.list({ states, limit: 1 })) return Date.parse(createdAt);
  return null;
}
