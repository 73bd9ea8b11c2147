import { realpath } from 'node:fs/promises';
import { hostedAgent } from '../features/os-service/hosted.ts';
import type { Config } from '../config/config.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { demandUserName } from '../features/os-service/account.ts';
import { DEFAULT_USER, type HostedAgent, type InstallScope } from '../features/os-service/agent.ts';
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
import { textsOf } from './language.ts';
import type { CliTexts } from '../texts/cli.ts';
import type { Io } from './io.ts';
import { prepareAccount } from './serviceAccount.ts';
import { hostOf, managerOf } from './serviceHost.ts';
import { refuseLeavingLedger } from './serviceLedger.ts';

/** Result of `installService`; for a dry run, what it would do. */
export interface InstalledService {
  /** Path of the unit or plist; null if the manager stores no file. */
  readonly file: string | null;
  readonly manager: 'systemd' | 'launchd' | 'windows';
  /** The user that the service runs as. */
  readonly user: string;
  readonly started: boolean;
  /** Messages for the person installing it. */
  readonly notes: readonly string[];
  /** Content of the definition. */
  readonly text: string;
  /** Dry run only: the error that a real installation would fail with. */
  readonly refusal: ReceiptdError | null;
}

export interface InstallOptions {
  readonly scope: InstallScope;
  readonly user?: string;
  readonly start: boolean;
  readonly dryRun: boolean;
  /** Overwrites a definition that was edited by hand. */
  readonly force?: boolean;
  /** With `dryRun`: the definition is for another machine (a package), so this one is not checked. */
  readonly elsewhere?: boolean;
  /** Executable to run instead of this Node and this program. */
  readonly exec?: string;
}

/**
 * Installs the agent as a service of this machine (`system`) or of the calling user (`user`), and starts it. Before anything is
 * written, access to the folders is checked as the user it will run as. `dryRun` runs the same checks and changes nothing.
 * @throws ReceiptdError if it can't or must not be installed; `dryRun` returns that as `refusal`
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
  const { installing: words } = io.texts;
  const made = { file: manager.file, manager: manager.name, user, text };
  try {
    refuseFleetingProgram(agent);
    // The state of this machine is irrelevant to a definition for another one.
    if (dryRun && options.elsewhere) return { ...made, started: false, notes: steps.said, refusal: null };
    demandRights(host, scope);
    if (scope === 'system') await refuseLeavingLedger(host, config);
    await manager.present();
    const before = await manager.installed();
    if (before !== null && manager.file !== null && isEdited(before) && !options.force)
      throw edited(manager.file);
    if (host.platform === 'win32') {
      refuseMappedDrives(agent, await drivesOf(host));
      // The user who created the state directory may have denied access to all others.
      if (scope === 'system')
        await steps.take(words.would.access(user, config.stateDir), () =>
          letIn(config.stateDir, user, words),
        );
    } else await prepareAccount(host, config, agent, user, { steps, words, texts: await textsOf(io) });
    const place = manager.file ?? words.taskScheduler;
    await steps.take(words.would.define(place), async () =>
      (await manager.install(text)).map((note) => words.notes[note]),
    );
    steps.say(...whatChanged(before, text, manager.file, words));
    if (start) await steps.take(words.would.start, () => manager.restart());
    steps.say(...(await advice(host, manager, { scope, user, words })));
    return { ...made, started: start && !dryRun, notes: steps.said, refusal: null };
  } catch (error) {
    if (!dryRun || !(error instanceof ReceiptdError)) throw error;
    return { ...made, started: false, notes: steps.said, refusal: error };
  }
}

/** The definition to install, without checking the machine. @throws ReceiptdError USAGE, INSTALL_REFUSED if it can't be expressed */
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
    throw new ReceiptdError('USAGE.userServiceIsYours');
  }
  if (user !== undefined && host.platform !== 'win32') demandUserName(user);
  return user ?? (host.platform === 'win32' ? WINDOWS_USER : DEFAULT_USER);
}

/** Absolute paths with links resolved: the program in /usr/local/bin may be a link. */
export async function commandOf(exec: string | undefined): Promise<readonly string[]> {
  if (exec !== undefined) return [exec];
  return [process.execPath, await realpath(process.argv[1] ?? '')];
}

/** Variables that set the state directory if the config file does not. For system units, systemd sets it. */
function environmentOf(
  { env }: Io,
  { stateDir }: Config,
  { platform }: Host,
  scope: InstallScope,
): Record<string, string> {
  const isNamed = Boolean(env['RECEIPTD_STATE_DIR']);
  // The default depends on the user, and a system job runs as a different one.
  const hangsOnUser = platform === 'darwin' && scope === 'system';
  const hangsOnSession = platform === 'linux' && scope === 'user' && Boolean(env['XDG_STATE_HOME']);
  return isNamed || hangsOnUser || hangsOnSession ? { RECEIPTD_STATE_DIR: stateDir } : {};
}

/** `option`: the one that names the scope. @throws ReceiptdError ROOT_NEEDED, USAGE */
export function demandRights(host: Host, scope: InstallScope, option = '--scope'): void {
  if (host.uid === null) return;
  if (scope === 'system' && host.uid !== 0) {
    throw new ReceiptdError('ROOT_NEEDED.systemService', { option });
  }
  if (scope === 'user' && host.uid === 0) {
    throw new ReceiptdError('USAGE.rootUserService', { option });
  }
}

function edited(file: string): ReceiptdError {
  return new ReceiptdError('INSTALL_EDITED.install', { file });
}

function whatChanged(
  before: string | null,
  text: string,
  file: string | null,
  words: CliTexts['installing'],
): string[] {
  if (before === null || file === null) return [];
  const changes = changesOf(before, text);
  return changes.length === 0 ? [words.unchanged(file)] : [`${words.changed(file)}\n${changes.join('\n')}`];
}

async function advice(
  host: Host,
  manager: Manager,
  { scope, user, words }: { scope: InstallScope; user: string; words: CliTexts['installing'] },
): Promise<string[]> {
  if (scope !== 'user' || manager.name !== 'systemd') return [];
  const lingers = await run(['loginctl', 'show-user', user, '--property=Linger'], { env: { ...host.env } });
  if (lingers.stdout.trim() === 'Linger=yes') return [];
  return [words.linger(user)];
}

async function letIn(stateDir: string, user: string, words: CliTexts['installing']): Promise<string[]> {
  const command = await giveAccess(stateDir, accountName(user));
  return command === null ? [] : [words.noAccess({ user, stateDir, command })];
}

async function drivesOf(host: Host): Promise<Map<string, string>> {
  return mappedDrives((await run(['net', 'use'], { env: { ...host.env } })).stdout);
}
