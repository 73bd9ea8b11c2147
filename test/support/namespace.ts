/** Real mounts and limits in separate namespaces: they end with the test and are invisible to other processes. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { requirement } from './requires.ts';

/** A user namespace lets any user create the others; all processes end with the first one. */
export const UNSHARE = ['-U', '-r', '-m', '-p', '-f', '--kill-child', '--mount-proc'];

export const hasNamespaces = requirement(
  'A namespace of users',
  works('unshare', [...UNSHARE, 'true']),
  'Linux with util-linux, and user namespaces allowed',
);

const MOUNT = `
  dir=$(mktemp -d) && cd "$dir" && mkdir from to && touch from/file
  bindfs from to && test -e to/file && mounted=yes
  umount --lazy to
  cd / && rm -r "$dir" && test "$mounted"`;

export const hasBindfs =
  hasNamespaces &&
  requirement(
    'bindfs on /dev/fuse',
    works('unshare', [...UNSHARE, 'sh', '-c', MOUNT]),
    'Debian packages bindfs and fuse3, and a kernel with FUSE that this user may use',
  );

/**
 * Runs the ES module `code` in new namespaces, after the shell script `prepare`. Resolves the JSON values that it prints,
 * one a line; rejects with its standard error if it fails or takes longer than `limitMs`.
 * `more`: further options of unshare.
 */
export async function runInNamespace(
  prepare: string,
  code: string,
  limitMs = 30_000,
  more: readonly string[] = [],
): Promise<unknown[]> {
  const shell = 'set -e; eval "$PREPARE"; exec "$NODE" --input-type=module -e "$CODE"';
  const child = spawn('unshare', [...UNSHARE, ...more, 'sh', '-c', shell], {
    env: { ...process.env, PREPARE: prepare, CODE: code, NODE: process.execPath },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const [status] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  if (status !== 0) throw new Error(`the script ended with ${status ?? 'a signal'}: ${output}${errors}`);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

function works(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}
