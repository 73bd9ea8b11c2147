import { opendir, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { FolderHints } from '../../core/ports/folder.ts';
import { DirectoryWatcher } from './directoryWatcher.ts';
import { statFolder, tokenOf } from './availability.ts';
import { locationOf, realLocation } from './location.ts';
import { Mounts } from './mounts.ts';
import { ASIDE_PREFIX } from './scope.ts';

/*
 * States of a watch, from `watch` to `close`:
 *
 *   starting ──▶ watching ──▶ troubled   reported once; hints may still come, but are unreliable
 *       │            └───────────┴─────▶ closed
 *       └─ rejects with the system's error if the folder can't be read
 *
 * If the folder itself is deleted, renamed or replaced, whatever takes its place is not watched: this is reported as
 * trouble, and the caller has to start a new watch.
 */

// chokidar reads a new directory before it watches it. Files created in between raise no event, so a second hint follows.
const SECOND_HINT_MS = 2000;

/**
 * Whether an event's name is certainly the one that a listing gives; otherwise the directory is listed, so that no file is
 * seen under two names. Uncertain are names that are not valid UTF-8; on macOS, names that may be composed differently
 * (é as one character or two); on Windows, possible short forms (SCAN00~1.JPG) of long names.
 */
export function namesOneFile(name: string, platform: NodeJS.Platform): boolean {
  if (name.includes('\uFFFD')) return false;
  if (platform === 'darwin') return !/[^\x20-\x7e]/.test(name);
  return platform !== 'win32' || !/~\d/.test(name);
}

export interface FolderHintsOptions {
  /** Absolute directories that are not watched, including everything in them. */
  readonly exclude?: readonly string[];
  /** File systems that may hang: nothing on them is watched. */
  readonly mounts?: Mounts;
  readonly platform?: NodeJS.Platform;
}

export function createFolderHints({
  exclude = [],
  mounts = new Mounts(),
  platform = process.platform,
}: FolderHintsOptions = {}): FolderHints {
  return {
    async watch(path, recursive, onHint, onTrouble) {
      const folder = resolve(path);
      const token = tokenOf(await present(folder, statFolder(folder)));
      await (await present(folder, opendir(folder))).close();
      // chokidar would watch a link itself, not the folder it leads to.
      const root = await realLocation(folder);
      if (sep === '/' && root.includes('\\')) throw backslash(folder);
      const excluded = await Promise.all(
        exclude.map(async (each) => (mounts.of(each) === null ? locationOf(resolve(each)) : resolve(each))),
      );
      const isQuiet = (place: string): boolean =>
        place.includes(sep + ASIDE_PREFIX, root.length) ||
        mounts.of(place) !== mounts.of(root) ||
        excluded.some((directory) => place === directory || place.startsWith(directory + sep));

      let state: 'watching' | 'troubled' | 'closed' = 'watching';
      const hint = (place: string, isDirectory = false): void => {
        if (state === 'closed' || isQuiet(place)) return;
        onHint(place === root ? folder : join(folder, place.slice(root.length)), isDirectory);
      };
      const trouble = (error: Error): void => {
        if (state !== 'watching') return;
        state = 'troubled';
        onTrouble(error);
      };

      const secondHints = new Set<NodeJS.Timeout>();
      const hintTwice = (directory: string): void => {
        hint(directory, true);
        const timer = setTimeout(() => {
          secondHints.delete(timer);
          hint(directory, true);
        }, SECOND_HINT_MS).unref();
        secondHints.add(timer);
      };

      const lookAtRoot = async (): Promise<void> => {
        const now = await statFolder(folder).catch(() => null);
        if (now === null || tokenOf(now) !== token) trouble(folderGone(folder));
      };

      /** The error may only mean that the folder is gone. */
      const failed = async (error: unknown): Promise<void> => {
        await lookAtRoot();
        trouble(watchTrouble(folder, error));
      };

      const watcher = new DirectoryWatcher(root, recursive, (place) => isQuiet(place));

      /** Called when a directory was deleted or moved; another one may already be in its place, unwatched. */
      const moved = async (directory: string): Promise<void> => {
        if (directory === root) {
          await lookAtRoot();
          return;
        }
        // At once: a directory that is recreated later is found as new only if this entry is gone.
        watcher.forget(directory);
        const there = await stat(directory).catch(() => null);
        if (state === 'closed' || !there?.isDirectory()) return;
        watcher.add(directory);
        hintTwice(directory);
      };

      const ready = new Promise<void>((resolveReady) => {
        watcher.once('ready', resolveReady);
        watcher.once('error', () => resolveReady());
      });
      watcher.on('error', (error) => void failed(error));
      watcher.on('addDir', hintTwice);
      watcher.on('unlinkDir', (directory) => {
        hint(directory);
        if (directory === root) void moved(directory);
      });
      // On Linux, `name` is a name in the watched directory, null, or the directory's own name for an event of itself.
      watcher.on('raw', (event, name: string | null, details) => {
        const directory = watchedPath(details);
        if (directory === null) {
          if (name !== null) hint(name);
        } else if (name === basename(directory)) {
          hint(directory);
          if (event === 'rename') void moved(directory);
        } else {
          hint(name === null || !namesOneFile(name, platform) ? directory : join(directory, name));
        }
      });
      watcher.add(root);
      await ready;
      await lookAtRoot();
      return {
        async close() {
          state = 'closed';
          for (const timer of secondHints) clearTimeout(timer);
          const closing = watcher.close();
          // `close` removed all listeners; without one, a late error would end the process.
          watcher.on('error', () => undefined);
          await closing;
        },
      };
    },
  };
}

function watchedPath(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('watchedPath' in details)) return null;
  return typeof details.watchedPath === 'string' ? details.watchedPath : null;
}

function folderGone(folder: string): ReceiptdError {
  return new ReceiptdError('FOLDER_MISSING.gone', { folder });
}

/** @throws ReceiptdError FOLDER_MISSING if the folder is gone: another part reports that */
async function present<T>(folder: string, access: Promise<T>): Promise<T> {
  try {
    return await access;
  } catch (error) {
    throw systemCode(error) === 'ENOENT' ? folderGone(folder) : error;
  }
}

/** chokidar takes a backslash for a slash, and would watch a different path. */
function backslash(folder: string): ReceiptdError {
  return new ReceiptdError('WATCH_LIMIT.backslash', { folder });
}

function watchTrouble(folder: string, cause: unknown): Error {
  const code = systemCode(cause);
  if (code === 'ENOSPC' || code === 'EMFILE' || code === 'ENFILE')
    return new ReceiptdError('WATCH_LIMIT.reached', { folder, system: code }, { cause });
  return cause instanceof Error ? cause : new Error(String(cause));
}
