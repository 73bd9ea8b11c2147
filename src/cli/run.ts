import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { composeGeneration } from '../wiring/generation.ts';
import { composeProcessScope } from '../wiring/processScope.ts';
import { progressOf } from '../wiring/progress.ts';
import type { Surroundings } from '../wiring/service.ts';
import { refuseExampleUid } from '../config/exampleUid.ts';
import { oddUids } from '../config/oddUids.ts';
import type { Config } from '../config/config.ts';
import { acquireInstanceLock } from '../state-dir/instanceLock.ts';
import { prepareStateDir } from '../state-dir/stateDir.ts';
import { whileWritable } from '../daemon/whileWritable.ts';
import { counted } from '../core/domain/words.ts';
import { confirmFirstWatch } from './confirm.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { helpOf } from './help.ts';
import { durationOf } from './optionValues.ts';
import { canDraw, loadContext, print, type Io } from './io.ts';
import { exitStatusOfOnce, summaryOf } from './once.ts';
import type { Progress } from './progress.ts';
import { configOf, openLog, type ConfigOption } from './session.ts';
import { VERSION } from './version.ts';

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
    .description('watch the folders and upload what appears in them')
    .option('--config <file>', 'config file')
    .option('--once', 'send what is there, then exit')
    .option('--wait <duration>', 'with --once: how long to wait for a service that does not answer', '60s')
    .option('--dry-run', 'show what would be sent, under which names; nothing is sent or recorded')
    .option('--verbose', 'on a terminal: show log lines instead of one line of progress')
    .option('--yes', 'do not ask before a folder with many files is sent for the first time')
    .addHelpText(
      'after',
      helpOf({
        examples: ['run --config /etc/receiptd/receiptd.yaml', 'run --dry-run', 'run --once --wait 5m'],
        statuses:
          '6 another one runs with this state directory; 130 ended by a signal. With --once, about this run alone: 0 all done; 3 a document failed or ' +
          'was lost, or a file that may be a receipt was rejected; 4 something waits (a hold, a missing folder, an\n' +
          'incomplete file); 5 the service could not be reached',
      }),
    )
    .action(async (options: Options) => {
      const config = await configOf(io, options);
      const waitMs = durationOf('--wait', options.wait);
      if (options.dryRun) return (await import('./dryRun.ts')).dryRun(io, config);
      refuseExampleUid(config);
      const { once = false, yes = false, verbose = false } = options;
      done(await runAgent(io, config, { once, yes, verbose, waitMs }));
    });
}

/** Until `io.stop`. */
export async function runAgent(
  io: Io,
  config: Config,
  how: {
    readonly once: boolean;
    readonly yes: boolean;
    readonly verbose: boolean;
    readonly waitMs: number;
  },
): Promise<ExitStatus> {
  const { note } = await prepareStateDir(config);
  const lock = await acquireInstanceLock(config.stateDir);
  const progress = how.verbose || !canDraw(io) ? null : await progressOn(io.stderr, config, how.once);
  const { log, secrets } = await openLog(io, config, { toFile: true, above: progress?.line });
  try {
    if (note !== null) log.warn(note);
    for (const sentence of oddUids(config)) log.warn(sentence);
    await confirmFirstWatch(io, config, how.yes);
    // An agent lives beside other people's programs: collect garbage sooner rather than grow (a burst of 20,000 files
    // took 240 MB without this, 170 MB with it). Not sooner: what is loaded stays, and would be looked through again and again.
    setFlagsFromString('--heap-growing-percent=25');
    // The HTTP parser is WebAssembly. By default its first answer has V8 optimise it, for 70 ms of a processor for which the end
    // of the process waits; so it is done for those who send hundreds.
    setFlagsFromString('--wasm-tiering-budget=1000000000');
    const surroundings = { env: io.env, log, secrets };
    if (how.once) return await runOnce(io, config, surroundings, how.waitMs, progress);
    const context = loadContext(io);
    const { onReload } = io;
    // A single run has no use for what a daemon is asked.
    const { runDaemon } = await import('../wiring/daemon.ts');
    await runDaemon(
      { ...surroundings, config, context, lock, lines: log.lines, version: VERSION, onReload, progress },
      io.stop,
    );
    progress?.say(progress.summary);
    return EXIT.ok;
  } finally {
    await log.close();
    progress?.close();
    await lock.release();
  }
}

async function runOnce(
  io: Io,
  config: Config,
  surroundings: Surroundings,
  waitMs: number,
  progress: Progress | null,
): Promise<ExitStatus> {
  const lasting = await composeProcessScope(config, { ...surroundings, version: VERSION, progress });
  try {
    const generation = await composeGeneration(config, lasting, { once: true });
    const endProgress = progress?.begin(
      progressOf(lasting.ledger, () => generation),
      io.stop,
    );
    try {
      const result = await whileWritable(lasting.ledger.storage, io.stop, (stop) =>
        generation.once(stop, waitMs),
      );
      await endProgress?.();
      print(io, summaryOf(result));
      return io.stop.aborted ? EXIT.interrupted : exitStatusOfOnce(result);
    } finally {
      await endProgress?.();
      await generation.close();
    }
  } finally {
    await lasting.deferred?.close();
    await lasting.ledger.close();
  }
}

/** Loaded when it is wanted: to know how wide characters are takes a while. */
async function progressOn(
  terminal: NodeJS.WriteStream,
  { folders }: Config,
  once: boolean,
): Promise<Progress> {
  const { Progress } = await import('./progress.ts');
  const watched = counted(folders.length, 'folder');
  const opening = `Watching ${watched}. Ctrl-C ends this; --verbose shows each step.`;
  return new Progress(terminal, once ? null : opening);
}
