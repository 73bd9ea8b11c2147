import { realpath } from 'node:fs/promises';
import { hostedAgent } from '../features/os-service/hosted.ts';
import type { Config } from '../config/config.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { demandUserName } from '../features/os-service/account.ts';
import { DEFAULT_USER, type HostedAgent, type Scope } from '../features/os-service/agent.ts';
import { run } from '../system/programs.ts';
import { giveAccess } from '../system/windowsAccess.ts';
import type { Host } from '../features/os-service/host.ts';
import type { Manager } from '../features/os-service/manager.ts';
import { changesOf, isEdited } from '../features/os-service/mark.ts';
import { refuseFleetingProgram } from '../features/os-service/reach.ts';
import {
  accountName,
  mappedDrives,
  refuseMappedDrives,
  WINDOWS_USER,
} from '../features/os-service/windows/task.ts';
import { InstallSteps } from './installSteps.ts';
import type { Io } from './io.ts';
import { prepareAccount } from './serviceAccount.ts';
import { hostOf, managerOf } from './serviceHost.ts';
import { refuseLeavingLedger } from './serviceLedger.ts';

/** What `installService` made, or would make. */
export interface InstalledService {
  /** The unit, plist or task; null where the manager keeps none in a file. */
  readonly file: string | null;
  readonly manager: 'systemd' | 'launchd' | 'windows';
  /** Who it runs as. */
  readonly user: string;
  readonly started: boolean;
  /** Sentences for the person who installs it. */
  readonly notes: readonly string[];
  /** The definition itself. */
  readonly text: string;
  /** Of a dry run: what the real one would be refused with. */
  readonly refusal: ReceiptdError | null;
}

export interface InstallOptions {
  readonly scope: Scope;
  readonly user?: string;
  readonly start: boolean;
  readonly dryRun: boolean;
  /** Also over a definition that somebody changed. */
  readonly force?: boolean;
  /** With `dryRun`: for another machine, a package's, so that nothing is looked at here. */
  readonly elsewhere?: boolean;
  /** What is run instead of this Node and this program. */
  readonly exec?: string;
}

/**
 * Makes the agent a service of this machine (`system`) or of the user who asks (`user`), and starts it. The folders are tried
 * as the user that it will run as before anything is written. With `dryRun` the same checks are made, and nothing is changed.
 * @throws ReceiptdError where it can't be, or must not be
 */
export async function installService(
  io: Io,
  config: Config,
  options: InstallOptions,
  host: Host = hostOf(io),
): Promise<InstalledService> {
  const { scope, start, dryRun } = options;
  const { manager, agent, user, text } = await definedService(io, config, options, host);
  const steps = new InstallSteps(dryRun);
  const made = { file: manager.file, manager: manager.name, user, text };
  try {
    refuseFleetingProgram(agent);
    // For another machine, a package's, nothing here says anything.
    if (dryRun && options.elsewhere) return { ...made, started: false, notes: steps.said, refusal: null };
    demandRights(host, scope);
    if (scope === 'system') await refuseLeavingLedger(host, config);
    await manager.present();
    const before = await manager.installed();
    if (before !== null && manager.file !== null && isEdited(before) && !options.force)
      throw edited(manager.file);
    if (host.platform === 'win32') {
      refuseMappedDrives(agent, await drivesOf(host));
      // Whoever made it may have closed it to everybody else.
      if (scope === 'system')
        await steps.take(`give ${user} access to ${config.stateDir}`, () => letIn(config.stateDir, user));
    } else await prepareAccount(host, config, agent, user, steps);
    const place = manager.file ?? 'the Task Scheduler';
    await steps.take(`write ${place} and set it to start with the machine`, () => manager.install(text));
    steps.say(...whatChanged(before, text, manager.file));
    if (start) await steps.take('start or restart the service', () => manager.restart());
    steps.say(...(await advice(host, manager, scope, user)));
    return { ...made, started: start && !dryRun, notes: steps.said, refusal: null };
  } catch (error) {
    if (!dryRun || !(error instanceof ReceiptdError)) throw error;
    return { ...made, started: false, notes: steps.said, refusal: error };
  }
}

