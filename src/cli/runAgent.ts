import { setFlagsFromString } from 'node:v8';
import type { startLedgerThread } from '../wiring/ledgerThreadStart.ts';
import { progressOf } from '../wiring/progress.ts';
import type { ServiceSurroundings } from '../wiring/service.ts';
import { refuseExampleUid } from '../config/exampleUid.ts';
import { oddUids } from '../config/oddUids.ts';
import type { Config } from '../config/config.ts';
import { acquireInstanceLock } from '../state-dir/instanceLock.ts';
import { prepareStateDir } from '../state-dir/stateDir.ts';
import { confirmFirstWatch } from './confirm.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { canDraw, loadContext, print, type Io } from './io.ts';
import { exitStatusOfOnce, summaryOf } from './once.ts';
import { textsOf } from './language.ts';
import type { Progress } from './progress.ts';
import { openLog } from './session.ts';
import { withSingleRun } from './singleRun.ts';
import { VERSION } from './version.ts';
import { whyText } from '../core/domain/why.ts';

interface RunAgentOptions {
  readonly once: boolean;
  readonly yes: boolean;
  readonly verbose: boolean;
  readonly waitMs: number;
  /** Started before this module was loaded. */
  readonly ledgerThread?: ReturnType<typeof startLedgerThread>;
}

/** Runs the agent until `io.stop` aborts. */
export async function runAgent(io: Io, config: Config, how: RunAgentOptions): Promise<ExitStatus> {
  refuseExampleUid(config);
  const { note } = await prepareStateDir(config);
  const lock = await acquireInstanceLock(config.stateDir);
  const progress = how.verbose || !canDraw(io) ? null : await progressOn(io, config, how.once);
  const { log, secrets } = await openLog(io, config, { toFile: true, above: progress?.line });
  try {
    if (note !== null) log.warn('stateDirExposed', { detail: whyText(note) });
    for (const { alias, uid } of oddUids(config)) log.warn('endpointUidOdd', { alias, uid });
    await confirmFirstWatch(io, config, how.yes);
    // The agent shares its machine with other programs, so collect garbage earlier rather than grow (a burst of 20,000 files
    // took 240 MB without this, 170 MB with it). A lower value would rescan the loaded program over and over.
    setFlagsFromString('--heap-growing-percent=25');
    // The HTTP parser is WebAssembly. By default V8 optimises it after the first response, which takes 70 ms of processor time
    // and delays the end of the process. Optimise it only for runs that send hundreds of documents.
    setFlagsFromString('--wasm-tiering-budget=1000000000');
    // Optimisation takes a sixth of the processor time for 8,000 small files. With less inlining, it takes three quarters of
    // that.
    setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
    const { ledgerThread } = how;
    const surroundings = { env: io.env, log, secrets, ...(ledgerThread && { ledgerThread }) };
    if (how.once) return await runOnce(io, config, surroundings, how.waitMs, progress);
    const context = loadContext(io);
    const { onReload } = io;
    // Loaded on demand: a single run does not need the daemon's modules.
    const { runDaemon } = await import('../wiring/daemon.ts');
    await runDaemon(
      {
        ...surroundings,
        config,
        context,
        lock,
        lines: log.lines,
        onLogFile: log.onFile,
        version: VERSION,
        onReload,
        progress,
      },
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
  surroundings: ServiceSurroundings & Pick<RunAgentOptions, 'ledgerThread'>,
  waitMs: number,
  progress: Progress | null,
): Promise<ExitStatus> {
  const scope = { ...surroundings, version: VERSION, progress };
  return withSingleRun(config, scope, async ({ ledger, generation, whileWritable }) => {
    const endProgress = progress?.begin(
      progressOf(ledger, () => generation),
      io.stop,
    );
    try {
      const result = await whileWritable(io.stop, (stop) => generation.once(stop, waitMs));
      await endProgress?.();
      print(io, summaryOf(result, (await textsOf(io)).needs, io.texts.once));
      return io.stop.aborted ? EXIT.interrupted : exitStatusOfOnce(result);
    } finally {
      await endProgress?.();
    }
  });
}

/** Loaded on demand, because the character width tables are slow to load. */
async function progressOn({ stderr, texts }: Io, { folders }: Config, once: boolean): Promise<Progress> {
  const { Progress } = await import('./progress.ts');
  return new Progress(stderr, texts, once ? null : texts.run.watching(folders.length));
}
