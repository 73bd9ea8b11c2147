import type { Config } from '../config/config.ts';
import { pathRelations, pathsOf } from '../config/resolve.ts';
import { showPath } from '../config/show.ts';
import type { ConfigEdit } from '../control/protocol/protocol.ts';
import { ReceiptdError } from '../core/domain/errors.ts';

/*
 * What a browser may change: who may use the console may not for that run programs, read secrets, or write anywhere on the machine.
 */

/** Null: all below it. */
const CHANGEABLE: Readonly<Record<string, readonly string[] | null>> = {
  folders: null,
  endpoints: null,
  delivery: null,
  console: ['hosts', 'listen'],
};

export interface Reach {
  readonly file: string;
  readonly platform: NodeJS.Platform;
  /** As it is in effect. */
  readonly now: Config;
}

/** @throws ReceiptdError CONSOLE_REFUSED for a key that only the file changes */
export function refuseKeysBeyondConsole(edits: readonly ConfigEdit[], { file }: Reach): void {
  for (const { path } of edits) {
    const [first, second] = path.map(String);
    const below = Object.hasOwn(CHANGEABLE, first ?? '') ? CHANGEABLE[first ?? ''] : [];
    if (below === null || below?.includes(second ?? '')) continue;
    throw new ReceiptdError('CONSOLE_REFUSED', `The console does not change ${showPath(path)}.`, {
      hint: `Change it in ${file}.`,
    });
  }
}

/**
 * Folders, archives and places for people: those that the configuration names already, what lies in a watched folder or beside one, and
 * what lies below `console.roots`. Hidden directories are none of these: programs keep their settings there.
 * @throws ReceiptdError CONSOLE_REFUSED
 */
export function refusePathsBeyondConsole(wanted: Pick<Config, 'folders'>, reach: Reach): void {
  const { now, platform, file } = reach;
  const { same, within } = pathRelations(platform);
  const paths = pathsOf(platform);
  const beside = now.folders
    .map((folder) => paths.dirname(folder.path))
    .filter((parent) => paths.dirname(parent) !== parent);
  const known = now.folders.flatMap(placesOf).map(([, path]) => path);
  const isHidden = (root: string, path: string) =>
    paths
      .relative(root, path)
      .split(paths.sep)
      .some((part) => part.startsWith('.'));
  const isBelow = (root: string, path: string) => within(path, root) && !isHidden(root, path);
  for (const [index, folder] of wanted.folders.entries()) {
    for (const [key, path] of placesOf(folder)) {
      if (known.some((each) => same(each, path))) continue;
      const own = key === 'path' ? [] : [folder.path];
      const roots = [...beside, ...now.folders.map((each) => each.path), ...own];
      if (roots.some((root) => isBelow(root, path))) continue;
      if (now.console.roots.some((root) => same(root, path) || isBelow(root, path))) continue;
      const what = showPath(['folders', index, key]);
      throw new ReceiptdError('CONSOLE_REFUSED', `The console does not set ${what} to ${path}.`, {
        hint: `Choose a directory in or beside a watched folder, or allow this one with console.roots in ${file}.`,
      });
    }
  }
}

function placesOf({
  path,
  archiveTo,
  needsAttention,
}: Config['folders'][number]): (readonly ['path' | 'archiveTo' | 'needsAttention', string])[] {
  return [
    ['path', path],
    ['archiveTo', archiveTo],
    ...(needsAttention === null ? [] : [['needsAttention', needsAttention] as const]),
  ];
}
