import type { Config } from '../config/config.ts';
import { callControl } from '../control/client.ts';
import { fromHoldJson } from '../control/protocol/holdJson.ts';
import type { OverviewResponse } from '../control/protocol/overview.ts';
import { oldestWaiting } from '../control/queries/overview.ts';
import type { Looked } from '../control/queries/troubles.ts';
import { movedAway, sayMoved } from '../state-dir/stateMarks.ts';
import { systemClock } from '../system/systemClock.ts';
import { startCommand } from '../system/userName.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { openReportsIfThere } from './session.ts';

/** What `status` and `top` have looked at. */
export interface Overview extends Looked {
  /** Why no agent may run here, in a sentence; null or left out where one may, or runs. */
  readonly movedAway?: string | null;
  /** When the document that has waited longest was named; milliseconds. */
  readonly oldestWaiting: number | null;
  /** What starts the agent, where none runs. */
  readonly startWith?: string;
}

/** Asks the daemon; where none runs, or it does not say, reads the ledger. */
export async function look(config: Config): Promise<Overview> {
  const answer = await askDaemon(config);
  if (typeof answer === 'object' && answer !== null) return fromDaemon(answer);
  const now = systemClock.now();
  const reports = await openReportsIfThere(config).catch((error: unknown) => {
    // Anyone who may not ask the agent has been told so, and who may.
    if (answer !== null && error instanceof ReceiptdError && error.code === 'FILE_UNREADABLE') return null;
    throw error;
  });
  const mark = answer === null ? await movedAway(config.stateDir).catch(() => null) : null;
  const startWith = await startCommand(config.stateDir);
  const silence = { now, daemon: null, silent: answer, movedAway: mark && sayMoved(mark), startWith };
  if (reports === null) return { ...silence, counts: [], holds: [], oldestWaiting: null };
  try {
    const counts = await reports.counts();
    const holds = await reports.holds();
    return { ...silence, counts, holds, oldestWaiting: await oldestWaiting(reports, counts) };
  } finally {
    await reports.close();
  }
}

/** An agent that is stopped or hangs must not keep those waiting who ask why. */
const ANSWER_MS = 5_000;
/** `USAGE` is what an older version says to a question it does not know. */
const NO_USE: ReadonlySet<string> = new Set(['CONTROL_FAILED', 'USAGE']);

/** Null where none runs; a sentence where one gives no answer that can be used. */
async function askDaemon({ stateDir }: Config): Promise<OverviewResponse | string | null> {
  try {
    return await callControl(stateDir, 'overview', {}, { timeoutMs: ANSWER_MS });
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    if (error.code === 'NOT_RUNNING') return null;
    // What the ledger says is true anyway.
    if (NO_USE.has(error.code)) return error.sentence();
    throw error;
  }
}

function fromDaemon({ now, status, counts, holds, backlog }: OverviewResponse): Overview {
  return {
    now: Date.parse(now),
    daemon: status,
    silent: null,
    counts,
    holds: holds.map(fromHoldJson),
    oldestWaiting: backlog.oldest === null ? null : Date.parse(backlog.oldest),
  };
}
