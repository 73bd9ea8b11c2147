import type { Config } from '../config/config.ts';
import { callIfRunning } from '../control/client.ts';
import { fromHoldJson } from '../control/protocol/holdJson.ts';
import type { OverviewResponse } from '../control/protocol/overview.ts';
import { fromProblemJson } from '../control/protocol/problem.ts';
import type { StatusResponse } from '../control/protocol/status.ts';
import { oldestWaiting } from '../control/queries/overview.ts';
import { movedAway, type MovedAway } from '../state-dir/stateMarks.ts';
import { systemClock } from '../system/systemClock.ts';
import { startCommand } from '../system/userName.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { problemsOf, type Problem } from '../core/domain/problem.ts';
import type { Hold } from '../core/domain/hold.ts';
import type { StateCount } from '../core/ports/ledgerReports.ts';
import { hasLedger, openReportsIfThere } from './session.ts';
import { ledgerPath } from '../state-dir/stateFiles.ts';

/** Data of `status` and `top`. */
export interface Overview {
  readonly now: number;
  /** Null if no daemon is running or it gave no usable answer. */
  readonly daemon: StatusResponse | null;
  /** Why a running daemon gave no usable answer, and what to do; else null. */
  readonly silent: ReceiptdError | null;
  readonly problems: readonly Problem[];
  readonly counts: readonly StateCount[];
  readonly holds: readonly Hold[];
  /** Why no agent may run here; null or absent if one may, or is running. */
  readonly movedAway?: MovedAway | null;
  /** When the longest-waiting document was named, in wall-clock milliseconds; null if none waits. */
  readonly oldestWaiting: number | null;
  /** Command that starts the agent, if none is running. */
  readonly startWith?: string;
}

/** Asks the daemon; reads the ledger if none is running or it gives no usable answer. */
export async function look(config: Config): Promise<Overview> {
  const answer = await askDaemon(config);
  if (answer !== null && !(answer instanceof ReceiptdError)) return fromDaemon(answer);
  const now = systemClock.now();
  const reports = await openReportsIfThere(config).catch((error: unknown) => {
    // `answer` already says that this user may not ask the agent, and who may.
    if (answer !== null && error instanceof ReceiptdError && error.code === 'FILE_UNREADABLE') return null;
    throw error;
  });
  if (reports === null && answer === null && config.ledger.kind === 'sqlite' && (await hasLedger(config)))
    throw ledgerGone(config);
  const mark = answer === null ? await movedAway(config.stateDir).catch(() => null) : null;
  const startWith = await startCommand(config.stateDir);
  const silence = { now, daemon: null, silent: answer, movedAway: mark, startWith };
  if (reports === null) return { ...silence, problems: [], counts: [], holds: [], oldestWaiting: null };
  try {
    const counts = await reports.counts();
    const holds = await reports.holds();
    const problems = problemsOf({
      now,
      incidents: [],
      folders: [],
      endpoints: config.endpoints,
      counts,
      holds,
    });
    return { ...silence, problems, counts, holds, oldestWaiting: await oldestWaiting(reports, counts) };
  } finally {
    await reports.close();
  }
}

/** Without an error, a lost ledger would look like a new installation. */
function ledgerGone(config: Config): ReceiptdError {
  return new ReceiptdError('LEDGER_MISSING.journalThere', { path: ledgerPath(config) });
}

/** Short, because people run `status` to find out why an agent hangs. */
const ANSWER_MS = 5_000;
/** An older version answers an unknown request with `USAGE`. */
const NO_USE: ReadonlySet<string> = new Set(['CONTROL_FAILED', 'ALREADY_RUNNING', 'USAGE']);

/** Null if none is running; an error if its answer is missing or unusable. */
async function askDaemon({ stateDir }: Config): Promise<OverviewResponse | ReceiptdError | null> {
  try {
    return await callIfRunning(stateDir, 'overview', {}, { timeoutMs: ANSWER_MS });
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    // The ledger is still accurate.
    if (NO_USE.has(error.code)) return error;
    throw error;
  }
}

function fromDaemon({ now, status, problems, counts, holds, backlog }: OverviewResponse): Overview {
  return {
    now: Date.parse(now),
    daemon: status,
    silent: null,
    problems: problems.map(fromProblemJson),
    counts,
    holds: holds.map(fromHoldJson),
    oldestWaiting: backlog.oldest === null ? null : Date.parse(backlog.oldest),
  };
}
