import { rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSystemOf } from '../../../src/intake/folder/fileSystem.ts';
import { temporaryDirectory, watched } from './fixture.ts';

const MOUNTS = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '90 22 0:52 / /srv/scans rw,relatime shared:41 master:2 - nfs4 nas:/export/scans rw,vers=4.2',
  String.raw`91 22 0:53 / /mnt/two\040words rw - cifs //nas/scans rw`,
  '92 22 8:17 / /mnt/usb rw - fuseblk /dev/sdb1 rw',
  '93 22 0:55 / /mnt/ssh rw - fuse.sshfs scanner@nas:scans rw',
  '94 22 0:300 / /mnt/archive rw - nfs4 nas:/export/archive rw',
].join('\n');

function sources(type: number) {
  return { statfs: async () => ({ type }), mounts: async () => MOUNTS };
}

describe('the file system of a folder', () => {
  it.each([
    ['nfs', 0x6969, 52n, 'nfs nas:/export/scans'],
    ['cifs', 0xff534d42, 53n, 'cifs //nas/scans'],
    ['smb2', 0xfe534d42, 53n, 'smb2 //nas/scans'],
    ['fuse', 0x65735546, 55n, 'fuse scanner@nas:scans'],
    // The upper bits of the minor number lie above the major one.
    ['nfs', 0x6969, 0x10002cn, 'nfs nas:/export/archive'],
    // Mounted at a path outside this process's view.
    ['9p', 0x01021997, 77n, '9p'],
  ])('is network for %s, marked by its source', async (name, type, device, mark) => {
    expect(await fileSystemOf('/srv/scans', device, sources(type))).toEqual({ name, network: true, mark });
  });

  it.each([
    ['ext4', 0xef53],
    ['xfs', 0x58465342],
    ['btrfs', 0x9123683e],
    ['tmpfs', 0x01021994],
    ['overlay', 0x794c7630],
    ['vfat', 0x4d44],
    ['exfat', 0x2011bab0],
  ])('is local for %s, marked by its device', async (name, type) => {
    const found = await fileSystemOf('/srv/scans', 2049n, sources(type));
    expect(found).toEqual({ name, network: false, mark: `${name} 2049` });
  });

  it('is local for an unknown type and for a FUSE disk', async () => {
    expect(await fileSystemOf('/srv', 1n, sources(0x1234))).toMatchObject({ name: '0x1234', network: false });
    expect(await fileSystemOf('/srv', 0x811n, sources(0x65735546))).toMatchObject({
      name: 'fuseblk',
      network: false,
    });
  });

  it('recognizes a type that a 32-bit system returns as a negative number', async () => {
    expect(await fileSystemOf('/srv', 53n, sources(0xff534d42 | 0))).toMatchObject({ name: 'cifs' });
  });

  it.skipIf(process.platform !== 'linux')('is detected from the real system', async () => {
    const folder = await temporaryDirectory();
    const { dev } = await stat(folder, { bigint: true });
    const found = await fileSystemOf(folder, dev);
    expect(found).toMatchObject({ network: false, mark: `${found.name} ${dev}` });
    expect(await watched(folder).availability()).toMatchObject({ state: 'present', fileSystem: found });
  });
});

