import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { likelyFolders, thisMachine, type Machine } from '../../../src/intake/folder/likelyFolders.ts';

/** A machine with these empty directories. */
function machine(
  platform: NodeJS.Platform,
  home: string,
  some: readonly string[],
  more: Partial<Machine> = {},
): Machine {
  const separator = platform === 'win32' ? '\\' : '/';
  const directories = (path: string) => {
    const prefix = path.endsWith(separator) ? path : path + separator;
    const below = some.filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length));
    return Promise.resolve([...new Set(below.map((each) => each.split(separator)[0] ?? ''))]);
  };
  return { platform, home, env: {}, directories, text: () => Promise.resolve(null), ...more };
}

test('finds folder names used by scanners, their programs and people, and no others', async () => {
  const home = '/home/anna';
  const likely = [
    'Scans',
    'Documents/Belege',
    'Documents/ScanSnap',
    'Pictures/Numérisations',
    'Public/brother-mfc',
  ];
  const others = ['Documents/Letters', 'Downloads', 'Pictures/Scandinavia', 'Music', 'Documents/Escape'];
  const here = machine(
    'linux',
    home,
    [...likely, ...others, 'x'].map((each) => `${home}/${each}`),
  );
  expect([...(await likelyFolders(here))].sort()).toEqual(likely.map((each) => `${home}/${each}`).sort());
});

test('searches Documents and Pictures under their localized names, and /srv', async () => {
  const there = ['/home/anna/Dokumente/Eingescannt', '/srv/scans', '/srv/samba/scan_inbox'];
  const text = (path: string) =>
    Promise.resolve(path.endsWith('user-dirs.dirs') ? 'XDG_DOCUMENTS_DIR="$HOME/Dokumente"\n' : null);
  const here = machine('linux', '/home/anna', there, { text });
  expect(await likelyFolders(here)).toEqual(there);
});

test('lists mounted shares, also with spaces in their names, after the folders found in them', async () => {
  const mounts = [
    '36 35 98:0 / /mnt/office\\040share rw,noatime master:1 - cifs //nas/office rw',
    '37 35 98:1 / /mnt/data rw - ext4 /dev/sdb1 rw',
    '38 35 98:2 / /srv/nfs rw shared:2 - nfs4 nas:/scans rw',
  ].join('\n');
  const text = (path: string) => Promise.resolve(path === '/proc/self/mountinfo' ? mounts : null);
  const here = machine('linux', '/home/anna', ['/mnt/office share/Scans', '/mnt/data/Letters'], { text });
  expect(await likelyFolders(here)).toEqual(['/mnt/office share/Scans', '/mnt/office share', '/srv/nfs']);
});

test('knows the locations of macOS', async () => {
  const home = '/Users/anna';
  const there = [`${home}/Documents/EPSON Scan`, '/Users/Shared/Scanner', '/Volumes/NAS/scans'];
  const found = await likelyFolders(machine('darwin', home, there));
  expect(found).toEqual([...there, '/Volumes/NAS']);
});

test('knows the locations of Windows: OneDrive, the public folders, other drives', async () => {
  const home = 'C:\\Users\\anna';
  const env = { OneDrive: `${home}\\OneDrive`, PUBLIC: 'C:\\Users\\Public', SystemDrive: 'C:' };
  const there = [
    `${home}\\Documents\\Scanned Documents`,
    `${home}\\OneDrive\\Pictures\\Scans`,
    'C:\\Users\\Public\\Documents\\Scan',
    'C:\\Scans',
    'S:\\Kyocera TASKalfa',
  ];
  expect(await likelyFolders(machine('win32', home, there, { env }))).toEqual(there);
});

test('does not wait for a location that does not answer', async () => {
  const home = await mkdtemp(join(tmpdir(), 'receiptd-likely-'));
  onTestFinished(() => rm(home, { recursive: true }));
  await mkdir(join(home, 'Scans'));
  await writeFile(join(home, 'scan.pdf'), '');
  const real = thisMachine({ platform: process.platform, home, env: {} }, 50);
  expect(await likelyFolders({ ...real, text: () => Promise.resolve(null) })).toContain(join(home, 'Scans'));
  expect(await real.directories(home)).toEqual(['Scans']);
  expect(await real.directories(join(home, 'none'))).toEqual([]);
  expect(await real.text(join(home, 'none'))).toBeNull();
});
