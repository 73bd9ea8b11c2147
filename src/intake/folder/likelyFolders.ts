import { readFile, readdir } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { mountsIn } from './fileSystem.ts';

/** The machine to search; an argument, so that tests can simulate any. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of the subdirectories of a directory; none if it can't be read in time. */
  readonly directories: (path: string) => Promise<readonly string[]>;
  /** Text of a small file, or null. */
  readonly text: (path: string) => Promise<string | null>;
}

/** Names that scanners, their software and people give to a folder for scans, in several languages. */
const NAMES =
  /^(?:_|\d+[ _-]?)?(?:scan|scans|scanned|scanner|scanin|scan[ _-]?inbox|receipts?|invoices?|belege?|quittung(?:en)?|rechnung(?:en)?|eingescannt|gescannt|numerisations?|recus?|escaneos?|escaneados|recibos|scansioni|ricevute|skan(?:y|er)|bonnen|kvitton|scan(?:s|ned)?[ _-].*|.*[ _-]scans?|scansnap.*|epson ?scan.*|epscan|brother.*|controlcenter.*|canon.*|ij ?scan.*|hp ?scans?|kyocera.*|ricoh.*|konica.*|xerox.*|lexmark.*|paperport.*|naps2|vuescan|fi-\d{4}.*)$/i;

/** Maximum number of suggestions; people can type any other path. */
const MOST = 12;

/**
 * Suggests folders that a scanner may save to, likeliest first: those with a typical name in a typical place, then mounted
 * shares. Looks only at names of directories, never at files in them.
 */
export async function likelyFolders(machine: Machine): Promise<readonly string[]> {
  const paths = machine.platform === 'win32' ? win32 : posix;
  const found = new Set<string>();
  const shares = await sharesOf(machine);
  for (const place of [...(await placesOf(machine)), ...shares]) {
    for (const name of (await machine.directories(place)).toSorted()) {
      if (NAMES.test(name.normalize('NFD').replace(/\p{Mn}/gu, ''))) found.add(paths.join(place, name));
    }
  }
  // A share is often dedicated to the scanner, so it counts itself. Not on Windows, where `shares` are all drive letters.
  if (machine.platform !== 'win32') for (const share of shares) found.add(share);
  return [...found].slice(0, MOST);
}

async function placesOf(machine: Machine): Promise<readonly string[]> {
  const { platform, home, env } = machine;
  const paths = platform === 'win32' ? win32 : posix;
  const below = (root: string, ...names: string[]) => names.map((name) => paths.join(root, name));
  const own = [home, ...below(home, 'Documents', 'Pictures', 'Public', 'Desktop')];
  switch (platform) {
    case 'win32': {
      const cloud = [env['OneDrive'], env['OneDriveCommercial']].filter((each) => each !== undefined);
      const shared = env['PUBLIC'] ?? 'C:\\Users\\Public';
      return [
        ...own,
        ...cloud.flatMap((root) => [root, ...below(root, 'Documents', 'Pictures')]),
        shared,
        ...below(shared, 'Documents', 'Pictures'),
        env['SystemDrive'] === undefined ? 'C:\\' : `${env['SystemDrive']}\\`,
      ];
    }
    case 'darwin':
      return [...own, '/Users/Shared'];
    default:
      return [
        ...new Set([
          ...own,
          ...(await userDirectories(machine)),
          '/srv',
          '/srv/samba',
          '/home',
          '/data',
          '/shares',
        ]),
      ];
  }
}

/** Documents, Pictures and the like, under their names in the language of the desktop. */
async function userDirectories({ home, env, text }: Machine): Promise<readonly string[]> {
  const config = env['XDG_CONFIG_HOME'] || `${home}/.config`;
  const file = (await text(`${config}/user-dirs.dirs`)) ?? '';
  return [...file.matchAll(/^XDG_(?:DOCUMENTS|PICTURES|PUBLICSHARE|DESKTOP)_DIR="(.*)"$/gm)]
    .map(([, path = '']) => path.replace(/^\$HOME/, home).replace(/\/$/, ''))
    .filter((path) => path.startsWith('/') && path !== home);
}

async function sharesOf(machine: Machine): Promise<readonly string[]> {
  const { platform, directories } = machine;
  if (platform === 'win32') {
    // Unused drive letters list as empty.
    return 'DEFGHIJKLMNOPQRSTUVWXYZ'
      .split('')
      .map((letter) => `${letter}:\\`)
      .filter((each) => each !== `${machine.env['SystemDrive'] ?? 'C:'}\\`);
  }
  if (platform === 'darwin') return (await directories('/Volumes')).map((name) => `/Volumes/${name}`);
  const mounts = mountsIn((await machine.text('/proc/self/mountinfo')) ?? '');
  return mounts.filter(({ type }) => SHARE_TYPES.test(type)).map(({ point }) => point);
}

const SHARE_TYPES =
  /^(?:nfs4?|cifs|smb3?|smbfs|9p|ceph|fuse\.(?:sshfs|rclone|davfs2?|smbnetfs|gvfsd-fuse|s3fs))$/;

/** The machine that this runs on. Anything not read within `limitMs` counts as empty, since a share may hang. */
export function thisMachine(
  surroundings: Pick<Machine, 'platform' | 'home' | 'env'>,
  limitMs = 1_500,
): Machine {
  return {
    ...surroundings,
    directories: (path) =>
      inTime(
        readdir(path, { withFileTypes: true }).then((entries) =>
          entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
        ),
        [],
        limitMs,
      ),
    text: (path) => inTime<string | null>(readFile(path, 'utf8'), null, limitMs),
  };
}

async function inTime<T>(work: Promise<T>, otherwise: T, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, limitMs, otherwise);
  });
  try {
    return await Promise.race([work.catch(() => otherwise), late]);
  } finally {
    clearTimeout(timer);
  }
}
