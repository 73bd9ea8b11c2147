import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirement } from './requires.ts';

const MOUNT_AND_RUN = 'mount -t tmpfs -o "size=$1,mode=0700" receiptd-test "$2" && shift 2 && exec "$@"';

/** A command line that runs `command` where `dir` is a small file system of its own, seen by nobody else. */
export function withSmallDisk(dir: string, size: string, command: readonly string[]): [string, string[]] {
  const isRoot = process.geteuid?.() === 0;
  return ['unshare', [isRoot ? '-m' : '-Urm', 'sh', '-c', MOUNT_AND_RUN, 'sh', size, dir, ...command]];
}

/** Whether this machine lets a test mount in a namespace of its own. */
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

/** A command line that runs `command` where that process sees its file systems. */
export function inMountsOf(pid: number, command: readonly string[]): [string, string[]] {
  const user = process.geteuid?.() === 0 ? [] : ['-U', '--preserve-credentials'];
  return ['nsenter', ['-t', String(pid), ...user, '-m', '--', ...command]];
}

/** The path by which others reach what that process sees at `path`. */
export function seenBy(pid: number, path: string): string {
  return `/proc/${pid}/root${path}`;
}
