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
  const { help, option } = io.texts;
  program
    .command('status')
    .description(help.status.about)
    .option('--config <file>', option.config)
    .option('--json', help.status.json)
    .option('--running', help.status.running)
    .explain({
      examples: ['status', 'status --json', 'status --running'],
      statuses: help.status.statuses,
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
    silent: silent?.facts() ?? null,
    ledger: sharedLedger(config),
    problems,
    counts: counts.map(({ endpoint, ...rest }) => ({ ...rest, endpointUid: endpoint?.uid ?? null })),
    holds: holds.map(toHoldJson),
    oldestWaiting: oldest === null ? null : iso(oldest),
  };
}