/** What would be installed, without a look at anything. @throws ReceiptdError USAGE, INSTALL_REFUSED for what it can't say */
export async function definedService(
  io: Io,
  config: Config,
  options: Pick<InstallOptions, 'scope' | 'user' | 'exec'>,
  host: Host = hostOf(io),
): Promise<{ manager: Manager; agent: HostedAgent; user: string; text: string }> {
  const { scope } = options;
  const user = userOf(host, options);
  const manager = managerOf(host, scope, user, config.stateDir);
  const environment = environmentOf(io, config, host, scope);
  const agent = await hostedAgent(config, await commandOf(options.exec), environment);
  return { manager, agent, user, text: manager.define(agent) };
}

function userOf(host: Host, { scope, user }: Pick<InstallOptions, 'scope' | 'user'>): string {
  if (scope === 'user') {
    if (user === undefined || user === host.userName) return host.userName;
    throw new ReceiptdError('USAGE', 'A user service runs as you.', {
      hint: 'Leave out --user, or install a system service with --scope system.',
    });
  }
  if (user !== undefined && host.platform !== 'win32') demandUserName(user);
  return user ?? (host.platform === 'win32' ? WINDOWS_USER : DEFAULT_USER);
}

/** Absolute, and where the links lead: what is in /usr/local/bin may be one. */
export async function commandOf(exec: string | undefined): Promise<readonly string[]> {
  if (exec !== undefined) return [exec];
  return [process.execPath, await realpath(process.argv[1] ?? '')];
}

/** What decides where the state is, if it is not the file. systemd says it to a unit of the system by itself. */
function environmentOf(
  { env }: Io,
  { stateDir }: Config,
  { platform }: Host,
  scope: Scope,
): Record<string, string> {
  const isNamed = Boolean(env['RECEIPTD_STATE_DIR']);
  // By default it hangs on who asks, and a job of the machine is run by another.
  const hangsOnUser = platform === 'darwin' && scope === 'system';
  const hangsOnSession = platform === 'linux' && scope === 'user' && Boolean(env['XDG_STATE_HOME']);
  return isNamed || hangsOnUser || hangsOnSession ? { RECEIPTD_STATE_DIR: stateDir } : {};
}

/** @throws ReceiptdError ROOT_NEEDED, USAGE */
export function demandRights(host: Host, scope: Scope): void {
  if (host.uid === null) return;
  if (scope === 'system' && host.uid !== 0) {
    throw new ReceiptdError('ROOT_NEEDED', 'Only root can install a system service.', {
      hint: 'Use sudo, or install a user service with `--scope user`.',
    });
  }
  if (scope === 'user' && host.uid === 0) {
    throw new ReceiptdError('USAGE', "root can't have a user service here.", {
      hint: 'Run this as the user the service is for, without sudo, or leave out --scope user.',
    });
  }
}

function edited(file: string): ReceiptdError {
  return new ReceiptdError(
    'INSTALL_EDITED',
    `${file} was created or edited by hand and was left unchanged.`,
    {
      hint: 'Compare it with `receiptd service install --dry-run`. Move your changes into a drop-in (`systemctl edit receiptd`), or add --force.',
    },
  );
}

function whatChanged(before: string | null, text: string, file: string | null): string[] {
  if (before === null || file === null) return [];
  const changes = changesOf(before, text);
  return changes.length === 0
    ? [`${file} was not changed.`]
    : [`${file} was changed:\n${changes.join('\n')}`];
}

async function advice(host: Host, manager: Manager, scope: Scope, user: string): Promise<string[]> {
  if (scope !== 'user' || manager.name !== 'systemd') return [];
  const lingers = await run(['loginctl', 'show-user', user, '--property=Linger'], { env: { ...host.env } });
  if (lingers.stdout.trim() === 'Linger=yes') return [];
  return [
    `It runs while you are signed in. To start it with the machine, run: loginctl enable-linger ${user}`,
  ];
}

async function letIn(stateDir: string, user: string): Promise<string[]> {
  const command = await giveAccess(stateDir, accountName(user));
  return command === null
    ? []
    : [`${user} may not have access to ${stateDir}. To give access, run: ${command}`];
}

async function drivesOf(host: Host): Promise<Map<string, string>> {
  return mappedDrives((await run(['net', 'use'], { env: { ...host.env } })).stdout);
}
