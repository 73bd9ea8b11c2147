import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { win32 } from 'node:path';
import { promisify } from 'node:util';
import type { FileSystem } from '../../core/ports/folder.ts';

/** Node's `statfs`; an argument, so that tests can simulate a share. */
export type StatFs = (path: string) => Promise<{ readonly type: number }>;

export interface FileSystemSources {
  readonly statfs?: StatFs;
  /** The text of /proc/self/mountinfo; null if there is none. */
  readonly mounts?: () => Promise<string | null>;
  readonly platform?: NodeJS.Platform;
  /** What `mount` prints on macOS, or null. */
  readonly mountTable?: () => Promise<string | null>;
  /** Resolves links and mapped drives in a path. */
  readonly realPath?: (path: string) => Promise<string>;
}

/**
 * Values of `f_type` on Linux, in hexadecimal. Unknown ones count as local: a share mistaken for a disk is still listed every
 * `reconcileEvery`, while a disk mistaken for a share would lose its events and inodes.
 */
const NETWORK = kindsIn(
  `nfs 6969, smb 517b, cifs ff534d42, smb2 fe534d42, fuse 65735546, 9p 1021997, afs 5346414f, afs 6b414653, coda 73757245, ceph c36400,
  ncp 564c, vboxsf 786f4256, vmhgfs bacbacbc, lustre bd00bd0, gpfs 47504653, gfs2 1161970, ocfs2 7461636f`.split(
    /,\s+/,
  ),
);
/** As the list of mounts calls them, where that differs; looking at an autofs mounts a share. */
const NETWORK_TYPES = new Set([
  ...NETWORK.values(),
  'nfs4',
  'smb3',
  'smbfs',
  'ncpfs',
  'autofs',
  'virtiofs',
  'beegfs',
  'orangefs',
]);

/** Whether a file system of this type, as the list of mounts has it (`fuse.sshfs`), is a network one. */
export function isNetworkType(type: string): boolean {
  return NETWORK_TYPES.has(type.replace(/\..*/, ''));
}

const LOCAL = kindsIn(
  `ext4 ef53, xfs 58465342, btrfs 9123683e, tmpfs 1021994, ramfs 858458f6, overlay 794c7630, zfs 2fc12fc1, f2fs f2f52010, vfat 4d44,
  exfat 2011bab0, ntfs 5346544e, ntfs3 7366746e, reiserfs 52654973, jfs 3153464a, bcachefs ca451a4e, iso9660 9660, hfsplus 482b`.split(
    /,\s+/,
  ),
);

function kindsIn(kinds: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    kinds.map((kind) => {
      const [name = '', type = ''] = kind.split(' ');
      return [type, name];
    }),
  );
}

/**
 * File systems on which creating, renaming or deleting an entry changes its directory's ctime, by the system's own clock and
 * with a resolution of a second or finer. Others may do so too; leaving them out only costs time.
 */
const STAMPED = new Set(['ext4', 'xfs', 'btrfs', 'zfs', 'f2fs', 'tmpfs']);

export function stampsDirectories({ name }: FileSystem): boolean {
  return STAMPED.has(name);
}

/** Finds out a folder's file system. `device` is its `st_dev`. Rejects with the system's error. */
export async function fileSystemOf(
  folder: string,
  device: bigint,
  sources: FileSystemSources = {},
): Promise<FileSystem> {
  // Type numbers are well-defined only on Linux.
  const platform = sources.platform ?? process.platform;
  if (platform === 'win32') return ofWindows(folder, device, sources);
  if (platform === 'darwin') return ofMac(folder, device, sources);
  if (platform !== 'linux' && !sources.statfs) return local('local', device);
  const { type } = await (sources.statfs ?? statfs)(folder);
  // Signed on 32-bit systems.
  const kind = (type >>> 0).toString(16);
  const name = NETWORK.get(kind);
  if (name === undefined) return local(LOCAL.get(kind) ?? `0x${kind}`, device);
  const mounts = mountsIn((await (sources.mounts ?? mountInfo)()) ?? '');
  const mount = mounts.find((each) => each.device === deviceNumbers(device));
  // A local disk mounted through FUSE (NTFS, exFAT) has the same type as a share mounted through it.
  if (name === 'fuse' && mount?.type === 'fuseblk') return local('fuseblk', device);
  return { name, network: true, mark: mount ? `${name} ${mount.source}` : name };
}

