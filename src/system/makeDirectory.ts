import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../core/domain/errors.ts';
import { syncDirectory } from './syncDirectory.ts';

/**
 * Creates a directory and its parents; their names are durable when it resolves. Unlike `mkdir` with `recursive`, it ends where
 * the file system answers ENOENT although the parent exists (/proc, an automounted path): there, Node tries forever, in a thread that no signal stops.
 * @returns the first directory that was created; undefined if all existed
 * @throws system errors; EEXIST or ENOTDIR if something else is in the way
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeOne(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) !== 'ENOENT' || parent === path) throw error;
    const first = await makeDirectory(parent, mode);
    const made = await makeOne(path, mode);
    return first ?? made;
  }
}

async function makeOne(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, mode);
    await syncDirectory(dirname(path));
    return path;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && (await isDirectory(path))) return undefined;
    throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats?.isDirectory() ?? false;
}
