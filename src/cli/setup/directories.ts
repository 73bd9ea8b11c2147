import { opendir, readFile, realpath, stat } from 'node:fs/promises';
import type { Response } from '../../control/protocol/protocol.ts';
import type { LoadContext } from '../../config/config.ts';
import { pathsOf } from '../../config/resolve.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { DEFAULT_USER } from '../../features/os-service/agent.ts';
import { asIds } from '../owner.ts';
import { wrongFolder } from './checks.ts';

type Directories = Response<'setupFolders'>;

const MOST = 500;
const MOST_LOOKED_AT = 20_000;
/** Keeps an unresponsive share from blocking the page. */
const ANSWER_MS = 5_000;
/** Without a known service user, list only what everybody may see. */
const NOBODY = { uid: 65_534, gid: 65_534 };

export interface Looker {
  readonly context: LoadContext;
  /** The user that a system service would run as. */
  readonly serviceUser: string | undefined;
}

/**
 * Subdirectories, for a person to pick one. Never reveals file names: the path of a file looks like a missing one. For root,
 * lists what the agent's user can see.
 * @throws ReceiptdError USAGE for a path that no earlier listing has shown, FOLDER_UNREADABLE
 */
export async function directoriesIn(path: string | undefined, looker: Looker): Promise<Directories> {
  const { context } = looker;
  const { platform, isRoot, home } = context;
  if (path === undefined) {
    if (platform === 'win32') return drives();
    return directoriesIn(isRoot ? '/' : home, looker);
  }
  if (!isPlain(path, platform)) throw new ReceiptdError('USAGE.pathNotAbsolute');
  const user = isRoot && platform !== 'win32' ? await idsOf(looker.serviceUser ?? DEFAULT_USER) : null;
  const listed = () => inTime(list(path, platform));
  const found = await (user === null ? listed() : asIds(user, listed)).catch(() => null);
  if (found === null) {
    throw new ReceiptdError('FOLDER_UNREADABLE.notOpened', { path });
  }
  const paths = pathsOf(platform);
  const above = paths.dirname(path);
  return {
    path,
    parent: above === path ? null : above,
    folders: found.names.slice(0, MOST).map((name) => ({ name, path: paths.join(path, name) })),
    isCut: found.isCut || found.names.length > MOST,
  };
}

/** Whether the path is absolute and normalized, without `..`, devices, streams, or other machines. */
function isPlain(path: string, platform: NodeJS.Platform): boolean {
  const paths = pathsOf(platform);
  if (path.includes('\0') || !paths.isAbsolute(path) || paths.resolve(path) !== path) return false;
  if (wrongFolder(path, platform) !== null) return false;
  return platform !== 'win32' || /^[A-Z]:\\[^:]*$/.test(path);
}

async function list(path: string, platform: NodeJS.Platform): Promise<{ names: string[]; isCut: boolean }> {
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

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(ANSWER_MS);
  return new Promise<T>((resolve, reject) => {
    late.addEventListener('abort', () => reject(new Error('no answer')), { once: true });
    work.then(resolve, reject);
  });
}

async function drives(): Promise<Directories> {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('').map((letter) => `${letter}:\\`);
  const found = await Promise.all(
    letters.map((path) =>
      inTime(stat(path)).then(
        () => path,
        () => null,
      ),
    ),
  );
  const there = found.filter((path) => path !== null);
  return { path: null, parent: null, folders: there.map((path) => ({ name: path, path })), isCut: false };
}

async function idsOf(user: string): Promise<{ uid: number; gid: number }> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const [, , uid, gid] =
    text
      .split('\n')
      .map((line) => line.split(':'))
      .find(([name]) => name === user) ?? [];
  return uid === undefined || gid === undefined ? NOBODY : { uid: Number(uid), gid: Number(gid) };
}
