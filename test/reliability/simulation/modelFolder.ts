import { byBytes } from '../../../src/core/domain/byteOrder.ts';
import { standsForListing } from '../../../src/core/domain/directoryStamp.ts';
import { sameIdentity } from '../../../src/core/domain/document.ts';
import type { Buffers } from '../../../src/core/ports/buffers.ts';
import type {
  FileRead,
  FileStat,
  FolderHints,
  ListedDirectory,
  WatchedFolder,
} from '../../../src/core/ports/folder.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import type { Process } from './process.ts';
import { systemError, type Inode, type Share, type Tree } from './share.ts';

/** Receives each disposal of an original, so that the oracle can judge it before it takes effect. */
export interface Disposals {
  disposing(share: Share, path: string, file: Inode, how: 'archived' | 'deleted'): void;
}

const ASIDE = '.aside-';
/** Small, so that most directories are listed in several batches. */
const LISTED_AT_ONCE = 3;

/** The folder port on a share, from the view of one process. `below` selects its archive, or a directory in it. */
export function modelFolder(
  share: Share,
  process: Process,
  options: {
    readonly recursive: boolean;
    readonly oracle: Disposals;
    readonly buffers: Buffers;
    readonly below?: string;
  },
): WatchedFolder {
  const { recursive, oracle, buffers, below } = options;
  const isArchive = below !== undefined;
  const path = isArchive ? join(share.archivePath, below) : share.path;
  const tree = (): Tree => (isArchive ? share.archive : share.files);
  const at = (relative: string): string => (isArchive ? join(below, relative) : relative);

  /** Also for the archive, which is on the same file system. */
  const reachable = (): void => {
    if (share.state === 'unreachable') throw systemError('EIO', path);
    if (share.state === 'missing' && !isArchive) throw systemError('ENOENT', path);
  };
  const step = <T>(what: string, effect: () => T): Promise<T> =>
    process.step(what, () => {
      reachable();
      return effect();
    });
  const fileAt = (relative: string): Inode => {
    const file = tree().get(at(relative));
    if (!file) throw systemError('ENOENT', relative);
    return file;
  };

  const stampOf = (dir: string): string | null => {
    const changedAt = share.changedAt(dir);
    if (changedAt === null || !standsForListing(changedAt, process.timeline.wall)) return null;
    return `${share.state} ${share.generation} ${changedAt}`;
  };
  const stat = (relative: string): Promise<FileStat | null> =>
    process.step('a stat', () => {
      // The error that the system reports: the path does not exist.
      if (share.state === 'missing' && !isArchive) return null;
      reachable();
      const file = tree().get(relative);
      if (file) return { kind: 'file', identity: share.identityOf(file) };
      const isDirectory = [...tree().keys()].some((each) => each.startsWith(`${relative}/`));
      return isDirectory ? { kind: 'other' } : null;
    });

  return {
    path,
    async availability() {
      return process.step('a look at the folder', () => {
        switch (share.state) {
          case 'present':
          case 'unmounted':
            return {
              state: 'present',
              token: `${share.state} ${share.generation}`,
              fileSystem: share.fileSystem,
            };
          case 'missing':
            return { state: 'missing', why: { is: 'missing', folder: path } };
          case 'unreachable':
            return { state: 'unreachable', why: { is: 'unreachable', folder: path, system: 'EIO' } };
        }
      });
    },

    async *list(under = '', _signal, passesOver): AsyncGenerator<ListedDirectory> {
      const directories = [under];
      for (const dir of directories) {
        const stamp = passesOver ? await step('a look at a directory', () => stampOf(dir)) : null;
        const before = stamp === null ? null : passesOver?.(dir, stamp);
        if (before) {
          directories.push(...before);
          yield { dir, files: [], isUnchanged: true };
          continue;
        }
        let inside: readonly string[] = [];
        const listed = await step('a listing', () => {
          const found = entriesOf(tree(), dir);
          inside = recursive ? found.directories : [];
          directories.push(...inside);
          return found.files.sort(byBytes).map((name) => ({ path: join(dir, name) }));
        });
        for (let at = 0; at === 0 || at < listed.length; at += LISTED_AT_ONCE)
          yield {
            dir,
            files: listed.slice(at, at + LISTED_AT_ONCE),
            ...(at === 0 && stamp !== null && { stamp, directories: inside }),
          };
      }
    },

    unwatched: () => Promise.resolve([]),
    covers: (relative) => (recursive || !relative.includes('/')) && !relative.includes(ASIDE),

    stat,

    async statEach(dir, names) {
      const unsaid = (error: unknown): undefined => {
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      };
      return Promise.all(names.map((name) => stat(join(dir, name)).catch(unsaid)));
    },

    async read(relative, limit): Promise<FileRead> {
      let before;
      try {
        before = await step('an open', () => {
          const file = fileAt(relative);
          if (file.isLocked) throw systemError('EBUSY', relative);
          const half = file.bytes.subarray(0, file.bytes.length >> 1);
          return { file, identity: share.identityOf(file), half: Buffer.from(half) };
        });
        const { file, identity, half } = before;
        if (identity.size > limit) return { kind: 'tooLarge' };
        return await step('a read', (): FileRead => {
          if (file.bytes.length < identity.size) return { kind: 'changed' };
          const bytes = buffers.take(identity.size);
          half.copy(bytes);
          file.bytes.copy(bytes, half.length, half.length, identity.size);
          return sameIdentity(identity, share.identityOf(file))
            ? { kind: 'bytes', bytes, identity }
            : { kind: 'changed' };
        });
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        return code === 'ENOENT' ? { kind: 'gone' } : { kind: 'unreadable', code };
      }
    },

    async setAside(relative) {
      return step('setting aside', () => {
        fileAt(relative);
        const { dir, name } = split(relative);
        const aside = join(join(dir, `${ASIDE}${process.dice.int(0, 999_999)}`), name);
        share.rename(relative, aside);
        return aside;
      });
    },

    unwritable: () => step('a look at what may be written', () => null),

    async putBack(aside, relative) {
      return step('putting back', () => {
        fileAt(aside);
        const free = freeName(share.files, relative);
        share.rename(aside, free);
        return free;
      });
    },

    async archive(aside, relative) {
      // Copies first and then deletes the original, like a move between two disks.
      const copied = await step('a copy into the archive', () => {
        if (share.isFull) throw systemError('ENOSPC', share.archivePath);
        const file = fileAt(aside);
        oracle.disposing(share, relative, file, 'archived');
        const name = freeName(share.archive, relative);
        share.place(share.archive, name, file);
        return name;
      });
      await step('the end of archiving', () => {
        if (share.files.has(aside)) share.remove(aside);
      });
      return join(share.archivePath, copied);
    },

    async findArchived(_path, size, sha256) {
      return step('a look into the archive', () => {
        for (const [name, { bytes }] of share.archive)
          if (bytes.length === size && hashOf(bytes) === sha256) return join(share.archivePath, name);
        return null;
      });
    },

    async discard(aside) {
      await step('a deletion', () => {
        const file = share.files.get(aside);
        if (!file) return;
        oracle.disposing(share, aside, file, 'deleted');
        share.remove(aside);
      });
    },

    async leftAside() {
      return step('a look for what was left aside', () =>
        [...tree().keys()].filter(isAside).map((aside) => {
          return { aside, path: placeOf(aside) };
        }),
      );
    },
  };
}

