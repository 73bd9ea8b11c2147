import { spawn } from 'node:child_process';
import { cp, readFile, readdir, readlink, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, Running, temporaryDirectory, until } from './support/agent.ts';

test('`npm start` sends receipts, shows the ledger, and ends everything at Ctrl-C', async () => {
  // A separate project, so that no existing scratch folder is changed.
  const project = await realpath(await temporaryDirectory());
  const root = dirname(dirname(MAIN));
  await cp(join(root, 'dist'), join(project, 'dist'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
  await writeFile(join(project, 'package.json'), await readFile(join(root, 'package.json')));
  const { PATH = '', HOME = '' } = process.env;
  const demo = new Running(
    spawn(process.execPath, ['dist/demo/start.js'], {
      cwd: project,
      env: { PATH, HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  await until(() => {
    if (!demo.alive) throw new Error(`it ended: ${demo.stdout}${demo.stderr}`);
    return demo.stdout.includes('Press Ctrl-C to stop both');
  }, 'the demo to show its ledger');

  const table = demo.stdout.slice(demo.stdout.indexOf('The ledger:')).split('\n');
  const count = (state: string) => table.filter((line) => line.includes(` ${state} `)).length;
  expect([count('accepted'), count('duplicate'), count('rejected')]).toEqual([10, 1, 1]);
  expect(demo.stdout).toContain(`Drop your own images into ${join('scratch', 'inbox')}`);
  // A pipe gets the full table; a terminal gets one that fits.
  const beside = demo.stdout
    .split('\n')
    .filter((line) => !table.includes(line) || !/ (accepted|duplicate|rejected|STATE|─+) /.test(line));
  expect(beside.filter((line) => line.length > 80 && !line.includes(project))).toEqual([]);
  expect(beside.filter((line) => / Accepted {2}/.test(line))).toHaveLength(10);
  expect(demo.alive).toBe(true);
  const all = await processesIn(project);
  expect(all).toHaveLength(3);

  demo.signal('SIGINT');
  expect(await demo.ended).toMatchObject({ status: 0, signal: null });
  expect(await processesIn(project)).toEqual([]);
});

/** Ids of the processes whose working directory this is. Linux only. */
async function processesIn(project: string): Promise<string[]> {
  const found: string[] = [];
  for (const id of await readdir('/proc')) {
    if (!/^\d+$/.test(id)) continue;
    const directory = await readlink(`/proc/${id}/cwd`).catch(() => null);
    if (directory === project) found.push(id);
  }
  return found;
}
