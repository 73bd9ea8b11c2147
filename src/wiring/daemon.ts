import { join } from 'node:path';
import type { Config, LoadContext } from '../config/config.ts';
import { controlSocketPath } from '../control/socketPath.ts';
import { SEND_BODY_BYTES } from '../control/protocol/sending.ts';
import { gidOf } from '../system/group.ts';
import { watchFile } from '../system/fileWatch.ts';
import { Generations } from '../daemon/generations.ts';
import type { ClosableLog } from '../logs/log.ts';
import type { InstanceLock } from '../state-dir/instanceLock.ts';
import { ServiceManager } from '../daemon/serviceManager.ts';
import { nicety } from '../daemon/nicety.ts';
import { runAll } from '../daemon/runAll.ts';
import { guardStateDir } from '../daemon/stateDirGuard.ts';
import { whileWritable } from '../daemon/whileWritable.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { LogLines } from '../core/ports/logLines.ts';
import { consequencesOf, unwritableIn } from './consequences.ts';
import { composeSideServices } from './sideServices.ts';
import { composeGeneration } from './generation.ts';
import { composeProcessScope } from './processScope.ts';
import { progressOf, type RunProgress } from './progress.ts';
import type { ServiceSurroundings } from './service.ts';
import { Settings } from './settings.ts';

export interface DaemonOptions extends ServiceSurroundings {
  /** The configuration as read at process start. */
  readonly config: Config;
  readonly context: LoadContext;
  /** Recent log lines, for those who follow the log. */
  readonly lines: LogLines;
  /** Calls back now and at each change: why the log file can't be written, or null. */
  readonly onLogFile: ClosableLog['onFile'];
  readonly lock: InstanceLock;
  readonly version: string;
  /** Progress display, on a terminal only. */
  readonly progress?: RunProgress | null;
  /** Calls back at each request to reload the configuration (SIGHUP); returns the function that stops it. */
  readonly onReload: (listener: () => void) => () => void;
}

/**
 * Runs the daemon: one ledger and one control server throughout, and one generation of the agent per configuration.
 * Resolves once `stop` has aborted and everything is closed. @throws the error that ended it early
 */
export async function runDaemon(options: DaemonOptions, stop: AbortSignal): Promise<void> {
  const { config, context, lock, log, lines, version } = options;
  const startedAt = new Date().toISOString();
  const lasting = await composeProcessScope(config, options);
  const { clock, ledger } = lasting;
  options.onLogFile((why) => tellLogFile(lasting.incidents, join(config.stateDir, 'logs'), why));
  // Ignores SIGHUP until the configuration is read: without a listener the signal would kill the process.
  let onReload = (): void => {};
  const endReload = options.onReload(() => onReload());
  try {
    const replace = (next: Config): Promise<void> => generations.replace(next);
    const foresee = (before: Config, after: Config) =>
      consequencesOf(before, after, { ...lasting, spool: () => generations.current.spool });
    const unwritable = (each: Config) => unwritableIn(each, each.folders, lasting.guards);
    const { file } = config;
    const settings = await Settings.read({ file, context, lasting, replace, foresee, unwritable });
    const { config: first } = settings.inEffect;
    if (first.stateDir !== config.stateDir)
      throw new ReceiptdError('CONFIG_CHANGED.whileStarting', { file: config.file });
    const generations = await Generations.start(first, {
      compose: (next: Config) => composeGeneration(next, lasting, { once: false }),
      clock,
      log,
    });
    try {
      const deps = { generations, settings, lasting, lines, version, startedAt };
      const beside = await composeSideServices(deps, stop);
      const silentMs = (): number => ledger.storage.silentMs?.() ?? 0;
      const manager = new ServiceManager({ env: options.env, pid: process.pid, clock, log, silentMs });
      const { startControlServer } = await import('../control/server/server.ts');
      const control = await startControlServer({
        ...beside.offer,
        bodyLimits: { send: SEND_BODY_BYTES },
        socketPath: controlSocketPath(config.stateDir),
        gid: config.control.group === null ? null : await gidOf(config.control.group),
      });
      await beside.start();
      log.info('agentStarted', {
        version,
        pid: process.pid,
        config: config.file,
        stateDir: config.stateDir,
      });
      onReload = () => void reload(config.file, settings, manager, log);
      await manager.ready();
      const endTelling = tellManager(manager, beside.line, stop);
      const parts = [
        (until: AbortSignal) => generations.run(until),
        (until: AbortSignal) => lasting.keepUp(until),
        ...beside.parts,
        nicety('withoutControlSocket', (until) => control.keepReachable(clock, until), { clock, log }),
        nicety(
          'withoutConfigWatch',
          (until) => watchFile(config.file, clock, (isLast) => settings.fileChanged(isLast), until),
          { clock, log },
        ),
      ];
      const endProgress = options.progress?.begin(
        progressOf(ledger, () => generations.current),
        stop,
      );
      try {
        const isInPlace = async () => (await lock.isInPlace()) && (await ledger.isInPlace());
        await guardStateDir({ isInPlace }, config.stateDir, clock, stop, (inPlace) =>
          whileWritable(ledger.storage, inPlace, (until) => runAll(parts, until)),
        );
      } finally {
        await endProgress?.();
        await endTelling();
        await beside.close();
        await control.close();
        log.info('agentStopped');
      }
    } finally {
      await generations.close();
    }
  } finally {
    endReload();
    await lasting.splitter?.close();
    await lasting.pictures.close();
    await lasting.deferred?.close();
    await ledger.close();
  }
}

function tellLogFile(incidents: Incidents, dir: string, why: string | null): void {
  const key = 'logFile';
  if (why === null) return incidents.close(key);
  incidents.open({ key, code: 'LOG_UNWRITABLE', params: { dir, system: why } });
}

/** Notifies the service manager, also while uploads in flight finish. Returns the function that stops it. */
function tellManager(
  manager: ServiceManager,
  status: () => Promise<string>,
  stop: AbortSignal,
): () => Promise<void> {
  const closed = new AbortController();
  const stopping = (): void => void manager.stopping();
  stop.addEventListener('abort', stopping, { once: true });
  const telling = manager.keepTelling(status, closed.signal);
  return async () => {
    stop.removeEventListener('abort', stopping);
    closed.abort();
    await telling;
  };
}

async function reload(
  file: string,
  settings: Settings,
  manager: ServiceManager,
  log: ServiceSurroundings['log'],
): Promise<void> {
  await manager.reloading(process.hrtime.bigint());
  log.info('configReloadRequested', { file });
  await settings.reload().catch((error: unknown) => {
    // Problems with the file are reported as an incident.
    if (!(error instanceof ReceiptdError)) log.error('configNotReloaded', { why: String(error) });
  });
  await manager.ready();
}
