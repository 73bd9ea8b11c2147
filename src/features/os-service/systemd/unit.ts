import { posix } from 'node:path';
import { DESCRIPTION, runCommand, withLinks, type HostedAgent } from '../agent.ts';
import { mark } from '../mark.ts';
import { confinement, ordinaryConfinement } from './confinement.ts';
import { unitCommand, unitPath, unitWord, type Setting } from './quote.ts';

/** Uploads that are told to stop get this much beyond their own time. Seconds. */
const STOP_MARGIN = 30;
const STATE_ROOT = '/var/lib/';
const DEFAULT_STATE = `${STATE_ROOT}receiptd`;

/** A unit of the system, which runs as `user`. Where things are is decided here, and nothing is looked at. */
export function systemUnit(agent: HostedAgent, user: string): string {
  const mounts = [agent.stateDir, agent.configFile].flatMap((path) => withLinks(agent, path));
  return unit([
    section('Unit', [
      ['Description', DESCRIPTION],
      // A share that is not there keeps nobody from starting: its folder is unreachable until it is. So no folder is required.
      ['After', 'local-fs.target remote-fs.target network.target nss-lookup.target'],
      // An empty directory in the place of the ledger's disk would have everything sent again.
      ['RequiresMountsFor', [...new Set(mounts)].map(unitWord).join(' ')],
      ...unitHead(agent),
    ]),
    section('Service', [
      ...running(agent, systemEnvironment(agent)),
      ['User', unitWord(user)],
      ...(agent.controlGroup === null ? [] : [pair('SupplementaryGroups', unitWord(agent.controlGroup))]),
      ...stateDirectory(agent),
      ...agent.credentials.map(({ name, encrypted }) =>
        pair(encrypted ? 'LoadCredentialEncrypted' : 'LoadCredential', `${name}:receiptd.${name}`),
      ),
      ...confinement(agent, stateDirectory(agent).length > 0),
    ]),
    section('Install', [['WantedBy', 'multi-user.target']]),
  ]);
}

/** A unit of the user's own manager. */
export function userUnit(agent: HostedAgent): string {
  return unit([
    section('Unit', [['Description', DESCRIPTION], ...unitHead(agent)]),
    section('Service', [...running(agent, agent.environment), ...ordinaryConfinement(agent)]),
    section('Install', [['WantedBy', 'default.target']]),
  ]);
}

function pair(name: string, value: string): Setting {
  return [name, value];
}

function unitHead({ command }: HostedAgent): Setting[] {
  // A program that was removed would be tried forever otherwise.
  const needed = command.flatMap((path, index) => {
    const value = posix.isAbsolute(path) ? unitPath(path) : null;
    return value === null
      ? []
      : [pair(index === 0 ? 'ConditionFileIsExecutable' : 'ConditionPathExists', value)];
  });
  return [...needed, ['StartLimitIntervalSec', '0']];
}

/** Where systemd does not make the state directory it does not tell where it is either, and no configuration need name the default. */
function systemEnvironment(agent: HostedAgent): HostedAgent['environment'] {
  const { environment, stateDir } = agent;
  if (stateDir !== DEFAULT_STATE || stateDirectory(agent).length > 0) return environment;
  return { RECEIPTD_STATE_DIR: stateDir, ...environment };
}

function running(agent: HostedAgent, environment: HostedAgent['environment']): Setting[] {
  const variables = Object.entries(environment).map(([name, value]) => unitWord(`${name}=${value}`));
  return [
    ['Type', 'notify'],
    // The agent speaks through systemd-notify, a process of its own.
    ['NotifyAccess', 'all'],
    ['ExecStart', unitCommand(runCommand(agent))],
    ['ExecReload', unitCommand([...agent.command, 'reload', '--config', agent.configFile])],
    ...(variables.length === 0 ? [] : [pair('Environment', variables.join(' '))]),
    // A damaged ledger may be mended first.
    ['TimeoutStartSec', 'infinity'],
    ['TimeoutStopSec', String(Math.ceil(agent.graceMs / 1_000) + STOP_MARGIN)],
    ['KillMode', 'mixed'],
    ['WatchdogSec', '120'],
    // What stands still does not answer to a milder one; nothing is lost by it, and no image of its memory is left.
    ['WatchdogSignal', 'SIGKILL'],
    ['LimitCORE', '0'],
    ['Restart', 'on-failure'],
    ['RestartSec', '10'],
    // A configuration that is wrong stays wrong, and a program that can't be run (203) stays away.
    ['RestartPreventExitStatus', '2 203'],
  ];
}

/**
 * Made by systemd, and the user's, where it lies where such things lie. Not one that is a link, whose owner systemd can't set, nor one whose
 * name means something to it: `a:b` would be `a`, with a link `b` to it.
 */
function stateDirectory({ stateDir, links }: HostedAgent): Setting[] {
  const name = stateDir.startsWith(STATE_ROOT) ? stateDir.slice(STATE_ROOT.length) : '';
  if (!/^[\w.+@-]+(\/[\w.+@-]+)*$/.test(name) || links[stateDir] !== undefined) return [];
  return [
    ['StateDirectory', name],
    // The agent itself lets the control group through.
    ['StateDirectoryMode', '0700'],
  ];
}

function section(name: string, settings: readonly Setting[]): string {
  return [`[${name}]`, ...settings.map(([key, value]) => `${key}=${value}`)].join('\n');
}

function unit(sections: readonly string[]): string {
  return mark(`${sections.join('\n\n')}\n`, (words) => `# ${words}`);
}
