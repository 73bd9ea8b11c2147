import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { findConfig } from '../config/locate.ts';
import type { ActName, Request, Response } from '../control/protocol/protocol.ts';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { openReports } from '../ledger/configured/reports.ts';
import { ledgerPath } from '../state-dir/stateFiles.ts';
import type { ClosableLog } from '../logs/log.ts';
import { createRedactor, type Redactor } from '../logs/redact.ts';
import { VERSION } from './version.ts';
import { isTerminal, loadContext, usesColor, type Io } from './io.ts';
import { logTexts } from '../texts/en/log.ts';

/** Copying a large ledger takes long. */
const BACKUP_MS = 30 * 60_000;

export interface ConfigOption {
  readonly config?: string;
}

export interface JsonOption extends ConfigOption {
  readonly json?: boolean;
}

export async function configOf(io: Io, { config }: ConfigOption): Promise<Config> {
  const context = loadContext(io);
  return loadConfig(await findConfig(config, context), context);
}

/** Readable lines on a terminal, JSON otherwise; always on stderr, so that stdout carries results only. */
export async function openLog(
  io: Io,
  config: Config,
  {
    toFile,
    level,
    above,
  }: {
    readonly toFile: boolean;
    readonly level?: Config['log']['level'];
    /** With a progress line: only warnings and errors appear, above it; everything else goes to the file. */
    readonly above?: NodeJS.WritableStream | undefined;
  },
): Promise<{ log: ClosableLog; secrets: Redactor }> {
  const secrets = createRedactor();
  const { maxSize, maxFiles } = config.log;
  // Loaded on demand: commands that only read don't log.
  const { createLog } = await import('../logs/log.ts');
  const log = await createLog({
    texts: logTexts,
    level: level ?? config.log.level,
    terminal: above ?? io.stderr,
    terminalLevel: above && 'warn',
    isTerminal: isTerminal(io.stderr),
    color: usesColor(io, io.stderr),
    secrets,
    ...(toFile && { file: { dir: join(config.stateDir, 'logs'), maxSize, maxFiles } }),
  });
  return { log, secrets };
}

/** Null before the first run. */
export async function openReportsIfThere(
  config: Config,
): Promise<Awaited<ReturnType<typeof openReports>> | null> {
  try {
    return await openReports(config);
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'LEDGER_MISSING') return null;
    throw error;
  }
}

/** Runs an operation in the daemon or, if none is running, directly on the ledger under the instance lock. */
export async function operate<O extends Changing>(
  io: Io,
  config: Config,
  operation: O,
  request: Request<O>,
): Promise<Response<O>> {
  const { callIfRunning } = await controlClient();
  const answer = await callIfRunning(config.stateDir, operation, request, {
    signal: io.stop,
    ...(operation === 'backup' && { timeoutMs: BACKUP_MS }),
  });
  return answer ?? operateAlone(io, config, operation, request);
}

/** Operations that change something; also done without an agent. */
type Changing = ActName | 'actOnMany';

/** With a new, empty ledger, these do nothing; a mistyped state directory must not pass for that. */
const NEEDS_LEDGER: ReadonlySet<Changing> = new Set([
  'backup',
  'actOnMany',
  'retry',
  'resend',
  'dismiss',
  'erase',
  'resume',
]);

async function operateAlone<O extends Changing>(
  io: Io,
  config: Config,
  operation: O,
  request: Request<O>,
): Promise<Response<O>> {
  if (NEEDS_LEDGER.has(operation)) await demandLedger(config);
  return underLock(config, async () => {
    const { composeOperations } = await import('../wiring/operations.ts');
    const { log } = await openLog(io, config, { toFile: false, level: 'warn' });
    try {
      const { operations, close } = await composeOperations(config, log, VERSION);
      try {
        const run = operations[operation].bind(operations) as (request: Request<O>) => Promise<Response<O>>;
        return await run(request);
      } finally {
        await close();
      }
    } finally {
      await log.close();
    }
  });
}

/** Runs `work` while no agent can run on the state directory. `evenIfMoved`: also on one that was closed for a move. */
export async function underLock<T>(
  config: Config,
  work: () => Promise<T>,
  { evenIfMoved = false }: { readonly evenIfMoved?: boolean } = {},
): Promise<T> {
  // Loaded on demand: commands that only read don't need them.
  const [{ prepareStateDir }, { acquireInstanceLock }] = await Promise.all([
    import('../state-dir/stateDir.ts'),
    import('../state-dir/instanceLock.ts'),
  ]);
  await prepareStateDir(config);
  const lock = await acquireInstanceLock(config.stateDir, { evenIfMoved });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Without this check, an empty ledger would be created, and its copy pass for a backup. */
async function demandLedger(config: Config): Promise<void> {
  if (await hasLedger(config)) return;
  throw new ReceiptdError('LEDGER_MISSING.notInStateDir', { stateDir: config.stateDir });
}

/** Whether a ledger or its journal is in the state directory; true for a shared ledger. */
export async function hasLedger({ stateDir, ledger }: Config): Promise<boolean> {
  if (ledger.kind === 'postgres') return true;
  const paths = [ledgerPath({ stateDir }), join(stateDir, 'ledger.journal')];
  // Any other error means that the file exists; opening the ledger reports it later.
  const missing = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => false,
        (error: unknown) => systemCode(error) === 'ENOENT',
      ),
    ),
  );
  return missing.includes(false);
}

/** False also while one is starting. @throws ReceiptdError CONTROL_FAILED */
export async function agentAnswers({ stateDir }: Config): Promise<boolean> {
  const { callIfRunning } = await controlClient();
  return callIfRunning(stateDir, 'status', {}).then(
    (answer) => answer !== null,
    (error: unknown) => {
      if (error instanceof ReceiptdError && error.code === 'ALREADY_RUNNING') return false;
      throw error;
    },
  );
}

/** Makes a running agent do now what it would notice later. Not an error if none answers, or only another user's. */
export async function hurryAgent({ stateDir }: Config, operation: 'reload' | 'tryHeld'): Promise<void> {
  const { callControl } = await controlClient();
  await callControl(stateDir, operation, {}).catch((error: unknown) => {
    if (!(error instanceof ReceiptdError)) throw error;
  });
}

/** Loaded on demand: `run` never calls a daemon, so it should not pay for loading the client. */
function controlClient() {
  return import('../control/client.ts');
}
