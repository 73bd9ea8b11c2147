import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { findConfig } from '../config/locate.ts';
import { ReceiptdError } from '../domain/errors.ts';
import type { Scope } from '../hosting/agent.ts';
import { runVisibly, type Host } from '../hosting/host.ts';
import type { Manager, ManagerStatus } from '../hosting/manager.ts';
import { isEdited } from '../hosting/mark.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { helpOf } from './help.ts';
import { loadContext, print, printJson, type Io } from './io.ts';
import { printable } from './printable.ts';
import { hostOf, managerOf } from './serviceHost.ts';
import { installService } from './serviceInstall.ts';
import type { ConfigOption } from './session.ts';

export { installService, type InstalledService, type InstallOptions } from './serviceInstall.ts';

interface Options extends ConfigOption {
  readonly scope?: string;
  readonly user?: string;
  readonly start: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly exec?: string;
  readonly follow?: boolean;
  readonly lines: string;
  readonly json?: boolean;
}

export function addService(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const service = program
    .command('service')
    .description('make the agent a service of this machine, start, stop and look at it');
  const add = (name: string, description: string, examples: readonly string[], statuses?: string): Command =>
    service
      .command(name)
      .description(description)
      .option('--config <file>', 'config file')
      .option(
        '--scope <scope>',
        'system (of the machine) or user (your own); by default system for root, else user',
      )
      .addHelpText('after', helpOf({ examples, ...(statuses !== undefined && { statuses }) }));
  add('install', 'install it, or bring it up to date, and start it', [
    'service install',
    'service install --scope user',
    'service install --dry-run > receiptd.service',
  ])
    .option('--user <name>', 'who it runs as; created if it is receiptd and not there')
    .option('--no-start', 'do not start it now')
    .option('--dry-run', 'print the definition and what would be done; nothing is written')
    .option('--force', 'also over a definition that was changed by hand')
    .option('--exec <program>', 'for packages: what is run, instead of this program')
    .action((options: Options) => install(io, options));
  add('uninstall', 'stop it and remove the service; ledger, config and credentials stay', [
    'service uninstall',
  ])
    .option('--force', 'also a definition that was changed by hand')
    .action((options: Options) => uninstall(io, options));
  add('start', 'start it', ['service start']).action(async (options: Options) => {
    await (await installed(io, options)).manager.start();
    print(io, 'Started.');
  });
  add('stop', 'stop it until it is started, or the machine is', ['service stop']).action(
    async (options: Options) => {
      await (await installed(io, options)).manager.stop();
      print(io, 'Stopped.');
    },
  );
  add('restart', 'stop and start it', ['service restart']).action(async (options: Options) => {
    await (await installed(io, options)).manager.restart();
    print(io, 'Restarted.');
  });
  add(
    'status',
    'is it installed, does it run, and what it says of itself',
    ['service status'],
    '1 it does not run',
  )
    .option('--json', 'as JSON: { manager, file, installed, enabled, running, state, says, pid }')
    .action(async (options: Options) => done(await status(io, options)));
  add('logs', 'its log, as the service manager has it', [
    'service logs',
    'service logs --follow',
    'service logs -n 100',
  ])
    .option('-f, --follow', 'go on as it grows')
    .option('-n, --lines <number>', 'how many lines', '50')
    .action(async (options: Options) => done(await logs(io, options)));
}

async function install(io: Io, options: Options): Promise<void> {
  const scope = scopeOf(io, options);
  const { user, start, dryRun = false, force = false, exec } = options;
  const config = await configFor(io, options, scope);
  const made = await installService(io, config, {
    scope,
    start,
    dryRun,
    force,
    ...(user !== undefined && { user }),
    ...(exec !== undefined && { exec }),
  });
  if (dryRun) io.stdout.write(made.text);
  for (const note of made.notes) io.stderr.write(`${note.split('\n').map(printable).join('\n')}\n`);
  if (dryRun) return;
  print(io, `receiptd is a service of ${made.manager} now, as the user ${printable(made.user)}.`);
  if (made.file !== null) print(io, `Its definition: ${printable(made.file)}`);
  const { manager } = lookAt(hostOf(io), scope, made.user, config);
  if (made.started) printStatus(io, await manager.status());
  else print(io, 'Start it with: receiptd service start');
}