describe('on Windows', () => {
  const platform = 'win32';
  const leadsTo = (path: string) => ({ platform, realPath: async () => path }) as const;

  it.each([
    [
      'a share',
      String.raw`\\NAS\Scans\office`,
      String.raw`\\NAS\Scans\office`,
      String.raw`smb \\nas\scans` + '\\',
    ],
    [
      'its long form',
      String.raw`\\?\UNC\NAS\Scans\office`,
      String.raw`C:\x`,
      String.raw`smb \\nas\scans` + '\\',
    ],
    [
      'a mapped drive',
      String.raw`Z:\office`,
      String.raw`\\nas\scans\office`,
      String.raw`smb \\nas\scans` + '\\',
    ],
  ])('%s is a network path', async (_what, folder, real, mark) => {
    expect(await fileSystemOf(folder, 7n, leadsTo(real))).toEqual({ name: 'smb', network: true, mark });
  });

  it.each([
    ['a drive', String.raw`C:\Scans`],
    ['its long form', String.raw`\\?\C:\Scans`],
    ['a volume without a letter', String.raw`\\?\Volume{1}\Scans`],
  ])('%s is local', async (_what, folder) => {
    expect(await fileSystemOf(folder, 7n, leadsTo(folder))).toEqual({
      name: 'local',
      network: false,
      mark: 'local 7',
    });
  });

  it('a path with an unknown target counts as a drive', async () => {
    const realPath = () => Promise.reject(new Error('EPERM'));
    expect(await fileSystemOf(String.raw`Z:\x`, 7n, { platform, realPath })).toMatchObject({
      network: false,
    });
  });
});

describe('on macOS', () => {
  const TABLE = [
    '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
    'map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)',
    '//scan@nas._smb._tcp.local/Scans on /Volumes/Scans (smbfs, nodev, nosuid, mounted by office)',
    'nas:/export on /Volumes/export (2) (nfs, nodev, nosuid)',
    '/dev/disk4s2 on /Volumes/USB on a stick (exfat, local, nodev, nosuid, noowners)',
  ].join('\n');
  let device = 1_000n;
  const at = (folder: string, table: string | null = TABLE) =>
    fileSystemOf(folder, (device += 1n), {
      platform: 'darwin',
      mountTable: async () => table,
      realPath: async (path) => path,
    });

  it.each([
    ['/Volumes/Scans/office', 'smbfs', 'smbfs //scan@nas._smb._tcp.local/Scans'],
    ['/Volumes/Scans', 'smbfs', 'smbfs //scan@nas._smb._tcp.local/Scans'],
    ['/Volumes/export (2)/a', 'nfs', 'nfs nas:/export'],
  ])('%s is a share', async (folder, name, mark) => {
    expect(await at(folder)).toEqual({ name, network: true, mark });
  });

  it.each([
    ['/Users/office/Scans', 'apfs'],
    ['/Volumes/Scans2', 'apfs'],
    ['/Volumes/USB on a stick/DCIM', 'exfat'],
  ])('%s is local', async (folder, name) => {
    expect(await at(folder)).toMatchObject({ name, network: false });
  });

  it('a folder counts as local without the mount table', async () => {
    expect(await at('/Volumes/Scans', null)).toMatchObject({ name: 'local', network: false });
  });
});

describe("a file's inode", () => {
  it('is reported as 0 on a share, also by reads, and as it is on a disk', async () => {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, 'a.jpg'), 'a');
    const share = watched(folder, { fileSystem: sources(0x6969) });
    const onShare = await share.stat('a.jpg');
    expect(onShare).toMatchObject({ kind: 'file', identity: { inode: 0n } });
    expect(await share.read('a.jpg', 10)).toMatchObject({ kind: 'bytes', identity: { inode: 0n } });
    const { ino } = await stat(join(folder, 'a.jpg'), { bigint: true });
    expect(await watched(folder).stat('a.jpg')).toMatchObject({ identity: { inode: ino } });
  });

  it('is reported again once a disk replaces the share', async () => {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, 'a.jpg'), 'a');
    let type = 0x6969;
    const seen = watched(folder, {
      fileSystem: { statfs: async () => ({ type }), mounts: async () => MOUNTS },
    });
    expect(await seen.stat('a.jpg')).toMatchObject({ identity: { inode: 0n } });
    type = 0xef53;
    await rename(join(folder, 'a.jpg'), join(folder, 'b.jpg'));
    await seen.availability();
    expect(await seen.stat('b.jpg')).not.toMatchObject({ identity: { inode: 0n } });
  });
});
