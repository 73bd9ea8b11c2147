import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode, systemError } from '../../core/domain/errors.ts';
import { below } from './folderPath.ts';
import { inRealDirectory } from './realDirectory.ts';

/**
 * A directory that the agent writes to, in two parts. The path of `base` is the admin's choice, including links. Links in
 * `below` are not followed: people who scan may create links in a watched folder, and the agent may have more permissions
 * than they have.
 */
export interface OwnDirectory {
  readonly base: string;
  /** Relative, with slashes; '' is `base`. */
  readonly below: string;
  /** Whether `base` is a watched folder. Such a folder is never created: it may be a share that is not mounted. */
  readonly isWatched: boolean;
}

/** Splits a path at the outermost watched folder that it is in; null if it is in none. All paths are absolute. */
function inWatched(absolute: string, watched: readonly string[]): OwnDirectory | null {
  let outermost: OwnDirectory | null = null;
  for (const base of watched) {
    const path = below(base, absolute);
    if (path === null) continue;
    if (outermost === null || base.length < outermost.base.length)
      outermost = { base, below: path, isWatched: true };
  }
  return outermost;
}

/** Outside watched folders, the archive may be a link. */
export function archiveDirectory(archiveTo: string, watched: readonly string[]): OwnDirectory {
  return inWatched(archiveTo, watched) ?? { base: archiveTo, below: '', isWatched: false };
}

/** People can write to the attention folder, so it must not be a link itself, even outside watched folders. */
export function attentionDirectory(path: string, watched: readonly string[]): OwnDirectory {
  return inWatched(path, watched) ?? { base: dirname(path), below: basename(path), isWatched: false };
}

/** The system's error code if the agent can't create files in it, or can't create it; null if it can. */
export async function unwritable(place: OwnDirectory): Promise<string | null> {
  const mayWrite = async (directory: string) => {
    if (!(await stat(directory)).isDirectory()) throw systemError('ENOTDIR', directory);
    await access(directory, constants.W_OK | constants.X_OK);
  };
  try {
    const { base, below, isWatched } = place;
    await inOwnDirectory(place, '', mayWrite).catch(async (error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error;
      const parent = dirname(join(base, below));
      // A needs-attention folder is only made in a directory that exists.
      await mayWrite(isWatched || below === '' ? await nearest(parent) : parent);
    });
    return null;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
}

/** The innermost directory on the path that exists. */
async function nearest(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'ENOENT',
  );
  return exists || dirname(path) === path ? path : nearest(dirname(path));
}

/** Like `inRealDirectory`, for the directory `path` in it. */
export function inOwnDirectory<T>(
  { base, below, isWatched }: OwnDirectory,
  path: string,
  work: (directory: string) => Promise<T>,
  options: { readonly make?: boolean } = {},
): Promise<T> {
  const whole = [below, path].filter((part) => part !== '').join('/');
  return inRealDirectory(base, whole, work, { ...options, hasBase: isWatched });
}
