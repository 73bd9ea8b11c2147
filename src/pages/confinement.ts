import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, sep } from 'node:path';

/** How to start a renderer process: the command, its arguments, environment and working directory. */
export interface Confinement {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Restrictions in force, to show to people. */
  readonly holds: readonly ConfinementHold[];
}

export type ConfinementHold = 'heap' | 'files' | 'network' | 'memory' | 'time';

const HEAP_MB = 512;
/** User and network namespaces of its own, without a network. The second is for versions without `--map-current-user`. */
const NAMESPACES = [
  ['--user', '--map-current-user', '--net'],
  ['--user', '--map-root-user', '--net'],
];
const UNSHARE = ['/usr/bin/unshare', '/bin/unshare'];
/** Limits CPU time: if the agent is killed while a page loops forever, nothing else ends the process. */
const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'];
const PRLIMIT_ARGS = ['--cpu=300', '--core=0'];
const PROBE_MS = 5_000;

/**
 * Confines a process as tightly as this platform allows without privileges: none of the agent's environment, which may hold
 * secrets; no directory of its own; reads only of `program` and the packages; on Linux, no network. See `docs/pages.md`.
 */
export async function confinement(program: string, packages: readonly string[]): Promise<Confinement> {
  const readable = new Set([dirname(program), ...packages.map(packageTree)]);
  const files = permissionArgs([...readable]);
  const node = [
    `--max-old-space-size=${HEAP_MB}`,
    '--no-warnings',
    '--disallow-code-generation-from-strings',
    ...files,
    program,
  ];
  const wrappers = await wrappersHere();
  const [command = process.execPath, ...args] = [
    ...wrappers.flatMap(({ line }) => line),
    process.execPath,
    ...node,
  ];
  const holds: ConfinementHold[] = ['heap', ...(files.length > 0 ? (['files'] as const) : [])];
  holds.push(...wrappers.map(({ holds: what }) => what));
  if (process.platform !== 'win32') holds.push('memory');
  return {
    command,
    args,
    env: environment(),
    cwd: process.platform === 'win32' ? dirname(process.execPath) : '/',
    holds,
  };
}

/** Windows can't start processes without it. */
function environment(): NodeJS.ProcessEnv {
  const { SYSTEMROOT } = process.env;
  return SYSTEMROOT === undefined ? {} : { SYSTEMROOT };
}

/** Node's permission model: no writes, processes or threads; reads only of the program and its packages. */
function permissionArgs(readable: readonly string[]): string[] {
  const known = process.allowedNodeEnvironmentFlags;
  const flag = ['--permission', '--experimental-permission'].find((each) => known.has(each));
  if (flag === undefined || !known.has('--allow-addons')) return [];
  return [
    flag,
    '--allow-addons',
    '--preserve-symlinks',
    '--preserve-symlinks-main',
    ...readable.map((path) => `--allow-fs-read=${path}${sep}*`),
  ];
}

/** The directory that holds a package and its dependencies. */
function packageTree(file: string): string {
  const mark = `${sep}node_modules${sep}`;
  const at = file.indexOf(mark);
  return at < 0 ? dirname(file) : file.slice(0, at + mark.length - 1);
}

/** A program that starts another one with a restriction. */
interface Wrapper {
  readonly line: readonly string[];
  readonly holds: 'network' | 'time';
}

let wrappers: Promise<readonly Wrapper[]> | null = null;

function wrappersHere(): Promise<readonly Wrapper[]> {
  wrappers ??= tryWrappers();
  return wrappers;
}

/** Wrappers that work here, tested once: a container or a hardened service may forbid them. */
async function tryWrappers(): Promise<readonly Wrapper[]> {
  if (process.platform !== 'linux') return [];
  const found: Wrapper[] = [];
  const prlimit = PRLIMIT.find((path) => existsSync(path));
  if (prlimit !== undefined && (await works([prlimit, ...PRLIMIT_ARGS])))
    found.push({ line: [prlimit, ...PRLIMIT_ARGS], holds: 'time' });
  const unshare = UNSHARE.find((path) => existsSync(path));
  for (const args of unshare === undefined ? [] : NAMESPACES) {
    const line = [unshare as string, ...args];
    if (!(await works(line))) continue;
    found.push({ line, holds: 'network' });
    break;
  }
  return found;
}

function works([command = '', ...args]: readonly string[]): Promise<boolean> {
  return new Promise((done) => {
    const how = { env: {}, timeout: PROBE_MS };
    execFile(command, [...args, '/bin/true'], how, (error) => done(error === null));
  });
}
