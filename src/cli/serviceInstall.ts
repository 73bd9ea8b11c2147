import { realpath } from 'node:fs/promises';
import type { Finding } from '../compose/checkFolder.ts';
import { accountsHeldBySystemd, hostedAgent } from '../compose/hosted.ts';
import type { Config } from '../config/config.ts';
import { gidOf } from '../daemon/group.ts';
import { ReceiptdError } from '../domain/errors.ts';
import {
  createAccount,
  demandUserName,
  findAccount,
  noSuchUser,
  runAs,
  STRANGER,
  type Account,
} from '../hosting/account.ts';
import { DEFAULT_USER, type HostedAgent, type Scope } from '../hosting/agent.ts';
import { run, type Host } from '../hosting/host.ts';
import type { Manager } from '../hosting/manager.ts';
import { changesOf, isEdited } from '../hosting/mark.ts';
import { demandProgram, demandReach, folderAdvice, refuseFleetingProgram } from '../hosting/reach.ts';
import { mappedDrives, refuseMappedDrives, WINDOWS_USER } from '../hosting/windows/task.ts';
import type { Io } from './io.ts';
import { hostOf, managerOf } from './serviceHost.ts';
import { refuseLeavingLedger } from './serviceLedger.ts';
import { giveStateDir } from './serviceState.ts';

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
}

export interface InstallOptions {
  readonly scope: Scope;
  readonly user?: string;
  readonly start: boolean;
  readonly dryRun: boolean;
  /** Also over a definition that somebody changed. */
  readonly force?: boolean;
  /** What is run instead of this Node and this program. */
  readonly exec?: string;
}

const CHECK_MS = 5 * 60_000;
/** Findings of `check` without which there is no use in starting. */
const GRAVE =
  /\[(FOLDER_UNREADABLE|FOLDER_UNWRITABLE|FOLDER_NOT_A_DIRECTORY|ATTENTION_UNWRITABLE|STATE_UNWRITABLE)\]$/;

/**
 * Makes the agent a service of this machine (`system`) or of the user who asks (`user`), and starts it. The folders are tried
 * as the user that it will run as before anything is written. With `dryRun` nothing is written or started.
 * @throws ReceiptdError where it can't be, or must not be
 */
export async function installService(
  io: Io,
  config: Config,
  options: InstallOptions,
  host: Host = hostOf(io),
): Promise<InstalledService> {
  const { scope, start, dryRun } = options;
  const user = userOf(host, options);
  const manager = managerOf(host, scope, user, config.stateDir);
  const agent = await hostedAgent(
    config,
    await commandOf(options.exec),
    environmentOf(io, config, host, scope),
  );
  refuseFleetingProgram(agent);
  const text = manager.define(agent);
  const notes: string[] = [];
  if (dryRun) {
    notes.push(...(await foreseen(host, manager, agent, user)));
    return { file: manager.file, manager: manager.name, user, started: false, notes, text };
  }
  demandRights(host, scope);
  if (scope === 'system') await refuseLeavingLedger(host, config);
  await manager.present();
  const before = await manager.installed();
  if (before !== null && manager.file !== null && isEdited(before) && !options.force)
    throw edited(manager.file);
  if (host.platform === 'win32') refuseMappedDrives(agent, await drivesOf(host));
  else notes.push(...(await prepareAccount(host, config, agent, user)));
  notes.push(...(await manager.install(text)));
  notes.push(...whatChanged(before, text, manager.file));
  if (start) await manager.restart();
  notes.push(...(await advice(host, manager, scope, user)));
  return { file: manager.file, manager: manager.name, user, started: start, notes, text };
}

function userOf(host: Host, { scope, user }: InstallOptions): string {
  if (scope === 'user') {
    if (user === undefined || user === host.userName) return host.userName;
    throw new ReceiptdError('USAGE', 'A service of your own runs as you.', {
      hint: 'Leave out --user, or install it for the machine with --scope system.',
    });
  }
  if (user !== undefined && host.platform !== 'win32') demandUserName(user);
  return user ?? (host.platform === 'win32' ? WINDOWS_USER : DEFAULT_USER);
}

/** Absolute, and where the links lead: what is in /usr/local/bin may be one. */
async function commandOf(exec: string | undefined): Promise<readonly string[]> {
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
    throw new ReceiptdError('ROOT_NEEDED', 'A service of the machine is installed by root.', {
      hint: 'Run it with sudo, or make it a service of your own with `--scope user`.',
    });
  }
  if (scope === 'user' && host.uid === 0) {
    throw new ReceiptdError('USAGE', 'root has no services of its own here.', {
      hint: 'Run it as the user whose service it is to be, without sudo, or leave out --scope user.',
    });
  }
}

function edited(file: string): ReceiptdError {
  return new ReceiptdError('INSTALL_EDITED', `${file} was made or changed by hand, and is left as it is.`, {
    hint: 'Look at `receiptd service install --dry-run`; take your changes into a drop-in (`systemctl edit receiptd`), or say --force.',
  });
}

