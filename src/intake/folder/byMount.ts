import { resolve, sep } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { relativeTo } from '../../core/paths.ts';
import type { ListedDirectory, WatchedFolder } from '../../core/ports/folder.ts';
import type { Mounts } from './mounts.ts';

export interface ByMountOptions {
  readonly mounts: Mounts;
  /** Absolute. */
  readonly archiveTo: string;
  /** The same folder in a process of its own (apart.ts), for paths on this mount. */
  readonly apart: (mount: string) => WatchedFolder;
}

/**
 * A folder whose calls go to another process where they may hang: all of them if it lies on a file system that may, those below a mount
 * if such a one is mounted inside it, those that touch the archive if that lies on one. `here` enters no such mount. Whatever
 * hangs there keeps nothing else waiting: a part that can't be listed is an unreadable directory.
 */
export function byMount(here: WatchedFolder, { mounts, archiveTo, apart }: ByMountOptions): WatchedFolder {
  const { path: folder } = here;
  const on = (mount: string | null): WatchedFolder => (mount === null ? here : apart(mount));
  const at = (path: string): WatchedFolder => on(mounts.of(resolve(folder, path.replaceAll('/', sep))));
  const whole = (): WatchedFolder => on(mounts.of(folder));
  const archiving = (): WatchedFolder => on(mounts.of(archiveTo) ?? mounts.of(folder));
  const nested = (): readonly string[] =>
    mounts.below(folder).flatMap((each) => relativeTo(folder, each) ?? []);

  async function* listNested(dir: string, signal: AbortSignal | undefined): AsyncGenerator<ListedDirectory> {
    try {
      yield* at(dir).list(dir, signal);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined || signal?.aborted === true) throw error;
      yield { dir, files: [], unreadableDirs: [{ path: dir, code }] };
    }
  }

  return {
    path: folder,
    covers: (path) => here.covers(path),
    availability: () => whole().availability(),
    async *list(under = '', signal, passesOver) {
      const from = at(under);
      yield* from.list(under, signal, passesOver);
      if (from !== here) return;
      for (const dir of nested())
        if (under === '' || dir.startsWith(`${under}/`)) yield* listNested(dir, signal);
    },
    unwatched: () => whole().unwatched(),
    stat: (path) => at(path).stat(path),
    statEach: (dir, names) => at(dir).statEach(dir, names),
    read: (path, limit, options) => at(path).read(path, limit, options),
    async unwritable(to) {
      const code = await whole().unwritable('nowhere');
      return code ?? (to === 'archive' ? archiving().unwritable('archive') : null);
    },
    setAside: (path) => at(path).setAside(path),
    putBack: (aside, path) => at(path).putBack(aside, path),
    archive: (aside, path) => archiving().archive(aside, path),
    findArchived: (path, size, sha256) => archiving().findArchived(path, size, sha256),
    discard: (aside) => at(aside).discard(aside),
    async leftAside(signal) {
      const left = [...(await whole().leftAside(signal))];
      if (whole() !== here) return left;
      for (const dir of nested()) {
        // What lies in a mount that hangs is put back once that answers.
        const there = await at(dir)
          .leftAside(signal)
          .catch((error: unknown) => {
            if (systemCode(error) === undefined) throw error;
            return [];
          });
        left.push(...there.filter(({ path }) => path.startsWith(`${dir}/`)));
      }
      return left;
    },
  };
}
