import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFolderHints, type FolderHintsOptions } from '../../../src/intake/folder/hints.ts';
import { temporaryDirectory } from './fixture.ts';

const DEADLINE = { timeout: 60_000, interval: 5 };

async function watching(root: string, recursive = true, options: FolderHintsOptions = {}) {
  const hints: string[] = [];
  const troubles: Error[] = [];
  const watch = await createFolderHints(options).watch(
    root,
    recursive,
    (path) => hints.push(path),
    (error) => troubles.push(error),
  );
  onTestFinished(() => watch.close());
  return {
    hints,
    troubles,
    close: () => watch.close(),
    hinted: (...paths: string[]) =>
      vi.waitFor(() => expect(hints).toEqual(expect.arrayContaining(paths)), DEADLINE),
  };
}

/** A change whose hint comes after all pending hints. */
async function afterAll(
  root: string,
  { hinted }: { hinted: (path: string) => Promise<void> },
): Promise<void> {
  await writeFile(join(root, 'marker'), '');
  await hinted(join(root, 'marker'));
}

/** Writes repeatedly, because the first writes may come before the directory is watched. */
async function untilWatched(file: string, hints: readonly string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      await writeFile(file, 'a', { flag: 'a' });
      expect(hints).toContain(file);
    },
    { timeout: DEADLINE.timeout, interval: 50 },
  );
}

function failWatch(code: string, where: (path: string) => boolean): void {
  const original = fs.watch;
  const watch = vi.spyOn(fs, 'watch').mockImplementation((path, ...rest) => {
    if (where(String(path))) throw Object.assign(new Error(`watch ${code}`), { code });
    return original(path, ...rest);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    watch.mockRestore();
    syncBuiltinESMExports();
  });
}

describe('a hint comes', () => {
  it('for a file created, written, renamed in, renamed and deleted', async () => {
    const root = await temporaryDirectory();
    const outside = await temporaryDirectory();
    const watch = await watching(root);
    const file = join(root, 'a.jpg');
    for (const change of [
      () => writeFile(file, ''),
      () => writeFile(file, 'more', { flag: 'a' }),
      () => rename(file, join(outside, 'a.jpg')),
      () => rename(join(outside, 'a.jpg'), file),
      () => rm(file),
    ]) {
      await afterAll(root, watch);
      watch.hints.length = 0;
      await change();
      await watch.hinted(file);
    }
    expect(watch.troubles).toEqual([]);
  });

  it('for a directory that is moved in, and for files added to it later', async () => {
    const root = await temporaryDirectory();
    const outside = await temporaryDirectory();
    await mkdir(join(outside, 'batch/deep'), { recursive: true });
    await writeFile(join(outside, 'batch/deep/a.jpg'), 'a');
    const { hints } = await watching(root);
    await rename(join(outside, 'batch'), join(root, 'batch'));
    const directories = [join(root, 'batch'), join(root, 'batch/deep')];
    await vi.waitFor(() => expect(hints).toEqual(expect.arrayContaining(directories)), DEADLINE);
    await untilWatched(join(root, 'batch/deep/b.jpg'), hints);
    expect(hints).toContain(join(root, 'batch/deep/b.jpg'));
  });

  it('for an ancestor after a new nested directory was filled quickly', async () => {
    const root = await temporaryDirectory();
    const { hints } = await watching(root);
    execFileSync(
      'sh',
      ['-c', 'mkdir -p x/y/z && for i in 1 2 3 4 5 6 7 8 9; do echo $i > x/y/z/$i.jpg; done'],
      {
        cwd: root,
      },
    );
    const filled = hints.length;
    const ancestors = ['x', 'x/y', 'x/y/z'].map((path) => join(root, path));
    await vi.waitFor(
      () => expect(hints.slice(filled).some((path) => ancestors.includes(path))).toBe(true),
      DEADLINE,
    );
  });

  it('in a directory that is deleted and recreated at once', async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, 'day/scans'), { recursive: true });
    const { hints } = await watching(root);
    for (let round = 0; round < 8; round++) {
      execFileSync('sh', ['-c', 'rm -rf day && mkdir -p day/scans'], { cwd: root });
      const file = join(root, `day/scans/${round}.jpg`);
      await untilWatched(file, hints);
      expect(hints).toContain(file);
    }
  });

  it('for each of 150 directories, with only a few hints per change', async () => {
    const root = await temporaryDirectory();
    const files = Array.from({ length: 150 }, (_, i) => join(root, `${i}`, 'a.jpg'));
    for (const file of files) await mkdir(join(file, '..'));
    const { hints, hinted } = await watching(root);
    for (const file of files) await writeFile(file, 'a');
    await hinted(...files);
    expect(hints.length).toBeLessThan(150 * 10);
  });

  it('under the configured path if that is a link to the folder', async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, 'real'));
    await symlink(join(root, 'real'), join(root, 'alias'));
    const { hints } = await watching(join(root, 'alias'));
    await writeFile(join(root, 'real/a.jpg'), 'a');
    await vi.waitFor(() => expect(hints).toContain(join(root, 'alias/a.jpg')), DEADLINE);
  });

  it('for the directory if a file name in it is not valid UTF-8', async () => {
    const root = await temporaryDirectory();
    const { hints, hinted } = await watching(root);
    await writeFile(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xe4])]), '');
    await hinted(root);
    expect(hints.filter((path) => path.includes('\uFFFD'))).toEqual([]);
  });
});

