import { rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileSystemOf } from '../../../src/intake/folder/fileSystem.ts';
import { temporaryDirectory, watched } from './fixture.ts';

const MOUNTS = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '90 22 0:52 / /srv/scans rw,relatime shared:41 master:2 - nfs4 nas:/export/scans rw,vers=4.2',
  String.raw`91 22 0:53 / /mnt/two\040words rw - cifs //nas/scans rw`,
  '92 22 0:54 / /mnt/usb rw - fuseblk /dev/sdb1 rw',
  '93 22 0:55 / /mnt/ssh rw - fuse.sshfs scanner@nas:scans rw',
].join('\n');

function sources(type: number) {
  return { statfs: async () => ({ type }), mounts: async () => MOUNTS };
}

describe('what a folder lies on', () => {
  it.each([
    ['nfs', 0x6969, 52n, 'nfs nas:/export/scans'],
    ['cifs', 0xff534d42, 53n, 'cifs //nas/scans'],
    ['smb2', 0xfe534d42, 53n, 'smb2 //nas/scans'],
    ['fuse', 0x65735546, 55n, 'fuse scanner@nas:scans'],
    // Mounted in another place than this process sees.
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

  it('is local where nobody knows the type, and for a disk that a program drives', async () => {
    expect(await fileSystemOf('/srv', 1n, sources(0x1234))).toMatchObject({ name: '0x1234', network: false });
    expect(await fileSystemOf('/srv', 54n, sources(0x65735546))).toMatchObject({
      name: 'fuseblk',
      network: false,
    });
  });

  it('knows a type that a 32-bit system gives as a negative number', async () => {
    expect(await fileSystemOf('/srv', 53n, sources(0xff534d42 | 0))).toMatchObject({ name: 'cifs' });
  });

  it.skipIf(process.platform !== 'linux')('is found out from the system', async () => {
    const folder = await temporaryDirectory();
    const { dev } = await stat(folder, { bigint: true });
    const found = await fileSystemOf(folder, dev);
    expect(found).toMatchObject({ network: false, mark: `${found.name} ${dev}` });
    expect(await watched(folder).availability()).toMatchObject({ state: 'present', fileSystem: found });
  });
});

describe('the inode of a file', () => {
  it('counts as 0 on a share, in what is read too, and as it is on a disk', async () => {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, 'a.jpg'), 'a');
    const share = watched(folder, { fileSystem: sources(0x6969) });
    const onShare = await share.stat('a.jpg');
    expect(onShare).toMatchObject({ kind: 'file', identity: { inode: 0n } });
    expect(await share.read('a.jpg', 10)).toMatchObject({ kind: 'bytes', identity: { inode: 0n } });
    const { ino } = await stat(join(folder, 'a.jpg'), { bigint: true });
    expect(await watched(folder).stat('a.jpg')).toMatchObject({ identity: { inode: ino } });
  });

  it('counts again once a disk stands in the place of the share', async () => {
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
