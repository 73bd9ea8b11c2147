import { posix } from 'node:path';
import { reachedPaths, withLinks, type HostedAgent } from '../agent.ts';
import { unitWord, type Setting } from './quote.ts';

const HOMES = ['/home', '/root', '/run/user'];
const TEMPORARY = ['/tmp', '/var/tmp'];
/** Directories that many share; the agent writes its configuration only where the directory is its own. */
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
 * As little as works: V8 makes code as it runs (no MemoryDenyWriteExecute), limits of the kernel are looked up in /proc/sys (no ProcSubset), and
 * owners of scans have to be told apart (no PrivateUsers).
 */
export function confinement(agent: HostedAgent, hasStateDirectory: boolean): Setting[] {
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
    // What is mounted later is seen anyway.
    ['PrivateMounts', 'yes'],
    ...ordinaryConfinement(agent),
  ];
}

/** What needs neither mounts nor rights of its own, and so holds in a user's manager as well. */
export function ordinaryConfinement({ folders, controlGroup }: HostedAgent): Setting[] {
  const isShared = folders.some((folder) => folder.isShared);
  return [
    ['NoNewPrivileges', 'yes'],
    ['RestrictAddressFamilies', 'AF_UNIX AF_INET AF_INET6 AF_NETLINK'],
    ['RestrictNamespaces', 'yes'],
    ['RestrictRealtime', 'yes'],
    // What is made for people takes the mode of the folder of scans, which often hands its group down.
    ['RestrictSUIDSGID', isShared ? 'no' : 'yes'],
    ['LockPersonality', 'yes'],
    ['SystemCallArchitectures', 'native'],
    ['SystemCallFilter', '@system-service'],
    ['SystemCallFilter', '~@privileged @resources'],
    // The group of the control socket, and of what is made for people.
    ...(isShared || controlGroup !== null ? [['SystemCallFilter', '@chown'] as const] : []),
    ['SystemCallErrorNumber', 'EPERM'],
    ['UMask', isShared ? '0022' : '0077'],
  ];
}

function writable(agent: HostedAgent, hasStateDirectory: boolean, isTmpReached: boolean): Setting[] {
  const configDirs = withLinks(agent, agent.configFile).map((file) => posix.dirname(file));
  const paths = [
    ...(hasStateDirectory ? [] : withLinks(agent, agent.stateDir)),
    ...configDirs.filter((dir) => !COMMON.includes(dir)),
    ...agent.folders.flatMap(({ writes }) => writes.flatMap((path) => withLinks(agent, path))),
    ...(isTmpReached ? TEMPORARY : []),
  ];
  // One that is not there, a share that is away say, keeps nothing from starting.
  return [...new Set(paths)].map((path) => ['ReadWritePaths', unitWord(`-${path}`)]);
}

function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}
