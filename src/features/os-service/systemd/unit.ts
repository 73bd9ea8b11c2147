import { serviceTexts } from '../../../texts/en/written.ts';
import { posix } from 'node:path';
import { runCommand, withLinks, type HostedAgent } from '../agent.ts';
import { mark } from '../mark.ts';
import { confinement, ordinaryConfinement } from './confinement.ts';
import { unitCommand, unitPath, unitWord, type UnitSetting } from './quote.ts';

/** Added to the grace period of uploads before systemd kills the agent. Seconds. */
const STOP_MARGIN = 30;
const STATE_ROOT = '/var/lib/';
const DEFAULT_STATE = `${STATE_ROOT}receiptd`;

/** A system unit that runs as `user`. Does not touch the file system. */
export function systemUnit(agent: HostedAgent, user: string): string {
  const mounts = [agent.stateDir, agent.configFile].flatMap((path) => withLinks(agent, path));
  return unit([
    section('Unit', [
      ['Description', serviceTexts.description],
      // No folder is required: a missing share must not keep the agent from starting.
      ['After', 'local-fs.target remote-fs.target network.target nss-lookup.target'],
      // With the ledger's disk unmounted the agent would start an empty ledger and send everything again.
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

/** A unit of the user manager. */
export function userUnit(agent: HostedAgent): string {
  return unit([
    section('Unit', [['Description', serviceTexts.description], ...unitHead(agent)]),
    section('Service', [...running(agent, agent.environment), ...ordinaryConfinement(agent)]),
    section('Install', [['WantedBy', 'default.target']]),
  ]);
}

function pair(name: string, value: string): UnitSetting {
  return [name, value];
}

function unitHead({ command }: HostedAgent): UnitSetting[] {
  // Otherwise systemd would keep trying to start a program that was removed.
  const needed = command.flatMap((path, index) => {
    const value = posix.isAbsolute(path) ? unitPath(path) : null;
    return value === null
      ? []
      : [pair(index === 0 ? 'ConditionFileIsExecutable' : 'ConditionPathExists', value)];
  });
  return [...needed, ['StartLimitIntervalSec', '0']];
}

/** Sets the state directory if systemd does not: it passes the path only of one that it creates, and a configuration may not name it. */
function systemEnvironment(agent: HostedAgent): HostedAgent['environment'] {
  const { environment, stateDir } = agent;
  if (stateDir !== DEFAULT_STATE || stateDirectory(agent).length > 0) return environment;
  return { RECEIPTD_STATE_DIR: stateDir, ...environment };
}

function running(agent: HostedAgent, environment: HostedAgent['environment']): UnitSetting[] {
  const variables = Object.entries(environment).map(([name, value]) => unitWord(`${name}=${value}`));
  return [
    ['Type', 'notify'],
    // Notifications come from systemd-notify, a child process.
    ['NotifyAccess', 'all'],
    ['ExecStart', unitCommand(runCommand(agent))],
    ['ExecReload', unitCommand([...agent.command, 'reload', '--config', agent.configFile])],
    ...(variables.length === 0 ? [] : [pair('Environment', variables.join(' '))]),
    // Repairing a damaged ledger takes as long as it takes.
    ['TimeoutStartSec', 'infinity'],
    ['TimeoutStopSec', String(Math.ceil(agent.graceMs / 1_000) + STOP_MARGIN)],
    ['KillMode', 'mixed'],
    ['WatchdogSec', '120'],
    // A hung process ignores milder signals; SIGKILL loses nothing and leaves no core dump.
    ['WatchdogSignal', 'SIGKILL'],
    ['LimitCORE', '0'],
    ['Restart', 'on-failure'],
    ['RestartSec', '10'],
    // Neither an invalid configuration (2) nor a program that can't be executed (203) is fixed by a restart.
    ['RestartPreventExitStatus', '2 203'],
  ];
}

/**
 * Lets systemd create the state directory and set its owner, if it is in the standard location. Not if it is a link,
 * whose owner systemd can't set, nor if its name has a special meaning: `a:b` would be `a` with a link `b` to it.
 */
function stateDirectory({ stateDir, links }: HostedAgent): UnitSetting[] {
  const name = stateDir.startsWith(STATE_ROOT) ? stateDir.slice(STATE_ROOT.length) : '';
  if (!/^[\w.+@-]+(\/[\w.+@-]+)*$/.test(name) || links[stateDir] !== undefined) return [];
  return [
    ['StateDirectory', name],
    // The agent itself opens it for the control group.
    ['StateDirectoryMode', '0700'],
  ];
}

function section(name: string, settings: readonly UnitSetting[]): string {
  return [`[${name}]`, ...settings.map(([key, value]) => `${key}=${value}`)].join('\n');
}

function unit(sections: readonly string[]): string {
  return mark(`${sections.join('\n\n')}\n`, (words) => `# ${words}`);
}
