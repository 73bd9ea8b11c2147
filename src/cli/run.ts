import type { Command } from './command.ts';
import { startLedgerThread } from '../wiring/ledgerThreadStart.ts';
import type { ExitStatus } from './exitStatus.ts';
import { durationOf } from './optionValues.ts';
import type { Io } from './io.ts';
import { configOf, type ConfigOption } from './session.ts';

interface Options extends ConfigOption {
  readonly once?: boolean;
  readonly dryRun?: boolean;
  readonly wait: string;
  readonly yes?: boolean;
  readonly verbose?: boolean;
}

export function addRun(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  program
    .command('run')
    .description('watch the folders and upload new scans')
    .option('--config <file>', 'config file')
    .option('--once', 'send what is waiting, then exit')
    .option('--wait <duration>', 'with --once: how long to wait if the service does not answer', '60s')
    .option('--dry-run', 'show what would be sent, and under which names; nothing is sent or recorded')
    .option('--verbose', 'on a terminal: show log lines instead of a progress line')
    .option('--yes', "don't ask before sending a folder with many files for the first time")
    .explain({
      examples: ['run --config /etc/receiptd/receiptd.yaml', 'run --dry-run', 'run --once --wait 5m'],
      statuses:
        '6 another receiptd uses this state directory; 130 stopped by a signal. With --once, for this run alone: 0 all done; 3 a document failed or ' +
        'was lost, or a file that may be a receipt was rejected; 4 something is waiting (a hold, a missing folder, an\n' +
        'incomplete file); 5 the service could not be reached',
    })
    .action(async (options: Options) => {
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
