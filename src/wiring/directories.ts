import { opendir, realpath, stat } from 'node:fs/promises';
import { folderSchema } from '../config/schema.ts';
import { pathRelations, pathsOf } from '../config/resolve.ts';
import { expectedIn } from '../config/values.ts';
import type { Request, Response } from '../control/protocol/protocol.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Expected } from '../texts/en/settingFlaws.ts';
import { placesToLook, refuseLookBeyondConsole } from './consoleReach.ts';
import type { ProcessScope } from './processScope.ts';
import { BY_CONSOLE, type Settings } from './settings.ts';

export type Directories = Response<'directories'>;

const MOST = 500;
const MOST_LOOKED_AT = 20_000;
/** Keeps an unresponsive share from blocking the page. */
const ANSWER_MS = 5_000;

/** The operation of a running agent. The console sees only directories in which it may choose a folder, and begins with those. */
export async function directoriesToWatch(
  { path, by }: Request<'directories'>,
  { settings, lasting }: { readonly settings: Settings; readonly lasting: ProcessScope },
): Promise<Directories> {
  const { reach } = settings;
  const { platform } = reach;
  const { same, within } = pathRelations(platform);
  const all = placesToLook(reach);
  const places = all.filter((each) => !all.some((other) => within(each, other)));
  const at = path ?? (places.length === 1 ? places[0] : undefined);
  if (at === undefined)
    return {
      path: null,
      parent: null,
      folders: places.map((each) => ({ name: each, path: each })),
      isCut: false,
    };
  demandPlain(at, platform);
  if (by === BY_CONSOLE) await refuseLookBeyondConsole(at, reach);
  const root = places.find((each) => same(each, at) || within(at, each)) ?? at;
  const found = await directoriesOf(at, platform, (list) => lasting.guards.over(root).run(list));
  return same(root, at) ? { ...found, parent: null } : found;
}

/**
 * Subdirectories, for a person to pick one. Never reveals file names: the path of a file looks like a missing one.
 * @throws ReceiptdError FOLDER_UNREADABLE
 */
export async function directoriesOf(
  path: string,
  platform: NodeJS.Platform,
  within: <T>(list: () => Promise<T>) => Promise<T>,
): Promise<Directories> {
  const found = await within(() => inTime(namesIn(path, platform))).catch(() => null);
  if (found === null) throw new ReceiptdError('FOLDER_UNREADABLE.notOpened', { path });
  const paths = pathsOf(platform);
  const above = paths.dirname(path);
  return {
    path,
    parent: above === path ? null : above,
    folders: found.names.slice(0, MOST).map((name) => ({ name, path: paths.join(path, name) })),
    isCut: found.isCut || found.names.length > MOST,
  };
}

/** @throws ReceiptdError USAGE unless absolute and normalized, without `..`, devices, streams, or other machines */
export function demandPlain(path: string, platform: NodeJS.Platform): void {
  const paths = pathsOf(platform);
  const isPlain =
    !path.includes('\0') &&
    paths.isAbsolute(path) &&
    paths.resolve(path) === path &&
    wrongFolder(path, platform) === null &&
    (platform !== 'win32' || /^[A-Z]:\\[^:]*$/.test(path));
  if (!isPlain) throw new ReceiptdError('USAGE.pathNotAbsolute');
}

/** Stricter than the configuration: a share's address would become a local directory, and system directories hold no scans. */
export function wrongFolder(text: string, platform: NodeJS.Platform = process.platform): Expected | null {
  if (platform !== 'win32' && /^(?:\\\\|[a-z][a-z+.-]*:\/\/)/i.test(text)) return { is: 'mountedFolder' };
  if (platform !== 'win32' && /^\/(?:proc|sys|dev)(?:\/|$)/.test(text)) return { is: 'folderForFiles' };
  const read = folderSchema.shape.path.safeParse(text);
  return read.success ? null : expectedIn(read.error.issues);
}

async function namesIn(
  path: string,
  platform: NodeJS.Platform,
): Promise<{ names: string[]; isCut: boolean }> {
  // A link may lead to a system directory.
  if (wrongFolder(await realpath(path), platform) !== null) throw new Error('not a place for files');
  const names: string[] = [];
  let left = MOST_LOOKED_AT;
  for await (const entry of await opendir(path)) {
    left -= 1;
    if (left < 0) break;
    const { name } = entry;
    if (name.startsWith('.') || name.startsWith('$') || name.includes('\uFFFD')) continue;
    const inside = pathsOf(platform).join(path, name);
    if (wrongFolder(inside, platform) !== null) continue;
    const isDirectory =
      entry.isDirectory() ||
      (entry.isSymbolicLink() &&
        (await stat(inside).then(
          (its) => its.isDirectory(),
          () => false,
        )));
    if (isDirectory) names.push(name);
  }
  const order = new Intl.Collator(undefined, { numeric: true });
  return { names: names.toSorted((a, b) => order.compare(a, b)), isCut: left < 0 };
}

/** @throws Error unless it ends in time */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ANSWER_MS);
  return new Promise<T>((resolve, reject) => {
    late.addEventListener('abort', () => reject(new Error('no answer')), { once: true });
    work.then(resolve, reject);
  });
}
