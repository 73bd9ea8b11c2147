import { posix } from 'node:path';
import { reachedPaths, withLinks, type HostedAgent } from '../agent.ts';
import { HOMES, isIn, TEMPORARY } from './places.ts';
import { unitWord, type UnitSetting } from './quote.ts';

/** Shared directories: the agent gets write access to its configuration's directory only outside these. */
const COMMON = [
  '/',
  '/etc',
  '/srv',
  '/opt',
  '/usr',
  '/var',
  '/home',
  '/root',
  '/tmp',
  '/var/tmp',
  '/var/lib',
];

/**
 * The tightest sandbox that works. Left out: MemoryDenyWriteExecute (V8 compiles at run time), ProcSubset (kernel limits
 * are read from /proc/sys), and PrivateUsers (owners of scans must be told apart).
 */
export function confinement(agent: HostedAgent, hasStateDirectory: boolean): UnitSetting[] {
  const reached = reachedPaths(agent);
  const isTmpReached = reached.some((path) => isIn(path, TEMPORARY));
  return [
    ['ProtectSystem', 'strict'],
    ...writable(agent, hasStateDirectory, isTmpReached),
    ['ProtectHome', reached.some((path) => isIn(path, HOMES)) ? 'read-only' : 'yes'],
    ['PrivateTmp', isTmpReached ? 'no' : 'yes'],
    ['PrivateDevices', 'yes'],
    ['ProtectProc', 'invisible'],
    ['ProtectClock', 'yes'],
    ['ProtectHostname', 'yes'],
    ['ProtectKernelTunables', 'yes'],
    ['ProtectKernelModules', 'yes'],
    ['ProtectKernelLogs', 'yes'],
    ['ProtectControlGroups', 'yes'],
    ['CapabilityBoundingSet', ''],
    ['AmbientCapabilities', ''],
    ['RemoveIPC', 'yes'],
    // Later mounts still propagate into it.
    ['PrivateMounts', 'yes'],
    ...ordinaryConfinement(agent),
  ];
}

/** Settings that need no mount namespace and no privileges, so they also work in a user manager. */
export function ordinaryConfinement({ folders, controlGroup }: HostedAgent): UnitSetting[] {
  const isShared = folders.some((folder) => folder.isShared);
  return [
    ['NoNewPrivileges', 'yes'],
    ['RestrictAddressFamilies', 'AF_UNIX AF_INET AF_INET6 AF_NETLINK'],
    ['RestrictNamespaces', 'yes'],
    ['RestrictRealtime', 'yes'],
    // Files for people take the mode of the scan folder, which often has the setgid bit.
    ['RestrictSUIDSGID', isShared ? 'no' : 'yes'],
    ['LockPersonality', 'yes'],
    ['SystemCallArchitectures', 'native'],
    ['SystemCallFilter', '@system-service'],
    ['SystemCallFilter', '~@privileged @resources'],
    // chown sets the group of the control socket and of files for people.
    ...(isShared || controlGroup !== null ? [['SystemCallFilter', '@chown'] as const] : []),
    ['SystemCallErrorNumber', 'EPERM'],
    ['UMask', isShared ? '0022' : '0077'],
  ];
}

/** Where the agent writes; without its state, if systemd makes that directory (`hasStateDirectory`). */
export function writtenPaths(agent: HostedAgent, hasStateDirectory: boolean): string[] {
  const configDirs = withLinks(agent, agent.configFile).map((file) => posix.dirname(file));
  return [
    ...(hasStateDirectory ? [] : withLinks(agent, agent.stateDir)),
    ...configDirs.filter((dir) => !COMMON.includes(dir)),
    ...agent.folders.flatMap(({ writes }) => writes.flatMap((path) => withLinks(agent, path))),
  ];
}

function writable(agent: HostedAgent, hasStateDirectory: boolean, isTmpReached: boolean): UnitSetting[] {
  const paths = [...writtenPaths(agent, hasStateDirectory), ...(isTmpReached ? TEMPORARY : [])];
  // The `-` lets the unit start although a path is missing, such as an unmounted share.
  return [...new Set(paths)].map((path) => ['ReadWritePaths', unitWord(`-${path}`)]);
}