async function uninstall(io: Io, options: Options): Promise<void> {
  const { manager, config } = await installed(io, options);
  const text = await manager.installed();
  if (text === null) {
    throw new ReceiptdError(
      'NOT_INSTALLED',
      `The service is of a package: ${manager.file ?? ''} is not there.`,
      {
        hint: 'Stop it with `receiptd service stop`, or remove the package.',
      },
    );
  }
  if (manager.file !== null && isEdited(text) && !options.force) {
    throw new ReceiptdError(
      'INSTALL_EDITED',
      `${manager.file} was made or changed by hand, and is left as it is.`,
      {
        hint: 'Copy it if you want to keep it, then say --force.',
      },
    );
  }
  for (const note of await manager.uninstall()) io.stderr.write(`${note}\n`);
  print(io, 'The service was stopped and removed.');
  print(
    io,
    `What stays: the configuration ${printable(config.file)}, and ledger, copies and log in ${printable(config.stateDir)}.`,
  );
  print(io, 'Credentials and the user that it ran as stay too.');
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
  else print(io, 'receiptd is no service here. Make it one with: receiptd service install');
  return isRunning ? EXIT.ok : EXIT.failed;
}

function printStatus(io: Io, { isRunning, isEnabled, state, says, pid }: ManagerStatus): void {
  const process = pid === null ? '' : `, process ${pid}`;
  print(io, `${isRunning ? 'It runs' : 'It does not run'}: ${printable(state)}${process}.`);
  if (says !== null) print(io, printable(says));
  else if (isRunning) print(io, '`receiptd status` says how it is.');
  if (!isRunning) print(io, '`receiptd service logs` and `receiptd check` say why.');
  if (!isEnabled) print(io, 'It is not started with the machine.');
}

async function logs(io: Io, options: Options): Promise<ExitStatus> {
  const lines = Number(options.lines);
  if (!/^\d{1,9}$/.test(options.lines)) {
    throw new ReceiptdError('USAGE', `--lines does not take "${options.lines}".`, {
      hint: 'It takes a number.',
    });
  }
  const { manager } = await installed(io, options);
  const command = manager.logs({ lines, follow: options.follow ?? false });
  const ended = await runVisibly(command, { env: io.env, signal: io.stop });
  // Who follows ends it, and that is no failure.
  return ended === 0 || io.stop.aborted ? EXIT.ok : EXIT.failed;
}

interface Found {
  readonly manager: Manager;
  readonly config: Config;
}

async function find(io: Io, options: Options): Promise<Found> {
  const scope = scopeOf(io, options);
  const config = await configFor(io, options, scope);
  const found = lookAt(hostOf(io), scope, '', config);
  await found.manager.present();
  return found;
}

async function installed(io: Io, options: Options): Promise<Found> {
  const found = await find(io, options);
  if ((await found.manager.status()).isInstalled) return found;
  throw new ReceiptdError('NOT_INSTALLED', 'receiptd is no service here.', {
    hint: `Make it one with \`receiptd service install\`, or look at the other kind with --scope ${scopeOf(io, options) === 'user' ? 'system' : 'user'}.`,
  });
}

function lookAt(host: Host, scope: Scope, user: string, config: Config): Found {
  return { manager: managerOf(host, scope, user, config.stateDir), config };
}

function scopeOf(io: Io, { scope, user, dryRun }: Options): Scope {
  if (scope === 'system' || scope === 'user') return scope;
  if (scope !== undefined) throw new ReceiptdError('USAGE', `--scope takes system or user, not "${scope}".`);
  const { uid } = hostOf(io);
  // A definition for a package is made without root; who names a user means the machine.
  return uid === 0 || uid === null || user !== undefined || dryRun ? 'system' : 'user';
}

/** A service of the machine has its state where root has it by default, whoever asks. */
async function configFor(io: Io, options: ConfigOption, scope: Scope): Promise<Config> {
  const context = loadContext(io);
  const isRoot = context.isRoot || (scope === 'system' && context.platform !== 'win32');
  return loadConfig(await findConfig(options.config, context), { ...context, isRoot });
}
