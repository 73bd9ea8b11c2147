import { resolve } from 'node:path';
import { choice, type Command } from './command.ts';
import type { Config } from '../config/config.ts';
import { loadConfig, parseConfig, readConfigFile, textOf } from '../config/load.ts';
import { findConfig } from '../config/locate.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Scope } from '../features/os-service/agent.ts';
import { runVisibly } from '../features/os-service/host.ts';
import type { Manager, ManagerStatus } from '../features/os-service/manager.ts';
import { isEdited } from '../features/os-service/mark.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { loadContext, print, printJson, type Io } from './io.ts';
import { numberOf } from './optionValues.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { hostOf, managerOf } from './serviceHost.ts';
import { installService } from './serviceInstall.ts';
import type { ConfigOption, JsonOption } from './session.ts';

interface Options extends JsonOption {
  readonly scope?: Scope;
  readonly user?: string;
  readonly start: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly exec?: string;
  readonly configAt?: string;
  readonly follow?: boolean;
  readonly lines: string;
}

export function addService(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const service = program
    .command('service')
    .description('run the agent as a service; start, stop and monitor it');
  const add = (name: string, description: string, examples: readonly string[], statuses?: string): Command =>
    service
      .command(name)
      .description(description)
      .option('--config <file>', 'config file')
      .addOption(
        choice(
          '--scope <scope>',
          'for the machine or for you alone; defaults to system for root, otherwise user',
          ['system', 'user'] satisfies Scope[],
        ),
      )
      .explain({ examples, ...(statuses !== undefined && { statuses }) });
  add('install', 'install or update the service, and start it', [
    'service install',
    'service install --scope user',
    'service install --dry-run > receiptd.service',
  ])
    .option('--user <name>', 'user that the service runs as; receiptd is created if missing')
    .option('--no-start', "don't start it now")
    .option('--dry-run', 'change nothing; print the service definition, the steps, and any problems')
    .option('--force', 'overwrite the service definition even if it was edited by hand')
    .option('--exec <program>', 'for packages: the program to run, instead of this one')
    .option('--config-at <file>', 'for packages, with --dry-run: where the config file will be')
    .action((options: Options) => install(io, options));
  add('uninstall', 'stop and remove the service; ledger, config and credentials stay', ['service uninstall'])
    .option('--force', 'remove the service definition even if it was edited by hand')
    .action((options: Options) => uninstall(io, options));
  add('start', 'start the service', ['service start']).action(async (options: Options) => {
    await (await installed(io, options)).manager.start();
    print(io, 'Started.');
  });
  add('stop', 'stop the service until you start it or the machine restarts', ['service stop']).action(
    async (options: Options) => {
      await (await installed(io, options)).manager.stop();
      print(io, 'Stopped.');
    },
  );
  add('restart', 'restart the service', ['service restart']).action(async (options: Options) => {
    await (await installed(io, options)).manager.restart();
    print(io, 'Restarted.');
  });
  add(
    'status',
    'show whether the service is installed and running, and its status',
    ['service status'],
    '1 not running',
  )
    .option('--json', 'as JSON: { manager, file, installed, enabled, running, state, says, pid }')
    .action(async (options: Options) => done(await status(io, options)));
  add('logs', "show the service's log", ['service logs', 'service logs --follow', 'service logs -n 100'])
    .option('-f, --follow', 'keep showing new lines')
    .option('-n, --lines <number>', 'number of lines', '50')
    .action(async (options: Options) => done(await logs(io, options)));
}

async function install(io: Io, options: Options): Promise<void> {
  const scope = scopeOf(io, options);
  const { user, start, dryRun = false, force = false, exec } = options;
  if (options.configAt !== undefined && !dryRun) {
    throw new ReceiptdError('USAGE.configAtWithoutDryRun');
  }
  const config = await configFor(io, options, scope);
  const made = await installService(io, config, {
    scope,
    start,
    dryRun,
    elsewhere: options.configAt !== undefined,
    force,
    ...(user !== undefined && { user }),
    ...(exec !== undefined && { exec }),
  });
  if (dryRun) io.stdout.write(made.text);
  for (const note of made.notes) io.stderr.write(`${note.split('\n').map(escapeUnsafe).join('\n')}\n`);
  if (made.refusal !== null) throw made.refusal;
  if (dryRun) return;
  print(io, `receiptd is now a ${made.manager} service, running as the user ${escapeUnsafe(made.user)}.`);
  if (made.file !== null) print(io, `Service definition: ${escapeUnsafe(made.file)}`);
  const manager = managerOf(hostOf(io), scope, made.user, config.stateDir);
  if (made.started) printStatus(io, await manager.status());
  else print(io, 'Start it with: receiptd service start');
}

