import { toHoldJson } from '../control/protocol/holdJson.ts';
import type { Command } from './command.ts';
import { sharedLedger } from '../config/fleetMember.ts';
import type { Config } from '../config/config.ts';
import { iso } from '../core/domain/words.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { printJson, type Io } from './io.ts';
import { look, type Overview } from './overview.ts';
import { configOf, type JsonOption } from './session.ts';
import { printStatus } from './statusText.ts';

export function addStatus(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  program
    .command('status')
    .description('show whether receiptd works, what is waiting and why, and what needs a person')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { daemon, silent, ledger, problems, counts, holds, oldestWaiting }')
    .option('--running', 'fail if no agent answers; for containers and watchdogs')
    .explain({
      examples: ['status', 'status --json', 'status --running'],
      statuses: '1 an agent is running, but gives no usable answer; with --running also if none is running',
    })
    .action(async (options: JsonOption & { running?: boolean }) => {
      const config = await configOf(io, options);
      const overview = await look(config);
      if (overview.silent !== null || (options.running && overview.daemon === null)) done(EXIT.failed);
      if (options.json) printJson(io, jsonOf(config, overview));
      else await printStatus(io, config, overview);
    });
}

function jsonOf(
  config: Config,
  { daemon, silent, problems, counts, holds, oldestWaiting: oldest }: Overview,
) {
  return {
    daemon,
    silent,
    ledger: sharedLedger(config),
    problems,
    counts: counts.map(({ endpoint, ...rest }) => ({ ...rest, endpointUid: endpoint?.uid ?? null })),
    holds: holds.map(toHoldJson),
    oldestWaiting: oldest === null ? null : iso(oldest),
  };
}
