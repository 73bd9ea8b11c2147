import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemError } from '../../../src/core/domain/errors.ts';
import type { ListedDirectory, WatchedFolder } from '../../../src/core/ports/folder.ts';
import { FolderApart } from '../../../src/intake/folder/apart.ts';
import { byMount } from '../../../src/intake/folder/byMount.ts';
import { Mounts } from '../../../src/intake/folder/mounts.ts';
import { createWatchedFolder } from '../../../src/intake/folder/watchedFolder.ts';
import { hasBindfs, runInNamespace } from '../../support/namespace.ts';
import { sourceUrls } from '../../support/compiled.ts';
import { compile } from '../../support/scripts.ts';
import { temporaryDirectory } from './fixture.ts';

const line = (id: number, at: string, type: string) =>
  `${id} 1 0:${id} / ${at} rw shared:1 - ${type} source rw\n`;

const MOUNTS = new Mounts(() =>
  [
    line(1, '/', 'ext4'),
    line(2, '/srv/scans/share', 'fuse.sshfs'),
    line(3, '/srv/scans/share/deep', 'nfs4'),
    line(4, '/srv/scans/disk', 'xfs'),
    line(5, '/mnt/the\\040office', 'cifs'),
    line(6, '/mnt/twice', 'nfs'),
    line(7, '/mnt/twice', 'tmpfs'),
    line(8, '/mnt/ntfs', 'fuseblk'),
    line(9, '/mnt/host', 'virtiofs'),
  ].join(''),
);

it('the mounts whose file systems may hang are known by the kernel’s list, the last one at a place counts', () => {
  const of = (path: string) => MOUNTS.of(path);
  expect(of('/srv/scans/a.jpg')).toBeNull();
  expect(of('/srv/scans/share/a.jpg')).toBe('/srv/scans/share');
  expect(of('/srv/scans/share/deep/a.jpg')).toBe('/srv/scans/share/deep');
  expect(of('/srv/scans/shared')).toBeNull();
  expect(of('/srv/scans/disk/a.jpg')).toBeNull();
  expect(of('/mnt/the office/2026')).toBe('/mnt/the office');
  expect(of('/mnt/twice/a.jpg')).toBeNull();
  expect(of('/mnt/ntfs/a.jpg')).toBeNull();
  expect(of('/mnt/host/a.jpg')).toBe('/mnt/host');
  expect(MOUNTS.below('/srv/scans')).toEqual(['/srv/scans/share']);
  expect(MOUNTS.below('/srv/scans/share')).toEqual(['/srv/scans/share/deep']);
});

const plainOf = (dir: string) => ({
  path: join(dir, 'scans'),
  recursive: true,
  include: [],
  ignore: [],
  exclude: [],
  archiveTo: join(dir, 'archive'),
  watched: [join(dir, 'scans')],
});

async function listed(folder: WatchedFolder): Promise<ListedDirectory[]> {
  const found: ListedDirectory[] = [];
  for await (const each of folder.list()) found.push(each);
  return found;
}

describe('a folder in a process of its own', () => {
  let program: string;
  beforeAll(async () => {
    program = fileURLToPath((await compile('wiring/folderProcess.ts')).url);
  });

  async function apart() {
    const dir = await temporaryDirectory();
    await mkdir(join(dir, 'scans/sub'), { recursive: true });
    for (const name of ['a.jpg', 'sub/b.jpg']) await writeFile(join(dir, 'scans', name), `bytes of ${name}`);
    const here = createWatchedFolder({ ...plainOf(dir), random: Math.random });
    const there = new FolderApart(program, { ...plainOf(dir), stateDir: dir, mount: dir });
    onTestFinished(() => there.end());
    return { dir, here, there, folder: there.folder((path) => here.covers(path)) };
  }

  it('answers as it would here, also with errors, and changes the same files', async () => {
    const { dir, here, folder } = await apart();
    expect(await folder.availability()).toEqual(await here.availability());
    expect(await listed(folder)).toEqual(await listed(here));
    expect(await folder.stat('a.jpg')).toEqual(await here.stat('a.jpg'));
    expect(await folder.statEach('sub', ['b.jpg', 'c.jpg'])).toEqual(
      await here.statEach('sub', ['b.jpg', 'c.jpg']),
    );
    const read = await folder.read('sub/b.jpg', 1_000);
    expect(read).toEqual(await here.read('sub/b.jpg', 1_000));
    await expect(folder.setAside('gone.jpg')).rejects.toMatchObject({ code: 'ENOENT' });
    const aside = await folder.setAside('a.jpg');
    const archivedTo = await folder.archive(aside, 'a.jpg');
    expect(archivedTo).toBe(join(dir, 'archive/a.jpg'));
    expect(await readFile(archivedTo, 'utf8')).toBe('bytes of a.jpg');
  });

  it('knows nothing of the agent’s environment, and ends with the agent only', async () => {
    const { there, folder } = await apart();
    await folder.stat('a.jpg');
    const { pid = 0 } = there;
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('PATH=');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
    expect(await folder.stat('a.jpg')).toMatchObject({ kind: 'file' });
    expect(there.pid).toBe(pid);
  });

  it('is opened again after its process was killed; what was asked meanwhile fails with a system error', async () => {
    const { there, folder } = await apart();
    await folder.stat('a.jpg');
    const asked = folder.statEach('', Array<string>(20_000).fill('a.jpg'));
    process.kill(there.pid ?? 0, 'SIGKILL');
    await expect(asked).rejects.toMatchObject({ code: 'EIO' });
    expect(await folder.stat('a.jpg')).toMatchObject({ kind: 'file' });
  });
});

