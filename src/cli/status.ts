import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { callControl } from '../daemon/control/client.ts';
import { systemClock } from '../daemon/systemClock.ts';
import { ReceiptdError } from '../domain/errors.ts';
import type { LedgerReports, StateCount } from '../ports/ledgerReports.ts';
import { iso } from './format.ts';
import { helpOf } from './help.ts';
import { printJson, type Io } from './io.ts';
import type { Overview } from './overview.ts';
import { configOf, openReportsIfThere, type ConfigOption } from './session.ts';
import { printStatus } from './statusText.ts';

export function addStatus(program: Command, io: Io): void {
  program
    .command('status')
    .description('is it working, what waits and why, what needs a person')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { daemon, silent, counts, holds, oldestWaiting }')
    .addHelpText('after', helpOf({ examples: ['status', 'status --json'] }))
    .action(async (options: ConfigOption & { json?: boolean }) => {
      const config = await configOf(io, options);
      const overview = await look(config);
      if (options.json) printJson(io, jsonOf(overview));
      else printStatus(io, config, overview);
    });
}

async function look(config: Config): Promise<Overview> {
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

function jsonOf({ daemon, silent, counts, holds, oldestWaiting: oldest }: Overview) {
  return {
    daemon,
    silent,
    counts: counts.map(({ endpoint, ...rest }) => ({ ...rest, endpointUid: endpoint?.uid ?? null })),
    holds: holds.map(({ since, until, ...rest }) => ({
      ...rest,
      since: iso(since),
      until: until === null ? null : iso(until),
    })),
    oldestWaiting: oldest === null ? null : iso(oldest),
  };
}
