import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { win32 } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../../core/domain/errors.ts';
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

interface FileSystemKind {
  readonly name: string;
  readonly network: boolean;
}

/**
 * Values of `f_type` on Linux. Unknown ones count as local: a share mistaken for a disk is still listed every
 * `reconcileEvery`, while a disk mistaken for a share would lose its events and inodes.
 */
const KINDS: ReadonlyMap<number, FileSystemKind> = new Map<number, FileSystemKind>([
  ...(
    [
      [0x6969, 'nfs'],
      [0x517b, 'smb'],
      [0xff534d42, 'cifs'],
      [0xfe534d42, 'smb2'],
      [0x65735546, 'fuse'],
      [0x01021997, '9p'],
      [0x5346414f, 'afs'],
      [0x6b414653, 'afs'],
      [0x73757245, 'coda'],
      [0x00c36400, 'ceph'],
      [0x564c, 'ncp'],
      [0x786f4256, 'vboxsf'],
      [0xbacbacbc, 'vmhgfs'],
      [0x0bd00bd0, 'lustre'],
      [0x47504653, 'gpfs'],
      [0x01161970, 'gfs2'],
      [0x7461636f, 'ocfs2'],
    ] as const
  ).map(([type, name]) => [type, { name, network: true }] as const),
  ...(
    [
      [0xef53, 'ext4'],
      [0x58465342, 'xfs'],
      [0x9123683e, 'btrfs'],
      [0x01021994, 'tmpfs'],
      [0x858458f6, 'ramfs'],
      [0x794c7630, 'overlay'],
      [0x2fc12fc1, 'zfs'],
      [0xf2f52010, 'f2fs'],
      [0x4d44, 'vfat'],
      [0x2011bab0, 'exfat'],
      [0x5346544e, 'ntfs'],
      [0x7366746e, 'ntfs3'],
      [0x52654973, 'reiserfs'],
      [0x3153464a, 'jfs'],
      [0xca451a4e, 'bcachefs'],
      [0x9660, 'iso9660'],
      [0x482b, 'hfsplus'],
    ] as const
  ).map(([type, name]) => [type, { name, network: false }] as const),
]);

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
  const kind = KINDS.get(type >>> 0) ?? { name: `0x${(type >>> 0).toString(16)}`, network: false };
  const mount = mountOf(device, (await (sources.mounts ?? mountInfo)()) ?? '');
  // A local disk mounted through FUSE (NTFS, exFAT) has the same type as a share mounted through it.
  if (kind.name === 'fuse' && mount?.type === 'fuseblk') return local('fuseblk', device);
  if (!kind.network) return local(kind.name, device);
  return { ...kind, mark: mount ? `${kind.name} ${mount.source}` : kind.name };
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

interface Mount {
  readonly type: string;
  readonly source: string;
}

/** Fields: id, parent, major:minor, root, mount point, options, optional ones, '-', type, source, options. */
function mountOf(device: bigint, text: string): Mount | null {
  const wanted = deviceNumbers(device);
  for (const line of text.split('\n')) {
    const fields = line.split(' ');
    if (fields[2] !== wanted) continue;
    const dash = fields.indexOf('-', 6);
    const type = fields[dash + 1];
    const source = fields[dash + 2];
    if (dash > 0 && type !== undefined && source !== undefined) return { type, source };
  }
  return null;
}

/** Like glibc's major() and minor(). */
function deviceNumbers(device: bigint): string {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn);
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn);
  return `${major}:${minor}`;
}

async function mountInfo(): Promise<string | null> {
  try {
    return await readFile('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return null;
  }
}
