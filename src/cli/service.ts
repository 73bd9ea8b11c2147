import { resolve } from 'node:path';
import { choice, type Command } from './command.ts';
import type { Config } from '../config/config.ts';
import { loadConfig, parseConfig, readConfigFile, textOf } from '../config/load.ts';
import { findConfig } from '../config/locate.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { InstallScope } from '../features/os-service/agent.ts';
import { runVisibly } from '../features/os-service/host.ts';
import type { Manager, ManagerStatus } from '../features/os-service/manager.ts';
import { isEdited } from '../features/os-service/mark.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { loadContext, print, printJson, type Io } from './io.ts';
import { numberOf } from './optionValues.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import type { Explained } from './help.ts';
import { hostOf, managerOf } from './serviceHost.ts';
import { installService } from './serviceInstall.ts';
import type { ConfigOption, JsonOption } from './session.ts';

interface ServiceOptions extends JsonOption {
  readonly scope?: InstallScope;
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
  const { help, option, service: words } = io.texts;
  const service = program.command('service').description(help.service.about);
  const add = (
    name: string,
    { about, statuses }: { readonly about: string; readonly statuses?: string },
    explained: Explained,
  ): Command =>
    service
      .command(name)
      .description(about)
      .option('--config <file>', option.config)
      .addOption(choice('--scope <scope>', help.service.scope, ['system', 'user'] satisfies InstallScope[]))
      .explain({ ...explained, ...(statuses !== undefined && { statuses }) });
  add('install', help.serviceInstall, {
    examples: [
      'service install',
      'service install --scope user',
      'service install --dry-run > receiptd.service',
    ],
  })
    .option('--user <name>', help.serviceInstall.user)
    .option('--no-start', help.serviceInstall.noStart)
    .option('--dry-run', help.serviceInstall.dryRun)
    .option('--force', help.serviceInstall.force)
    .option('--exec <program>', help.serviceInstall.exec)
    .option('--config-at <file>', help.serviceInstall.configAt)
    .action((options: ServiceOptions) => install(io, options));
  add('uninstall', help.serviceUninstall, { examples: ['service uninstall'] })
    .option('--force', help.serviceUninstall.force)
    .action((options: ServiceOptions) => uninstall(io, options));
  for (const [name, its, done] of [
    ['start', help.serviceStart, words.started],
    ['stop', help.serviceStop, words.stopped],
    ['restart', help.serviceRestart, words.restarted],
  ] as const)
    add(name, its, { examples: [`service ${name}`] }).action(async (options: ServiceOptions) => {
      await (await installed(io, options)).manager[name]();
      print(io, done);
    });
  add('status', help.serviceStatus, { examples: ['service status'] })
    .option('--json', help.serviceStatus.json)
    .action(async (options: ServiceOptions) => done(await status(io, options)));
  add('logs', help.serviceLogs, {
    examples: ['service logs', 'service logs --follow', 'service logs -n 100'],
  })
    .option('-f, --follow', help.serviceLogs.follow)
    .option('-n, --lines <number>', help.serviceLogs.lines, '50')
    .action(async (options: ServiceOptions) => done(await logs(io, options)));
}

async function install(io: Io, options: ServiceOptions): Promise<void> {
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
  const { service: words } = io.texts;
  print(io, words.installed(made.manager, escapeUnsafe(made.user)));
  if (made.file !== null) print(io, words.definition(escapeUnsafe(made.file)));
  const manager = managerOf(hostOf(io), scope, made.user, config.stateDir);
  if (made.started) printStatus(io, await manager.status());
  else print(io, words.startWith);
}

async function uninstall(io: Io, options: ServiceOptions): Promise<void> {
  const found = await installed(io, options);
  const { manager } = found;
  const text = await manager.installed();
  if (text === null) {
    throw new ReceiptdError('NOT_INSTALLED.byPackage', { file: manager.file });
  }
  if (manager.file !== null && isEdited(text) && !options.force) {
    throw new ReceiptdError('INSTALL_EDITED.uninstall', { file: manager.file });
  }
  const { notes } = io.texts.installing;
  for (const note of await manager.uninstall()) io.stderr.write(`${notes[note]}\n`);
  const { service: words } = io.texts;
  const { config } = found;
  print(io, words.uninstalled);
  print(
    io,
    config === null
      ? words.staysUnknown
      : words.stays(escapeUnsafe(config.file), escapeUnsafe(config.stateDir)),
  );
  print(io, words.credentialsStay);
}

async function status(io: Io, options: ServiceOptions): Promise<ExitStatus> {
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
  else print(io, io.texts.service.notInstalled);
  return isRunning ? EXIT.ok : EXIT.failed;
}

function printStatus(io: Io, { isRunning, isEnabled, state, says, pid }: ManagerStatus): void {
  const { service: words } = io.texts;
  print(io, isRunning ? words.runs(escapeUnsafe(state), pid) : words.runsNot(escapeUnsafe(state)));
  if (says !== null) print(io, escapeUnsafe(says));
  else if (isRunning) print(io, words.seeStatus);
  if (!isRunning) print(io, words.findOut);
  if (!isEnabled) print(io, words.notEnabled);
}

async function logs(io: Io, options: ServiceOptions): Promise<ExitStatus> {
  const lines = numberOf('--lines', options.lines, 0, 999_999_999);
  const { manager } = await installed(io, options);
  const command = manager.logs({ lines, follow: options.follow ?? false });
  const ended = await runVisibly(command, { env: io.env, signal: io.stop });
  // Ending --follow with Ctrl-C is not a failure.
  return ended === 0 || io.stop.aborted ? EXIT.ok : EXIT.failed;
}

interface ManagedService {
  readonly manager: Manager;
  /** Null if it can't be read and is not needed. */
  readonly config: Config | null;
}

/** The service of the given scope; without one, the user's service if installed, otherwise the system service. */
async function find(io: Io, options: ServiceOptions): Promise<ManagedService> {
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

async function lookFor(io: Io, options: ServiceOptions, scope: InstallScope): Promise<ManagedService> {
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

async function installed(io: Io, options: ServiceOptions): Promise<ManagedService> {
  const found = await find(io, options);
  if ((await found.manager.status()).isInstalled) return found;
  throw new ReceiptdError('NOT_INSTALLED.notAService', {
    other: scopeOf(io, options) === 'user' ? 'system' : 'user',
  });
}

function scopeOf(io: Io, { scope, user, configAt }: ServiceOptions): InstallScope {
  if (scope !== undefined) return scope;
  const { uid } = hostOf(io);
  // Definitions for packages are created without root, and --user only applies to system services.
  return uid === 0 || uid === null || user !== undefined || configAt !== undefined ? 'system' : 'user';
}

/** The config as the service sees it: a system service uses root's default state directory, no matter which user runs this command. */
async function configFor(
  io: Io,
  options: ConfigOption & { readonly configAt?: string },
  scope: InstallScope,
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
