import { readFile, stat } from 'node:fs/promises';
import type { LoadContext } from '../../config/config.ts';
import { DEFAULT_USER } from '../../features/os-service/agent.ts';
import { demandPlain, directoriesOf, inTime, type Directories } from '../../wiring/directories.ts';
import { asIds } from '../owner.ts';

/** Without a known service user, list only what everybody may see. */
const NOBODY = { uid: 65_534, gid: 65_534 };

export interface Looker {
  readonly context: LoadContext;
  /** The user that a system service would run as. */
  readonly serviceUser: string | undefined;
}

/**
 * Subdirectories of any directory that the agent's user can see.
 * @throws ReceiptdError USAGE for a path that no earlier listing has shown, FOLDER_UNREADABLE
 */
export async function directoriesIn(path: string | undefined, looker: Looker): Promise<Directories> {
  const { context } = looker;
  const { platform, isRoot, home } = context;
  if (path === undefined) {
    if (platform === 'win32') return drives();
    return directoriesIn(isRoot ? '/' : home, looker);
  }
  demandPlain(path, platform);
  const user = isRoot && platform !== 'win32' ? await idsOf(looker.serviceUser ?? DEFAULT_USER) : null;
  return directoriesOf(path, platform, (list) => (user === null ? list() : asIds(user, list)));
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
