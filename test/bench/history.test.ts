import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { appendHistory, environment, readHistory } from '../../bench/report/history.ts';
import { hasGit } from '../support/git.ts';
import { entry, figure, repository } from './records.ts';

it('keeps a line for each run, oldest first', async () => {
  const { root } = await repository();
  expect(await readHistory(root)).toEqual([]);
  const first = entry([figure('time', 1.5)], { skipped: ['curl: this machine has no curl.'] });
  const second = entry([figure('time', 1.4, { target: 1, note: 'Once.' })], { quick: true, dirty: true });
  await appendHistory(root, first);
  await appendHistory(root, second);
  expect(await readHistory(root)).toEqual([first, second]);
});

it('takes no figure that is no number', async () => {
  const { root } = await repository();
  await expect(appendHistory(root, entry([figure('time', NaN)]))).rejects.toThrow('backlog: "time" is NaN');
  expect(await readHistory(root)).toEqual([]);
});

it.skipIf(!hasGit)(
  'says the commit, whether the tree differs from it, and the machine without its name',
  async () => {
    const { root, git } = await repository();
    const commit = await git('rev-parse', 'HEAD');
    const clean = await environment(root);
    expect(clean).toEqual({
      commit,
      machine: {
        processor: expect.any(String),
        processors: expect.any(Number),
        memoryGB: expect.any(Number),
        kernel: expect.any(String),
        node: process.version,
      },
    });
    expect(JSON.stringify(clean)).not.toContain(JSON.stringify(hostname()));
    // What a run writes down is no change of what is measured.
    await mkdir(join(root, 'docs', 'performance'));
    await writeFile(join(root, 'docs', 'performance', 'a.svg'), '');
    await writeFile(join(root, 'docs', 'performance.md'), '');
    await appendHistory(root, entry([]));
    expect(await environment(root)).toEqual(clean);
    await appendFile(join(root, 'program.txt'), 'changed');
    expect(await environment(root)).toEqual({ ...clean, dirty: true });
  },
);

it('knows no commit where there is no repository', async () => {
  const root = await mkdtemp(join(tmpdir(), 'receiptd-bench-test-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  expect(await environment(root)).toMatchObject({ commit: null });
  expect(await environment(root)).not.toHaveProperty('dirty');
});
