import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirement } from './requires.ts';

const MOUNT_AND_RUN = 'mount -t tmpfs -o "size=$1,mode=0700" receiptd-test "$2" && shift 2 && exec "$@"';

/** A command line that runs `command` with a small private file system mounted at `dir`. */
export function withSmallDisk(dir: string, size: string, command: readonly string[]): [string, string[]] {
  const isRoot = process.geteuid?.() === 0;
  return ['unshare', [isRoot ? '-m' : '-Urm', 'sh', '-c', MOUNT_AND_RUN, 'sh', size, dir, ...command]];
}

const CLOSE_AND_RUN = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';

/** A command line that runs `command` while the file system of `dir` is read-only. */
export function withReadOnly(dir: string, command: readonly string[]): [string, string[]] {
  const isRoot = process.geteuid?.() === 0;
  return ['unshare', [isRoot ? '-m' : '-Urm', 'sh', '-c', CLOSE_AND_RUN, 'sh', dir, ...command]];
}

/** Whether this machine allows a test to mount file systems in its own namespace. */
export function canMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'receiptd-mount-'));
  let works = true;
  try {
    execFileSync(...withSmallDisk(dir, '1m', ['true']), { stdio: 'ignore' });
  } catch {
    works = false;
  }
  rmdirSync(dir);
  return requirement(
    'A mount namespace',
    works,
    '`unshare -m` and `mount -t tmpfs` as root, or `unshare -Urm`',
  );
}

/** A command line that runs `command` in the mount namespace of process `pid`. */
export function inMountsOf(pid: number, command: readonly string[]): [string, string[]] {
  const user = process.geteuid?.() === 0 ? [] : ['-U', '--preserve-credentials'];
  return ['nsenter', ['-t', String(pid), ...user, '-m', '--', ...command]];
}

/** The path outside the namespace of a file that process `pid` sees at `path`. */
export function seenBy(pid: number, path: string): string {
  return `/proc/${pid}/root${path}`;
}