/** Delayed file events. A share of `lostShare` is lost, and sometimes they stop altogether. */
export function modelHints(
  shares: ReadonlyMap<string, Share>,
  process: Process,
  { lostShare, failsAfterMs }: { readonly lostShare: number; readonly failsAfterMs: number | null },
): FolderHints {
  return {
    async watch(path, _recursive, onHint, onTrouble) {
      const share = shares.get(path);
      if (!share) throw systemError('ENOENT', path);
      const watcher = (changed: string): void => {
        if (process.isDead || process.dice.chance(lostShare)) return;
        process.timeline.after(process.delay(), process, () => onHint(changed));
      };
      await process.step('a watch', () => {
        if (share.state !== 'present' && share.state !== 'unmounted') throw systemError('ENOENT', path);
        share.watchers.add(watcher);
      });
      if (failsAfterMs !== null) {
        process.timeline.after(failsAfterMs, process, () => {
          share.watchers.delete(watcher);
          onTrouble(systemError('EIO', 'the watch ended'));
        });
      }
      return {
        close: async () => {
          share.watchers.delete(watcher);
        },
      };
    },
  };
}

export function isAside(path: string): boolean {
  return path.includes(ASIDE);
}

/** The original path of a file that may have been set aside. */
export function placeOf(path: string): string {
  if (!isAside(path)) return path;
  const { dir, name } = split(path);
  return join(split(dir).dir, name);
}

function entriesOf(tree: Tree, dir: string): { files: string[]; directories: string[] } {
  const files: string[] = [];
  const directories = new Set<string>();
  const prefix = dir === '' ? '' : `${dir}/`;
  for (const path of tree.keys()) {
    if (!path.startsWith(prefix)) continue;
    const [first = '', ...rest] = path.slice(prefix.length).split('/');
    if (first.startsWith(ASIDE)) continue;
    if (rest.length === 0) files.push(first);
    else directories.add(`${prefix}${first}`);
  }
  return { files, directories: [...directories] };
}

function freeName(tree: Tree, path: string): string {
  if (!tree.has(path)) return path;
  for (let number = 2; ; number += 1) {
    const free = path.replace(/(\.[^./]*)?$/, ` (${number})$1`);
    if (!tree.has(free)) return free;
  }
}

function join(dir: string, name: string): string {
  return dir === '' ? name : `${dir}/${name}`;
}

function split(path: string): { dir: string; name: string } {
  const cut = path.lastIndexOf('/');
  return { dir: cut < 0 ? '' : path.slice(0, cut), name: path.slice(cut + 1) };
}
