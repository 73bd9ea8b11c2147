import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { composeAgent, type Composed } from '../compose/agent.ts';
import { clock } from '../compose/machine.ts';
import { composeReading } from '../compose/reading.ts';
import { parseDuration } from '../config/units.ts';
import type { Config } from '../config/config.ts';
import { gidOf } from '../daemon/group.ts';
import { controlSocketPath } from '../daemon/control/socketPath.ts';
import type { Offer } from '../daemon/control/respond.ts';
import { acquireInstanceLock, type InstanceLock } from '../daemon/instanceLock.ts';
import { whileInPlace } from '../daemon/whileInPlace.ts';
import { prepareStateDir } from '../daemon/stateDir.ts';
import { ReceiptdError } from '../domain/errors.ts';
import type { ClosableLog } from '../telemetry/log.ts';
import { confirmFirstWatch } from './confirm.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { helpOf } from './help.ts';
import { isTerminal, print, type Io } from './io.ts';
import { exitStatusOfOnce, showProgress, summaryOf } from './once.ts';
import { configOf, openLog, type ConfigOption } from './session.ts';
import { VERSION } from './version.ts';

interface Options extends ConfigOption {
  readonly once?: boolean;
  readonly dryRun?: boolean;
  readonly wait: string;
  readonly yes?: boolean;
}

export function addRun(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  program
    .command('run')
    .description('watch the folders and upload what appears in them')
    .option('--config <file>', 'config file')
    .option('--once', 'send what is there, then exit')
    .option('--wait <duration>', 'with --once: how long a service that does not answer is waited for', '60s')
    .option('--dry-run', 'show what would be sent, under which names; nothing is sent or recorded')
    .option('--yes', 'do not ask before a folder with many files is sent for the first time')
    .addHelpText(
      'after',
      helpOf({
        examples: ['run --config /etc/receiptd/receiptd.yaml', 'run --dry-run', 'run --once --wait 5m'],
        statuses:
          '6 another one runs with this\nstate directory; 130 ended by a signal. With --once: 0 all accepted, duplicate or skipped; 3 something was\n' +
          'failed, rejected or lost; 4 something waits (a hold, a missing folder, an incomplete file);\n' +
          '5 the service could not be reached',
      }),
    )
    .action(async (options: Options) => {
      const config = await configOf(io, options);
      const waitMs = durationOf(options.wait);
      if (options.dryRun) return (await import('./dryRun.ts')).dryRun(io, config);
      done(await runAgent(io, config, { once: options.once ?? false, yes: options.yes ?? false, waitMs }));
    });
}

async function runAgent(
  io: Io,
  config: Config,
  how: { readonly once: boolean; readonly yes: boolean; readonly waitMs: number },
): Promise<ExitStatus> {
  const { note } = await prepareStateDir(config);
  const lock = await acquireInstanceLock(config.stateDir);
  const bar = how.once && isTerminal(io.stderr);
  const { log, secrets } = await openLog(io, config, { toFile: true });
  try {
    if (note !== null) log.warn(note);
    await confirmFirstWatch(io, config, how.yes);
    const composed = await composeAgent(config, how, { env: io.env, log, secrets });
    // An agent lives beside other people's programs: collect garbage sooner rather than grow (a burst of 20,000 files
    // took 240 MB without this, 170 MB with it). Not sooner: what is loaded stays, and would be looked through again and again.
    setFlagsFromString('--heap-growing-percent=25');
    try {
      if (how.once) return await runOnce(io, composed, how.waitMs, bar);
      await serve(io, config, composed, lock, log);
      return EXIT.ok;
    } finally {
      await composed.close();
    }
  } finally {
    await log.close();
    await lock.release();
  }
}

async function serve(
  io: Io,
  config: Config,
  composed: Composed,
  lock: InstanceLock,
  log: ClosableLog,
): Promise<void> {
  const { agent, ledger, operations } = composed;
  const startedAt = new Date().toISOString();
  const { startControlServer } = await import('../daemon/control/server.ts');
  const reading = composeReading({
    ...composed,
    log,
    lines: log.lines,
    endpoints: () => config.endpoints,
    status: () => ({ pid: process.pid, startedAt, version: VERSION, ...composed.status() }),
  });
  const offer: Offer = {
    log,
    streams: reading.streams,
    operations: {
      ...reading.operations,
      retry: (request) => operations.retry(request),
      tryHeld: () => operations.tryHeld(),
      resend: (request) => operations.resend(request),
      pause: (request) => operations.pause(request),
      resume: (request) => operations.resume(request),
      recordEndpoint: (request) => operations.recordEndpoint(request),
      erase: (request) => operations.erase(request),
      backup: (request) => operations.backup(request),
      openConsole: () => console.open(),
    },
  };
  const console = composed.console(offer);
  const control = await startControlServer({
    socketPath: controlSocketPath(config.stateDir),
    gid: config.control.group === null ? null : await gidOf(config.control.group),
    ...offer,
  });
  await console.start();
  log.info('receiptd has started', {
    version: VERSION,
    pid: process.pid,
    config: config.file,
    stateDir: config.stateDir,
  });
  try {
    const isInPlace = async () => (await lock.isInPlace()) && (await ledger.isInPlace());
    await whileInPlace({ isInPlace }, config.stateDir, clock, io.stop, (stop) => agent.run(stop));
  } finally {
    await console.close();
    await control.close();
    log.info('receiptd has stopped');
  }
}

async function runOnce(io: Io, composed: Composed, waitMs: number, bar: boolean): Promise<ExitStatus> {
  const progress = bar ? showProgress(io, composed.ledger) : null;
  try {
    const result = await composed.agent.once(io.stop, waitMs);
    await progress?.end();
    print(io, summaryOf(result));
    return io.stop.aborted ? EXIT.interrupted : exitStatusOfOnce(result);
  } finally {
    await progress?.end();
  }
}

function durationOf(text: string): number {
  const duration = parseDuration(text);
  if (!Number.isNaN(duration)) return duration;
  throw new ReceiptdError('USAGE', `--wait does not take "${text}".`, {
    hint: 'It takes a duration like 30s or 5m.',
  });
}
