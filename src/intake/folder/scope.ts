import { lstat, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { matcherOf } from '../../core/domain/globs.ts';
import { dirOf, nameOf, relativeTo } from '../../core/paths.ts';
import { locationOf, realLocation } from './location.ts';
import type { Mounts } from './mounts.ts';
import { ignoreSystemErrors, inside, prefixesOf } from './realDirectory.ts';

/** Each file that is set aside keeps its name, in a directory of its own: names of 255 bytes leave no room for a suffix. */
export const ASIDE_PREFIX = '.receiptd-aside-';
const ASIDE_NAME = /^\.receiptd-aside-[0-9a-f]{8}$/;

export function isAsideName(name: string): boolean {
  return ASIDE_NAME.test(name);
}

export interface ScopeOptions {
  /** Absolute. */
  readonly folder: string;
  readonly recursive: boolean;
  /** Empty: every file. */
  readonly include: readonly string[];
  readonly ignore: readonly string[];
  /** Directories that are never entered: archives and the agent's own. Absolute, or relative to the folder. */
  readonly exclude: readonly string[];
  /** File systems that may hang and are not touched: those mounted in the folder are not entered. Left out: all are. */
  readonly mounts?: Mounts | undefined;
}

/** Which paths of a folder are watched. */
export class Scope {
  readonly folder: string;
  readonly recursive: boolean;
  /** Match one path, regardless of its parent directories. */
  readonly includes: (path: string) => boolean;
  readonly ignores: (path: string) => boolean;
  readonly #exclude: readonly string[];
  readonly #mounts: Mounts | undefined;
  /** Relative paths of mounts that are not entered. */
  #nested: readonly string[] = [];
  /** Relative paths of the excluded directories in the folder: as configured, by their real paths, and as they are spelled there. */
  #excluded: readonly string[];
  readonly #respelled = new Set<string>();
  /** The last directory that was found to be entered: a path costs the same at any depth. */
  #entered = '';

  constructor({ folder, recursive, include, ignore, exclude, mounts }: ScopeOptions) {
    this.#mounts = mounts;
    this.folder = folder;
    this.recursive = recursive;
    this.includes = include.length === 0 ? () => true : matcher(include);
    this.ignores = matcher(ignore);
    this.#exclude = exclude.map((directory) => resolve(folder, directory));
    this.#excluded = this.#below(folder, this.#exclude);
  }

  /** Resolves symbolic links again: the archive may be configured by a different path than the folder. */
  async refresh(): Promise<void> {
    const mounts = this.#mounts;
    this.#nested = mounts ? this.#below(this.folder, mounts.below(this.folder)) : [];
    // No link is followed into another file system, so that a directory there is found by its configured path.
    const real = await Promise.all(
      this.#exclude.map(async (each) => (this.mayHang(each) ? each : locationOf(each))),
    );
    const found = this.#below(await realLocation(this.folder), real);
    this.#excluded = [...new Set([...this.#below(this.folder, this.#exclude), ...found, ...this.#respelled])];
  }

  /** Whether a file at this path is watched. */
  covers(path: string): boolean {
    if (path === '' || (!this.recursive && path.includes('/')) || this.isExcluded(path)) return false;
    const parent = dirOf(path);
    if (parent !== this.#entered) {
      if (prefixesOf(parent).some((each) => this.#passes(each))) return false;
      this.#entered = parent;
    }
    return !this.#passes(path) && this.includes(path);
  }

  /** Whether this relative path is an excluded directory, or inside one. */
  isExcluded(path: string): boolean {
    return this.#excluded.some((directory) => path === directory || path.startsWith(`${directory}/`));
  }

  /** Whether this absolute path is on a file system that may hang and is not touched. */
  mayHang(path: string): boolean {
    return this.#mounts !== undefined && this.#mounts.of(path) !== null;
  }

  /** Whether another file system is mounted there that is not entered. */
  isMount(path: string): boolean {
    return this.#nested.includes(path);
  }

  /** Whether a directory of the folder is listed, if those above it are; known for each only once the directory above was read. */
  async enters(path: string): Promise<boolean> {
    if (this.#passes(path) || this.isExcluded(path) || this.isMount(path)) return false;
    const other = this.#excluded.find((directory) => fold(directory) === fold(path));
    if (other === undefined || !(await this.#isSpelled(path, other))) return true;
    // The share ignores case, and somebody made the archive under a name that differs in case.
    this.#respelled.add(path);
    this.#excluded = [...this.#excluded, path];
    return false;
  }

  /** Whether `other` exists only as another spelling of `path`. */
  async #isSpelled(path: string, other: string): Promise<boolean> {
    if ((await lstat(inside(this.folder, other)).catch(ignoreSystemErrors)) === undefined) return false;
    const names = other.split('/');
    for (const [index, each] of prefixesOf(path).entries()) {
      const name = names[index] ?? '';
      if (name === nameOf(each)) continue;
      if ((await readdir(inside(this.folder, dirOf(each)))).includes(name)) return false;
    }
    return true;
  }

  #passes(path: string): boolean {
    return this.ignores(path) || isAsideName(nameOf(path));
  }

  #below(folder: string, directories: readonly string[]): string[] {
    return directories.map((each) => relativeTo(folder, each)).filter((path) => path !== null);
  }
}

/** As file systems that ignore case, or the Unicode form, compare names. */
function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/**
 * Patterns with a slash match the path relative to the folder; others match a name at any depth, and as ignore patterns also the name of
 * a directory. Case and Unicode normalization are ignored.
 */
function matcher(patterns: readonly string[]): (path: string) => boolean {
  // People write 'thumbs/' for a directory, and '/thumbs/*' for a path relative to the folder.
  const trimmed = patterns.map((pattern) => pattern.normalize('NFC').replace(/(?<=.)\/+$/, ''));
  const anchored = trimmed.filter((pattern) => pattern.includes('/'));
  const matchesPath = matcherOf(anchored.map((pattern) => pattern.replace(/^\/+/, '')));
  const matchesName = matcherOf(trimmed.filter((pattern) => !pattern.includes('/')));
  return (path) =>
    matchesName(nameOf(path).normalize('NFC')) || (anchored.length > 0 && matchesPath(path.normalize('NFC')));
}
