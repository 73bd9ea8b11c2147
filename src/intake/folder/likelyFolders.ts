import { readFile, readdir } from 'node:fs/promises';
import { posix, win32 } from 'node:path';

/** Where the program runs, and what it may ask there; arguments, so that a test can be any machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of the directories in a directory; none where it can't be read in time. */
  readonly directories: (path: string) => Promise<readonly string[]>;
  /** Text of a small file, or null. */
  readonly text: (path: string) => Promise<string | null>;
}

/** What scanners, their programs and the people who set them up call the folder, in some languages. */
const NAMES =
  /^(?:_|\d+[ _-]?)?(?:scan|scans|scanned|scanner|scanin|scan[ _-]?inbox|receipts?|invoices?|belege?|quittung(?:en)?|rechnung(?:en)?|eingescannt|gescannt|numerisations?|recus?|escaneos?|escaneados|recibos|scansioni|ricevute|skan(?:y|er)|bonnen|kvitton|scan(?:s|ned)?[ _-].*|.*[ _-]scans?|scansnap.*|epson ?scan.*|epscan|brother.*|controlcenter.*|canon.*|ij ?scan.*|hp ?scans?|kyocera.*|ricoh.*|konica.*|xerox.*|lexmark.*|paperport.*|naps2|vuescan|fi-\d{4}.*)$/i;

/** Most that are named; the rest is for the person to type. */
const MOST = 12;

/**
 * Folders into which a scanner may well put its scans, the likeliest first: by their names, in the places where such folders
 * are made, and mounted shares. Nothing but names of directories is read.
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
  // A share of its own for the scanner is as usual as a folder in one; a drive of Windows may be any disk.
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

/** Documents and Pictures under the names that they have in the language of the desktop. */
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
    // A letter that no drive has lists as empty.
    return 'DEFGHIJKLMNOPQRSTUVWXYZ'
      .split('')
      .map((letter) => `${letter}:\\`)
      .filter((each) => each !== `${machine.env['SystemDrive'] ?? 'C:'}\\`);
  }
  if (platform === 'darwin') return (await directories('/Volumes')).map((name) => `/Volumes/${name}`);
  return mountedShares((await machine.text('/proc/self/mountinfo')) ?? '');
}

const SHARE_TYPES =
  /^(?:nfs4?|cifs|smb3?|smbfs|9p|ceph|fuse\.(?:sshfs|rclone|davfs2?|smbnetfs|gvfsd-fuse|s3fs))$/;

function mountedShares(mountinfo: string): readonly string[] {
  return mountinfo.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const type = fields[fields.indexOf('-', 6) + 1] ?? '';
    const point = fields[4];
    if (point === undefined || !SHARE_TYPES.test(type)) return [];
    // Spaces and the like are octal there.
    return [point.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)))];
  });
}

/** The machine that this runs on. What does not answer within `limitMs` counts as empty: a share may hang. */
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
