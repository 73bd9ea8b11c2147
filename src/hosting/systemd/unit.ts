import { DESCRIPTION, runCommand, type HostedAgent } from '../agent.ts';
import { mark } from '../mark.ts';
import { confinement, ordinaryConfinement } from './confinement.ts';
import { unitCommand, unitWord, type Setting } from './quote.ts';

/** Uploads that are told to stop get this much beyond their own time. Seconds. */
const STOP_MARGIN = 30;
const STATE_ROOT = '/var/lib/';

/** A unit of the system, which runs as `user`. Where things are is decided here, and nothing is looked at. */
export function systemUnit(agent: HostedAgent, user: string): string {
  return unit([
    section('Unit', [
      ['Description', DESCRIPTION],
      // A share that is not there keeps nobody from starting: its folder is unreachable until it is. So no folder is required.
      ['After', 'local-fs.target remote-fs.target network.target nss-lookup.target'],
      // An empty directory in the place of the ledger's disk would have everything sent again.
      ['RequiresMountsFor', [agent.stateDir, agent.configFile].map(unitWord).join(' ')],
      ['StartLimitIntervalSec', '0'],
    ]),
    section('Service', [
      ...running(agent),
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
    section('Unit', [
      ['Description', DESCRIPTION],
      ['StartLimitIntervalSec', '0'],
    ]),
    section('Service', [...running(agent), ...ordinaryConfinement(agent)]),
    section('Install', [['WantedBy', 'default.target']]),
  ]);
}

function pair(name: string, value: string): Setting {
  return [name, value];
}

function running(agent: HostedAgent): Setting[] {
  const variables = Object.entries(agent.environment).map(([name, value]) => unitWord(`${name}=${value}`));
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
    // A configuration that is wrong stays wrong.
    ['RestartPreventExitStatus', '2'],
  ];
}

/** Made by systemd, and the user's, where it lies where such things lie. */
function stateDirectory({ stateDir }: HostedAgent): Setting[] {
  if (!stateDir.startsWith(STATE_ROOT)) return [];
  return [
    ['StateDirectory', unitWord(stateDir.slice(STATE_ROOT.length))],
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
