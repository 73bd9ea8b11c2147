import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import type { Entry } from '../../bench/report/history.ts';
import type { Figure } from '../../bench/scenario.ts';
import { hasGit } from '../support/git.ts';

/** A repository with one commit (without git, only a directory), and `bench` and `docs` in it; removed when the test is over. */
export async function repository(): Promise<{ root: string; git: (...args: string[]) => Promise<string> }> {
  const root = await mkdtemp(join(tmpdir(), 'receiptd-bench-test-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const git = async (...args: string[]): Promise<string> => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    return (await promisify(execFile)('git', [...who, ...args], { cwd: root })).stdout.trim();
  };
  await mkdir(join(root, 'bench'));
  await mkdir(join(root, 'docs'));
  await writeFile(join(root, 'program.txt'), 'first');
  if (hasGit) {
    await git('init', '--quiet');
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'first');
  }
  return { root, git };
}

export const MACHINE = {
  processor: 'A CPU',
  processors: 2,
  memoryGB: 8,
  kernel: 'Linux 6',
  node: 'v20.20.2',
};

export function figure(name: string, value: number, more: Partial<Figure> = {}): Figure {
  return { name, value, unit: 's', better: 'less', ...more };
}

export function entry(figures: readonly Figure[], more: Partial<Entry> = {}): Entry {
  return {
    date: '2026-11-21T15:00:00.000Z',
    commit: 'd53e6cc000000000000000000000000000000000',
    machine: MACHINE,
    quick: false,
    scenario: 'backlog',
    figures,
    skipped: [],
    ...more,
  };
}