describe('no hint comes', () => {
  it('from inside subdirectories when not recursive', async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, 'x'));
    const watch = await watching(root, false);
    await writeFile(join(root, 'x/a.jpg'), 'a');
    await mkdir(join(root, 'y'));
    await writeFile(join(root, 'y/a.jpg'), 'a');
    await afterAll(root, watch);
    expect(watch.hints.filter((path) => path.endsWith('a.jpg'))).toEqual([]);
  });

  it('from aside and excluded directories', async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, 'archive/x'), { recursive: true });
    const watch = await watching(root, true, { exclude: [join(root, 'archive')] });
    await mkdir(join(root, '.receiptd-aside-0123abcd'));
    await writeFile(join(root, '.receiptd-aside-0123abcd/a.jpg'), 'a');
    await writeFile(join(root, 'archive/x/a.jpg'), 'a');
    await writeFile(join(root, 'archive/a.jpg'), 'a');
    await writeFile(join(root, 'archived.jpg'), 'a');
    await afterAll(root, watch);
    expect([...new Set(watch.hints)].sort()).toEqual([join(root, 'archived.jpg'), join(root, 'marker')]);
  });

  it('through a symbolic link, so that a loop is harmless', async () => {
    const root = await temporaryDirectory();
    const outside = await temporaryDirectory();
    await symlink(root, join(root, 'loop'));
    await symlink(outside, join(root, 'out'));
    const watch = await watching(root);
    await writeFile(join(outside, 'a.jpg'), 'a');
    await afterAll(root, watch);
    expect([...new Set(watch.hints)]).toEqual([join(root, 'marker')]);
  });

  it('after close', async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, 'x'));
    const watch = await watching(root);
    await mkdir(join(root, 'y'));
    await watch.close();
    const before = watch.hints.length;
    await writeFile(join(root, 'a.jpg'), 'a');
    const second = await watching(root);
    await afterAll(root, second);
    expect(watch.hints).toHaveLength(before);
  });
});

describe('Nothing is watched afterwards: the pipeline checks the folder every few seconds.', () => {
  // After that nothing is watched: the pipeline looks at the folder's availability every few seconds.
  it.each(['empty', 'with directories'])('is reported once if the folder is deleted, %s', async (kind) => {
    const root = join(await temporaryDirectory(), 'scans');
    await mkdir(kind === 'empty' ? root : join(root, 'x/y'), { recursive: true });
    const { troubles } = await watching(root);
    await rm(root, { recursive: true });
    await vi.waitFor(() => expect(troubles).toMatchObject([{ code: 'FOLDER_MISSING' }]), DEADLINE);
  });

  it('is reported if the folder is deleted and recreated at once, even with the same inode', async () => {
    const root = join(await temporaryDirectory(), 'scans');
    await mkdir(root);
    const { troubles } = await watching(root);
    await vi.waitFor(() => {
      execFileSync('sh', ['-c', 'rm -rf scans && mkdir scans'], { cwd: join(root, '..') });
      expect(troubles).toMatchObject([{ code: 'FOLDER_MISSING' }]);
    }, DEADLINE);
  });

  it('is reported if the folder is replaced, and a new watch then works', async () => {
    const parent = await temporaryDirectory();
    const root = join(parent, 'scans');
    await mkdir(root);
    const { troubles, hints, close } = await watching(root);
    await rename(root, join(parent, 'old'));
    await mkdir(root);
    await vi.waitFor(() => expect(troubles).toHaveLength(1), DEADLINE);
    await close();
    await afterAll(root, await watching(root));
    expect(hints.filter((path) => path !== root && !path.startsWith(`${root}/`))).toEqual([]);
  });

  it.each([
    ['ENOSPC', 'max_user_watches'],
    ['EMFILE', 'max_user_instances'],
  ])('is reported once, with a hint, if the limit causes %s for many directories', async (code, hint) => {
    const root = await temporaryDirectory();
    for (let i = 0; i < 50; i++) await mkdir(join(root, `${i}`));
    failWatch(code, (path) => path !== root);
    const watch = await watching(root);
    await afterAll(root, watch);
    expect(watch.troubles).toMatchObject([{ code: 'WATCH_LIMIT', hint: expect.stringContaining(hint) }]);
  });

  it('is reported if not even the folder itself can be watched', async () => {
    const root = await temporaryDirectory();
    failWatch('ENOSPC', () => true);
    const { troubles } = await watching(root);
    await vi.waitFor(() => expect(troubles).toMatchObject([{ code: 'WATCH_LIMIT' }]), DEADLINE);
  });

  it('rejects the watch if the folder does not exist or cannot be watched', async () => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'file'), '');
    await mkdir(join(root, 'a\\b'));
    await expect(watching(join(root, 'a\\b'))).rejects.toMatchObject({ code: 'WATCH_LIMIT' });
    await expect(watching(join(root, 'none'))).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    await expect(watching(join(root, 'file'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});