/** The account, its state directory, and that it can do what it has to. */
async function prepareAccount(
  host: Host,
  config: Config,
  agent: HostedAgent,
  user: string,
): Promise<string[]> {
  const notes: string[] = [];
  let account = await findAccount(host, user);
  if (account === null) {
    if (user !== DEFAULT_USER) throw noSuchUser(user);
    // What nobody else can run the new user can't either, and need not be made for.
    await demandProgram(host, { ...STRANGER, name: user }, agent);
    await createAccount(host, user, config.stateDir);
    notes.push(`The user ${user} was created.`);
    account = await findAccount(host, user);
  }
  if (account === null) throw noSuchUser(user);
  await demandReach(host, account, agent);
  if (host.uid === 0) notes.push(...(await giveStateDir(config.stateDir, account)));
  const findings = await checkAs(host, config, agent, account);
  const grave = findings.find(({ level, message }) => level === 'fail' && GRAVE.test(message));
  if (grave !== undefined) throw await refusal(host, config, account, grave);
  // systemd hands over what it holds, and to the unit alone.
  const held = (await accountsHeldBySystemd(config, host.credentialStores)).map((name) =>
    name === null ? 'credentials' : `credentials ${name}`,
  );
  const others = findings.filter(
    ({ level, subject, message }) =>
      level !== 'ok' && !(message.endsWith('[CREDENTIALS_MISSING]') && held.includes(subject)),
  );
  return [...notes, ...others.map(({ subject, message }) => `${subject}: ${message}`)];
}

/** What `receiptd check` finds with the rights of the account. */
async function checkAs(
  host: Host,
  config: Config,
  agent: HostedAgent,
  account: Account,
): Promise<readonly Finding[]> {
  const command = [...agent.command, 'check', '--offline', '--json', '--config', config.file];
  const extraGroup = config.control.group === null ? null : await gidOf(config.control.group);
  const variables = { RECEIPTD_STATE_DIR: config.stateDir, ...agent.environment };
  const { status, stdout, stderr, why } = await runAs(host, account, command, {
    variables,
    extraGroup,
    limitMs: CHECK_MS,
  });
  try {
    return JSON.parse(stdout) as Finding[];
  } catch {
    const words = stderr.trim().replace(/^error: /, '') || (why ?? `status ${status ?? 'unknown'}`);
    throw new ReceiptdError('INSTALL_REFUSED', `As the user ${account.name}, receiptd check says: ${words}`, {
      hint: 'Mend that first; nothing was installed.',
    });
  }
}

async function refusal(
  host: Host,
  config: Config,
  account: Account,
  { subject, message }: Finding,
): Promise<Error> {
  const folder = config.folders.find(({ path }) => path === subject);
  const [, code = ''] = /\[(\w+)\]$/.exec(message) ?? [];
  if (folder === undefined || code === 'FOLDER_NOT_A_DIRECTORY') {
    return new ReceiptdError('INSTALL_REFUSED', `For the user ${account.name}, ${subject}: ${message}`, {
      hint: 'Nothing was installed.',
    });
  }
  const verb = code === 'FOLDER_UNREADABLE' ? 'read' : 'write';
  const needsWriting = folder.afterUpload !== 'keep' || folder.needsAttention !== null;
  return new ReceiptdError(
    'INSTALL_REFUSED',
    `The user ${account.name} can't ${verb} the folder ${subject} (${code}), so nothing was installed.`,
    { hint: await folderAdvice(host, account, subject, needsWriting) },
  );
}

/** What an installation would do besides writing the definition. */
async function foreseen(host: Host, manager: Manager, agent: HostedAgent, user: string): Promise<string[]> {
  const notes = [`Would be written to ${manager.file ?? 'the Task Scheduler'}; it runs as ${user}.`];
  if (host.platform === 'win32') return notes;
  const account = await findAccount(host, user);
  if (account === null) {
    const end = user === DEFAULT_USER ? 'would be created' : 'has to be there before it is installed';
    return [...notes, `The user ${user} is not there yet, and ${end}.`];
  }
  if (host.uid !== 0 && host.uid !== account.uid)
    return [...notes, `Whether ${user} can read the folders is only tried by root.`];
  const trouble = await demandReach(host, account, agent).then(
    () => null,
    (error: unknown) => error,
  );
  if (trouble === null) return notes;
  if (!(trouble instanceof ReceiptdError)) throw trouble;
  return [...notes, `It would be refused: ${trouble.sentence()}`];
}

function whatChanged(before: string | null, text: string, file: string | null): string[] {
  if (before === null || file === null) return [];
  const changes = changesOf(before, text);
  return changes.length === 0 ? [`${file} is as it was.`] : [`${file} was changed:\n${changes.join('\n')}`];
}

async function advice(host: Host, manager: Manager, scope: Scope, user: string): Promise<string[]> {
  if (scope !== 'user' || manager.name !== 'systemd') return [];
  const lingers = await run(['loginctl', 'show-user', user, '--property=Linger'], { env: { ...host.env } });
  if (lingers.stdout.trim() === 'Linger=yes') return [];
  return [
    `It runs while you are signed in. To have it run from the start of the machine: loginctl enable-linger ${user}`,
  ];
}

async function drivesOf(host: Host): Promise<Map<string, string>> {
  return mappedDrives((await run(['net', 'use'], { env: { ...host.env } })).stdout);
}