function local(name: string, device: bigint): FileSystem {
  return { name, network: false, mark: `${name} ${device}` };
}

/** Recognizes shares by their path; resolves a mapped drive (Z:) first. */
async function ofWindows(folder: string, device: bigint, sources: FileSystemSources): Promise<FileSystem> {
  const share = shareOf(folder) ?? shareOf(await (sources.realPath ?? realPath)(folder).catch(() => folder));
  return share === null ? local('local', device) : { name: 'smb', network: true, mark: `smb ${share}` };
}

/** `\\server\share\` in lower case; null for a local drive and other paths that are no share (`\\?\C:\`). */
function shareOf(path: string): string | null {
  const plain = path.replace(/^[\\/]{2}\?[\\/]UNC[\\/]/i, () => '\\\\');
  return /^[\\/]{2}(?![?.])/.test(plain) ? win32.parse(plain).root.toLowerCase() : null;
}

/** File system names on macOS that count as network ones. */
const MAC_SHARES = /^(?:smbfs|nfs|afpfs|webdav|ftp|acfs|macfuse|osxfuse|fusefs)$/;
/** Cache by device, because finding out starts a program. A recreated mount gets a new device. */
const macKinds = new Map<bigint, FileSystem>();

async function ofMac(folder: string, device: bigint, sources: FileSystemSources): Promise<FileSystem> {
  const known = macKinds.get(device);
  if (known) return known;
  const table = await (sources.mountTable ?? printedMounts)();
  if (table === null) return local('local', device);
  const found = macKind(table, await (sources.realPath ?? realPath)(folder).catch(() => folder), device);
  macKinds.set(device, found);
  return found;
}

/** Lines such as `//scan@nas/scans on /Volumes/scans (smbfs, nodev, nosuid)`. */
function macKind(table: string, folder: string, device: bigint): FileSystem {
  let best = { at: '', type: 'local', source: '' };
  for (const line of table.split('\n')) {
    const [, source = '', at = '', type = ''] = /^(.*) on (\/.*) \(([^,)]+)/.exec(line) ?? [];
    const isAbove = at !== '' && (folder === at || folder.startsWith(at === '/' ? '/' : `${at}/`));
    if (isAbove && at.length >= best.at.length) best = { at, type, source };
  }
  if (!MAC_SHARES.test(best.type)) return local(best.type, device);
  return { name: best.type, network: true, mark: `${best.type} ${best.source}` };
}

async function printedMounts(): Promise<string | null> {
  try {
    return (await promisify(execFile)('/sbin/mount', { timeout: 10_000 })).stdout;
  } catch {
    return null;
  }
}

function realPath(path: string): Promise<string> {
  return promisify(fs.realpath.native)(path);
}

export interface Mount {
  /** Major and minor number. */
  readonly device: string;
  readonly point: string;
  readonly type: string;
  readonly source: string;
}

/** Lines of /proc/self/mountinfo: id, parent, major:minor, root, mount point, options, optional ones, '-', type, source, options. */
export function mountsIn(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const dash = fields.indexOf('-', 6);
    const [, , device, , point] = fields;
    const [type, source] = fields.slice(dash + 1);
    if (dash < 0 || device === undefined || point === undefined) return [];
    if (type === undefined || source === undefined) return [];
    return [{ device, point: point.replace(/\\([0-7]{3})/g, unescaped), type, source }];
  });
}

/** Spaces and some other characters are escaped in octal. */
function unescaped(_: string, digits: string): string {
  return String.fromCharCode(parseInt(digits, 8));
}

/** Like glibc's major() and minor(). */
function deviceNumbers(device: bigint): string {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn);
  return `${major}:${minor}`;
}

function mountInfo(): Promise<string | null> {
  return readFile('/proc/self/mountinfo', 'utf8').catch(() => null);
}
