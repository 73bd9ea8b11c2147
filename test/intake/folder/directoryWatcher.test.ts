/* oxlint-disable eslint/no-underscore-dangle -- the names are chokidar's */
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DirectoryWatcher } from '../../../src/intake/folder/directoryWatcher.ts';
import { createFolderHints } from '../../../src/intake/folder/hints.ts';
import { requirement } from '../../support/requires.ts';
import { temporaryDirectory } from './fixture.ts';

const DEADLINE = { timeout: 60_000, interval: 20 };

const hasInotify = requirement('inotify', existsSync('/proc/self/fdinfo'), 'run on Linux');

/** The number of inotify watches of this process according to the kernel. */
async function kernelWatches(): Promise<number> {
  let count = 0;
  for (const fd of await readdir('/proc/self/fd')) {
    const target = await readlink(`/proc/self/fd/${fd}`).catch(() => '');
    if (target !== 'anon_inode:inotify') continue;
    const info = await readFile(`/proc/self/fdinfo/${fd}`, 'utf8');
    count += info.match(/^inotify wd:/gm)?.length ?? 0;
  }
  return count;
}

/** Watches of Node. Each holds memory until closed, even when the kernel's watch is gone. */
const nodeWatches = () => process.getActiveResourcesInfo().filter((kind) => kind === 'FSEventWrap').length;

async function directoriesIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

async function watching(root: string) {
  const before = { kernel: await kernelWatches(), node: nodeWatches() };
  const added = vi.spyOn(DirectoryWatcher.prototype, 'add');
  onTestFinished(() => added.mockRestore());
  const hints = new Set<string>();
  const troubles: Error[] = [];
  const watch = await createFolderHints().watch(
    root,
    true,
    (path) => hints.add(path),
    (error) => troubles.push(error),
  );
  onTestFinished(() => watch.close());
  const watcher = added.mock.contexts[0] as DirectoryWatcher;

  return {
    watcher,
    hints,
    troubles,
    /** Waits until exactly the existing directories are cached and watched. */
    settled: async () => {
      await vi.waitFor(async () => {
        const there = [root, ...(await directoriesIn(root))].sort();
        expect([...watcher._watched.keys()].sort()).toEqual([dirname(root), ...there]);
        const children = [...watcher._watched.values()].flatMap((entry) => entry.getChildren());
        expect(children).toHaveLength(there.length);
        expect([...watcher._closers.keys()].sort()).toEqual(there);
        expect(watcher._closers.get(root)).toHaveLength(1);
        expect(watcher._streams.size).toBe(0);
        expect([...watcher._throttled.values()].flatMap((waiting) => [...waiting.keys()])).toEqual([]);
        expect(nodeWatches() - before.node).toBe(there.length);
        expect((await kernelWatches()) - before.kernel).toBe(there.length);
      }, DEADLINE);
    },
    /** Writes repeatedly, because the first writes may come before the directory is watched. */
    heard: async (file: string) => {
      hints.delete(file);
      await vi.waitFor(async () => {
        await appendFile(file, 'a');
        expect(hints).toContain(file);
      }, DEADLINE);
    },
  };
}

describe.skipIf(!hasInotify)('the watches and cached directories', () => {
  it('do not leak for directories created and deleted job by job', async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, 'stays/deep'), { recursive: true });
    const { troubles, settled, heard, hints } = await watching(root);
    await settled();
    for (let job = 0; job < 60; job++) {
      const directory = join(root, `job-${job}`);
      const file = join(directory, 'front/back/1.jpg');
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, 'a');
      // Most disappear while they are being found, some after they were watched.
      if (job % 12 === 0) await heard(file);
      await rm(directory, { recursive: true });
    }
    await settled();

    for (const again of ['job-0', 'job-7', 'job-59']) {
      const file = join(root, again, 'front/back/2.jpg');
      await mkdir(dirname(file), { recursive: true });
      await heard(file);
      expect(hints).toContain(file);
    }
    await settled();
    expect(troubles).toEqual([]);
  });

  it('match the existing directories if the same names come, go and return within milliseconds', async () => {
    const root = await temporaryDirectory();
    const { settled, heard, hints, troubles } = await watching(root);
    for (let round = 0; round < 60; round++) {
      const day = join(root, `day-${round % 3}`);
      await mkdir(join(day, 'scans'), { recursive: true });
      if (round % 2 === 0) await writeFile(join(day, 'scans/1.jpg'), 'a');
      if (round % 5 !== 0) await rm(day, { recursive: true });
      if (round % 7 === 0) await mkdir(join(day, 'scans'), { recursive: true });
    }
    for (let day = 0; day < 3; day++) {
      const file = join(root, `day-${day}/scans/last.jpg`);
      await mkdir(dirname(file), { recursive: true });
      await heard(file);
      expect(hints).toContain(file);
    }
    await settled();
    expect(troubles).toEqual([]);
  });
  it('do not leak for directories that are gone before they can be watched', async () => {
    const root = await temporaryDirectory();
    const { watcher, settled, heard } = await watching(root);
    for (let i = 0; i < 20; i++) watcher.add(join(root, `gone-${i}/deep`));
    for (let i = 0; i < 20; i++) watcher.add(join(root, `gone-${i}`));
    // The same happens if it disappears together with its parent right after it was found.
    const late = join(root, 'late/deep');
    const found = watcher._getWatchHelpers(late);
    await watcher._nodeFsHandler._handleDir(late, await stat(root), true, 1, '', found, late);
    // Found after the others.
    await mkdir(join(root, 'there'));
    await heard(join(root, 'there/1.jpg'));
    await settled();
    expect([...watcher._closers.keys()]).toEqual([root, join(root, 'there')]);
  });
});
