import type { Command } from './command.ts';
import { startLedgerThread } from '../wiring/ledgerThreadStart.ts';
import type { ExitStatus } from './exitStatus.ts';
import { durationOf } from './optionValues.ts';
import type { Io } from './io.ts';
import { configOf, type ConfigOption } from './session.ts';

interface RunOptions extends ConfigOption {
  readonly once?: boolean;
  readonly dryRun?: boolean;
  readonly wait: string;
  readonly yes?: boolean;
  readonly verbose?: boolean;
}

export function addRun(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { run: help } = io.texts.help;
  program
    .command('run')
    .description(help.about)
    .option('--config <file>', io.texts.option.config)
    .option('--once', help.once)
    .option('--wait <duration>', help.wait, '60s')
    .option('--dry-run', help.dryRun)
    .option('--verbose', help.verbose)
    .option('--yes', help.yes)
    .explain({
      examples: ['run --config /etc/receiptd/receiptd.yaml', 'run --dry-run', 'run --once --wait 5m'],
      statuses: help.statuses,
    })
    .action(async (options: RunOptions) => {
      const waitMs = durationOf('--wait', options.wait);
      if (options.dryRun) return (await import('./dryRun.ts')).dryRun(io, await configOf(io, options));
      // Starting early lets the ledger thread load in parallel with the modules below.
      const ledgerThread = startLedgerThread();
      const { runAgent } = await import('./runAgent.ts');
      const config = await configOf(io, options);
      if (config.ledger.kind !== 'sqlite') ledgerThread.cancel();
      const { once = false, yes = false, verbose = false } = options;
      done(await runAgent(io, config, { once, yes, verbose, waitMs, ledgerThread }));
    });
}
