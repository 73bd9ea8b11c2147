import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config/config.ts';
import { pathRelations, pathsOf } from '../config/resolve.ts';
import { settingKey, SETTINGS } from '../config/settings.ts';
import { showPath } from '../config/show.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { realLocation } from '../intake/folder/location.ts';

/*
 * Limits what a browser may change: access to the console must not mean running programs, reading secrets, or writing
 * anywhere on the machine.
 */

const EDITABLE = new Set(SETTINGS.filter(({ why }) => why === null).map(({ key }) => key));

/** Receivers of each secret file: once the file names a secret, the console may not change who receives it. */
const RECEIVES: Readonly<Record<string, readonly string[]>> = {
  'alerts.webhook.secretFile': ['alerts.webhook.url'],
  'alerts.email.passwordFile': ['alerts.email.server', 'alerts.email.user'],
};

export interface Reach {
  readonly file: string;
  readonly platform: NodeJS.Platform;
  /** The configuration in effect. */
  readonly now: Config;
}

/**
 * Compares the parsed files rather than the edits, so that no spelling of an edit gets around it.
 * @throws ReceiptdError CONSOLE_REFUSED for a key that only the file may change
 */
export function refuseKeysBeyondConsole(before: unknown, after: unknown, { file }: Reach): void {
  const changed = changedPlaces(before, after, []);
  const refuse = (path: Path, holder: string | null = null): never => {
    throw new ReceiptdError('CONSOLE_REFUSED.setting', { setting: showPath(path), holder, file });
  };
  for (const path of changed) if (!EDITABLE.has(settingKey(path))) refuse(path);
  for (const [holder, receivers] of Object.entries(RECEIVES)) {
    if (valueAt(after, holder.split('.')) === undefined) continue;
    const moved = changed.find((path) => receivers.includes(settingKey(path)));
    if (moved !== undefined) refuse(moved, holder);
  }
}

type Path = readonly (string | number)[];

/** Paths of the settings (not sections) that were changed or removed. */
function changedPlaces(before: unknown, after: unknown, path: Path): Path[] {
  if (isDeepStrictEqual(before ?? null, after ?? null)) return [];
  const isFolders = path.length === 1 && path[0] === 'folders';
  const isSection = (value: unknown) => isMapping(value) || (isFolders && Array.isArray(value));
  const there = [before, after].filter((value) => value !== undefined && value !== null);
  const sections = there.filter(isSection).map((value) => Object(value) as Record<string, unknown>);
  const keys = new Set(sections.flatMap((section) => Object.keys(section)));
  const below = [...keys].flatMap((key) =>
    changedPlaces(at(before, key), at(after, key), [...path, isFolders ? Number(key) : key]),
  );
  return there.every(isSection) ? below : [path, ...below];
}

function at(value: unknown, key: string): unknown {
  const section = Object(value) as Record<string, unknown>;
  return Object.hasOwn(section, key) ? section[key] : undefined;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueAt(data: unknown, path: Path): unknown {
  const value = path.reduce<unknown>((inner, key) => (isMapping(inner) ? inner[key] : undefined), data);
  return value === 'none' || value === null ? undefined : value;
}

/**
 * Allows paths that are already configured, paths inside or next to a watched folder, and paths below `console.roots`; not
 * through links that lead elsewhere, nor to hidden directories, where programs keep their settings.
 * @returns the allowed paths, with their real paths
 * @throws ReceiptdError CONSOLE_REFUSED
 */
export async function refusePathsBeyondConsole(
  wanted: Pick<Config, 'folders'>,
  reach: Reach,
): Promise<Record<string, string>> {
  const { now } = reach;
  const known = new Set(now.folders.flatMap(placesOf).map(([, path]) => path));
  const pins: Record<string, string> = {};
  for (const [index, folder] of wanted.folders.entries()) {
    for (const [key, path] of placesOf(folder)) {
      if (known.has(path)) continue;
      const own = key === 'path' ? [] : [folder.path];
      const above = [...rootsOf(reach), ...own];
      pins[path] = await realPlace(path, showPath(['folders', index, key]), {
        ...reach,
        above,
        roots: now.console.roots,
      });
    }
  }
  return pins;
}

/** Where the console may look for a folder: the watched ones, what is next to them, and `console.roots`. */
export function placesToLook(reach: Reach): string[] {
  return [...new Set([...rootsOf(reach), ...reach.now.console.roots])].toSorted();
}

/** @throws ReceiptdError CONSOLE_REFUSED for a directory in which the console may not choose a folder */
export async function refuseLookBeyondConsole(path: string, reach: Reach): Promise<void> {
  await realPlace(path, 'folders[].path', { ...reach, above: [], roots: placesToLook(reach) });
}

/** The watched folders and the directories that they are in; what is below may be chosen. */
function rootsOf({ now, platform }: Reach): string[] {
  const paths = pathsOf(platform);
  const folders = now.folders.map(({ path }) => path);
  const beside = folders.map((path) => paths.dirname(path));
  return [...beside.filter((parent) => paths.dirname(parent) !== parent), ...folders];
}

/** The real path of a place below one of `above`, or in `roots`. @throws ReceiptdError CONSOLE_REFUSED */
async function realPlace(
  path: string,
  setting: string,
  {
    platform,
    file,
    above,
    roots,
  }: Reach & { readonly above: readonly string[]; readonly roots: readonly string[] },
): Promise<string> {
  const { same, within } = pathRelations(platform);
  const paths = pathsOf(platform);
  const isHidden = (root: string, place: string) =>
    paths
      .relative(root, place)
      .split(paths.sep)
      .some((part) => part.startsWith('.'));
  const isBelow = (root: string, place: string) => within(place, root) && !isHidden(root, place);
  const isAllowed = (place: string, real = (root: string) => root) =>
    [...above, ...roots].some((root) => isBelow(real(root), place)) ||
    roots.some((root) => same(real(root), place));
  if (!isAllowed(path)) throw new ReceiptdError('CONSOLE_REFUSED.place', { setting, path, file });
  const all = [path, ...above, ...roots];
  const places = new Map(await Promise.all(all.map(async (each) => [each, await soon(each)] as const)));
  const real = places.get(path) ?? path;
  if (!isAllowed(real, (root) => places.get(root) ?? root))
    throw new ReceiptdError('CONSOLE_REFUSED.realPlace', { setting, path, real, file });
  return real;
}

const SOON_MS = 5_000;

/** The real path. @throws ReceiptdError CONSOLE_REFUSED if it can't be found out soon: its share may hang */
async function soon(path: string): Promise<string> {
  const tired = new AbortController();
  const late = setTimeout(SOON_MS, null, { signal: tired.signal }).catch(() => null);
  const real = await Promise.race([realLocation(path), late]);
  tired.abort();
  if (real !== null) return real;
  throw new ReceiptdError('CONSOLE_REFUSED.noAnswer', { path });
}

export function placesOf({
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
