import { randomInt } from 'node:crypto';
import { existsSync, renameSync, statSync, symlinkSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { createWatchedFolder, type WatchedFolderOptions } from '../../../src/intake/folder/watchedFolder.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { requirement } from '../../support/requires.ts';

export async function temporaryDirectory(under = tmpdir()): Promise<string> {
  const directory = await fs.mkdtemp(join(under, 'receiptd-folder-'));
  onTestFinished(() => fs.rm(directory, { recursive: true, force: true }));
  return directory;
}

export const random = (): number => randomInt(2 ** 32) / 2 ** 32;

export function watched(path: string, options: Partial<WatchedFolderOptions> = {}) {
  return createWatchedFolder({
    path,
    recursive: true,
    include: [],
    ignore: [],
    exclude: [],
    archiveTo: join(path, 'archive'),
    random,
    ...options,
  });
}

/** A folder with these files, in memory, where a sync is free. */
export async function folderWith(files: Record<string, string>, options: Parameters<typeof watched>[1] = {}) {
  const root = await temporaryDirectory(memoryDirectory());
  for (const [path, text] of Object.entries(files)) {
    await fs.mkdir(join(root, path, '..'), { recursive: true });
    await fs.writeFile(join(root, path), text);
  }
  return { root, folder: watched(root, options) };
}

/** Every regular file below a directory with its text, by relative path. */
export async function filesIn(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await fs.readdir(directory, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile())
      found[file.slice(directory.length + 1).replaceAll(sep, '/')] = await fs.readFile(file, 'utf8');
  }
  return found;
}

type FileCall = (...args: unknown[]) => Promise<unknown>;

/** Replaces a function of node:fs/promises until the test ends. */
export function replaceCall(
  call: 'chown' | 'link' | 'lstat' | 'mkdir' | 'opendir' | 'unlink',
  by: (real: FileCall) => FileCall,
): void {
  const real = fs[call] as FileCall;
  const spy = vi.spyOn(fs, call).mockImplementation(by(real) as never);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

/** Just before the next such call, moves `directory` away and puts a link to `elsewhere` in its place. Returns whether it has. */
export function swapBefore(
  call: Parameters<typeof replaceCall>[0],
  directory: string,
  elsewhere: string,
): () => boolean {
  let isSwapped = false;
  replaceCall(call, (real) => async (...args) => {
    if (!isSwapped) {
      isSwapped = true;
      renameSync(directory, `${directory}.moved`);
      symlinkSync(elsewhere, directory);
    }
    return real(...args);
  });
  return () => isSwapped;
}

/** The answer of a file system without hard links (FAT, many shares). */
export function withoutLinks(code = 'EPERM'): void {
  replaceCall('link', () => () => Promise.reject(Object.assign(new Error(code), { code })));
}

export const LINKS = [
  ['with hard links', () => {}],
  ['without hard links', withoutLinks],
] as const;

/** A directory on another file system than `folderWith`. */
export const OTHER_DEVICE = memoryDirectory() === tmpdir() ? '/dev/shm' : tmpdir();

/** Whether there is one. */
export function hasOtherDevice(): boolean {
  return requirement(
    'A second file system',
    existsSync(OTHER_DEVICE) && statSync(OTHER_DEVICE).dev !== statSync(memoryDirectory()).dev,
    `${OTHER_DEVICE} on another device than ${memoryDirectory()}`,
  );
}