async function uninstall(io: Io, options: Options): Promise<void> {
  const found = await installed(io, options);
  const { manager } = found;
  const text = await manager.installed();
  if (text === null) {
    throw new ReceiptdError('NOT_INSTALLED.byPackage', { file: manager.file });
  }
  if (manager.file !== null && isEdited(text) && !options.force) {
    throw new ReceiptdError('INSTALL_EDITED.uninstall', { file: manager.file });
  }
  for (const note of await manager.uninstall()) io.stderr.write(`${note}\n`);
  print(io, 'Stopped and removed the service.');
  const config = found.config === null ? '' : ` ${escapeUnsafe(found.config.file)}`;
  const state = found.config === null ? 'its state directory' : escapeUnsafe(found.config.stateDir);
  print(io, `Not removed: the configuration${config}, and the ledger, copies and log in ${state}.`);
  print(io, 'The credentials and the user it ran as were not removed either.');
}

async function status(io: Io, options: Options): Promise<ExitStatus> {
  const { manager } = await find(io, options);
  const found = await manager.status();
  const { isInstalled, isEnabled, isRunning, state, says, pid } = found;
  if (options.json) {
    const { name, file } = manager;
    printJson(io, {
      manager: name,
      file,
      installed: isInstalled,
      enabled: isEnabled,
      running: isRunning,
      state,
      says,
      pid,
    });
  } else if (isInstalled) printStatus(io, found);
  else print(io, 'receiptd is not installed as a service. To install it, run: receiptd service install');
  return isRunning ? EXIT.ok : EXIT.failed;
}

function printStatus(io: Io, { isRunning, isEnabled, state, says, pid }: ManagerStatus): void {
  const process = pid === null ? '' : `, process ${pid}`;
  print(io, `${isRunning ? 'It runs' : 'It does not run'}: ${escapeUnsafe(state)}${process}.`);
  if (says !== null) print(io, escapeUnsafe(says));
  else if (isRunning) print(io, '`receiptd status` shows how it is doing.');
  if (!isRunning) print(io, 'To find out why, run `receiptd service logs` and `receiptd check`.');
  if (!isEnabled) print(io, 'It does not start with the machine.');
}

async function logs(io: Io, options: Options): Promise<ExitStatus> {
  const lines = numberOf('--lines', options.lines, 0, 999_999_999);
  const { manager } = await installed(io, options);
  const command = manager.logs({ lines, follow: options.follow ?? false });
  const ended = await runVisibly(command, { env: io.env, signal: io.stop });
  // Ending --follow with Ctrl-C is not a failure.
  return ended === 0 || io.stop.aborted ? EXIT.ok : EXIT.failed;
}

interface Found {
  readonly manager: Manager;
  /** Null if it can't be read and is not needed. */
  readonly config: Config | null;
}

/** The service of the given scope; without one, the user's service if installed, otherwise the system service. */
async function find(io: Io, options: Options): Promise<Found> {
  const scope = scopeOf(io, options);
  const found = await lookFor(io, options, scope);
  if (options.scope !== undefined || scope === 'system') {
    await found.manager.present();
    return found;
  }
  if (await isInstalled(found.manager)) return found;
  const ofMachine = await lookFor(io, options, 'system');
  if (await isInstalled(ofMachine.manager)) return ofMachine;
  await found.manager.present();
  return found;
}

async function lookFor(io: Io, options: Options, scope: Scope): Promise<Found> {
  const host = hostOf(io);
  // systemd has the log; elsewhere the config says where it is.
  const config = await configFor(io, options, scope).catch((error: unknown) => {
    if (host.platform !== 'linux' || options.config !== undefined || !(error instanceof ReceiptdError))
      throw error;
    return null;
  });
  return { manager: managerOf(host, scope, '', config?.stateDir ?? ''), config };
}

async function isInstalled(manager: Manager): Promise<boolean> {
  try {
    await manager.present();
    return (await manager.status()).isInstalled;
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'MANAGER_ABSENT') return false;
    throw error;
  }
}

async function installed(io: Io, options: Options): Promise<Found> {
  const found = await find(io, options);
  if ((await found.manager.status()).isInstalled) return found;
  throw new ReceiptdError('NOT_INSTALLED.notAService', {
    other: scopeOf(io, options) === 'user' ? 'system' : 'user',
  });
}

function scopeOf(io: Io, { scope, user, configAt }: Options): Scope {
  if (scope !== undefined) return scope;
  const { uid } = hostOf(io);
  // Definitions for packages are created without root, and --user only applies to system services.
  return uid === 0 || uid === null || user !== undefined || configAt !== undefined ? 'system' : 'user';
}

/** The config as the service sees it: a system service uses root's default state directory, no matter which user runs this command. */
async function configFor(
  io: Io,
  options: ConfigOption & { readonly configAt?: string },
  scope: Scope,
): Promise<Config> {
  const context = loadContext(io);
  const isRoot = context.isRoot || (scope === 'system' && context.platform !== 'win32');
  const file = await findConfig(options.config, context);
  if (options.configAt === undefined) return loadConfig(file, { ...context, isRoot });
  // Parse it as if it were already at --config-at.
  return parseConfig(textOf(await readConfigFile(file), file), resolve(options.configAt), {
    ...context,
    isRoot,
  });
}