it('a mount in the folder that fails is one unreadable directory; the rest is listed, and each path is asked where it lies', async () => {
  const dir = await temporaryDirectory();
  await mkdir(join(dir, 'scans/share'), { recursive: true });
  for (const name of ['a.jpg', 'share/hidden.jpg']) await writeFile(join(dir, 'scans', name), 'x');
  const mounts = new Mounts(() => line(1, '/', 'ext4') + line(2, join(dir, 'scans/share'), 'fuse'));
  const here = createWatchedFolder({ ...plainOf(dir), mounts, random: Math.random });
  const silent = (): never => {
    throw systemError('ETIMEDOUT', 'no answer');
  };
  const asked: string[] = [];
  const folder = byMount(here, {
    mounts,
    archiveTo: join(dir, 'archive'),
    apart: (mount) => ({
      ...here,
      list: silent,
      stat: async (path) => {
        asked.push(`${mount} ${path}`);
        return null;
      },
    }),
  });
  expect(await listed(folder)).toEqual([
    { dir: '', files: [{ path: 'a.jpg' }] },
    { dir: 'share', files: [], unreadableDirs: [{ path: 'share', code: 'ETIMEDOUT' }] },
  ]);
  expect(await folder.stat('a.jpg')).toMatchObject({ kind: 'file' });
  expect(await folder.stat('share/hidden.jpg')).toBeNull();
  expect(asked).toEqual([`${join(dir, 'scans/share')} share/hidden.jpg`]);
});

it.skipIf(!hasBindfs)(
  'a share that hangs keeps neither another one nor the end of this process waiting',
  async () => {
    const dir = await temporaryDirectory();
    const sources = await sourceUrls();
    const program = fileURLToPath((await compile('wiring/folderProcess.ts')).url);
    for (const name of ['server', 'one', 'two']) await mkdir(join(dir, name));
    await writeFile(join(dir, 'server/a.jpg'), 'receipt');
    const said = await runInNamespace(
      `bindfs ${dir}/server ${dir}/one; bindfs ${dir}/server ${dir}/two`,
      `    const { execFileSync } = await import('node:child_process');
    const { FolderApart } = await import('${sources.url('intake/folder/apart.ts')}');
    const open = (path) => new FolderApart('${program}', { path, recursive: false, include: [], ignore: [], exclude: [],
      archiveTo: path + '/archive', watched: [path], stateDir: '${dir}', mount: path }).folder(() => true);
    const [one, two] = [open('${dir}/one'), open('${dir}/two')];
    console.log(JSON.stringify([(await one.stat('a.jpg')).kind, (await two.stat('a.jpg')).kind]));
    const pid = execFileSync('pgrep', ['-f', 'bindfs ${dir}/server ${dir}/one']).toString().trim().split('\\n')[0];
    process.kill(Number(pid), 'SIGSTOP');
    const calls = Array.from({ length: 8 }, () => one.stat('b' + Math.random() + '.jpg').catch(() => null));
    console.log(JSON.stringify((await two.stat('a.jpg')).kind));
    void calls;
    process.exit(0);`,
    );
    expect(said).toEqual([['file', 'file'], 'file']);
  },
);
