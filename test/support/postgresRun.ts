/** The directory of a run's PostgreSQL clusters, and the keeper process that ends them after the run. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryDirectory } from './memoryDirectory.ts';
import { ordinaryOwner } from './ordinaryUser.ts';

const KEEPER = keeperScript();
const PREFIX = 'receiptd-postgres-';
const VARIABLE = 'RECEIPTD_TEST_POSTGRES';
/** Grace for the keeper of a new directory to write its process id. */
const SETTLED_AFTER_MS = 60_000;

/** Vitest's global set-up: creates the directory for clusters that workers may start. Starts none. */
export default function setup(): () => Promise<void> {
  if (postgresBinaries() === null || process.env[VARIABLE] !== undefined) return () => Promise.resolve();
  const { dir, payloads } = beginRun();
  process.env[VARIABLE] = dir;
  return () => ended(payloads);
}

/** The directory of this run's clusters; outside Vitest, one that is removed when this process ends. */
export function runDirectory(): string {
  return (process.env[VARIABLE] ??= beginRun().dir);
}

/** The directory of `postgres` and its tools, preferring the newest version; null if not installed. */
export function postgresBinaries(): string | null {
  if (process.platform === 'win32') return null;
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((dir) => dir !== '');
  return [...debianVersions(), ...path].find((dir) => isRunnable(join(dir, 'initdb'))) ?? null;
}

function debianVersions(): string[] {
  const root = '/usr/lib/postgresql';
  try {
    const versions = readdirSync(root).toSorted((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(root, version, 'bin'));
  } catch {
    return [];
  }
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The script is next to the source; compiled code runs with the checkout as working directory. */
function keeperScript(): string {
  const beside = fileURLToPath(new URL('postgresKeeper.sh', import.meta.url));
  return existsSync(beside) ? beside : resolve('test/support/postgresKeeper.sh');
}

function beginRun(): { readonly dir: string; readonly payloads: ChildProcess } {
  removeLeftovers();
  // In memory: to make and remove hundreds of databases is work for a disk.
  const dir = mkdtempSync(join(memoryDirectory(), PREFIX));
  const { uid, gid } = ordinaryOwner();
  chownSync(dir, uid, gid);
  // In its own session, so that it outlives an interrupted run.
  const payloads = spawn('sh', [KEEPER, dir], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  payloads.unref();
  (payloads.stdin as { unref?(): void } | null)?.unref?.();
  return { dir, payloads };
}

async function ended(payloads: ChildProcess): Promise<void> {
  if (payloads.exitCode !== null) return;
  payloads.ref();
  payloads.stdin?.end();
  await once(payloads, 'exit');
}

/** Removes directories of runs that ended together with their keepers. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(PREFIX))) {
    const dir = join(tmpdir(), name);
    if (isKept(dir)) continue;
    // Fails for another user's directory, which stays.
    spawnSync('sh', [KEEPER, dir], { stdio: 'ignore' });
  }
}

function isKept(dir: string): boolean {
  try {
    if (Date.now() - statSync(dir).mtimeMs < SETTLED_AFTER_MS) return true;
    const payloads = readFileSync(join(dir, 'keeper'), 'utf8').trim();
    return commandLine(payloads).includes(dir);
  } catch {
    return false;
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return execFileSync('ps', ['-o', 'command=', '-p', pid], { encoding: 'utf8', stdio: 'pipe' });
  }
}
