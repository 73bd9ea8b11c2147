import { randomInt } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { onTestFinished } from 'vitest';
import { createWatchedFolder, type WatchedFolderOptions } from '../../../src/intake/folder/watchedFolder.ts';

export async function temporaryDirectory(under = tmpdir()): Promise<string> {
  const directory = await mkdtemp(join(under, 'receiptd-folder-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
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

/** Every regular file below a directory with its text, by relative path. */
export async function filesIn(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile())
      found[file.slice(directory.length + 1).replaceAll(sep, '/')] = await readFile(file, 'utf8');
  }
  return found;
}
