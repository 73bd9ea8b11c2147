import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { unlessStopped } from '../../src/cli/ending.ts';
import { compile, runScript } from '../support/scripts.ts';

test.skipIf(process.platform === 'win32')(
  'exits with its status, and is killed if the file system never responds',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'receiptd-ending-'));
    const fifo = join(dir, 'fifo');
    expect(spawnSync('mkfifo', [fifo]).status).toBe(0);
    const { url } = await compile('cli/ending.ts');
    const end = (before: string) =>
      once(
        runScript(
          `import fs from 'node:fs/promises'; import { filesAnswered } from '${url}'; ${before}; await filesAnswered(); process.exit(3);`,
        ).child,
        'exit',
      );
    try {
      expect(await end('')).toEqual([3, null]);
      expect(await end(`void fs.readFile('${fifo}')`)).toEqual([null, 'SIGKILL']);
    } finally {
      await rm(dir, { recursive: true });
    }
  },
);

test('does not delay the exit if file operations finish at once', async () => {
  const { url } = await compile('cli/ending.ts');
  const script = runScript(
    `import fs from 'node:fs/promises'; import { filesAnswered } from '${url}'; const times = [];
    for (let round = 0; round < 20; round += 1) {
      void fs.readFile(${JSON.stringify(import.meta.filename)});
      const from = performance.now(); await filesAnswered(); times.push(performance.now() - from);
    }
    console.log(Math.min(...times));`,
  );
  // A machine that is busy may delay some of them.
  expect(Number(await script.line())).toBeLessThan(15);
});

it('unlessStopped returns the result, or rejects on a signal', async () => {
  const stop = new AbortController();
  const io = { stop: stop.signal };
  expect(await unlessStopped(io, async () => 7)).toBe(7);
  const waits = unlessStopped(io, () => new Promise(() => {}));
  stop.abort(new Error('stopped by SIGTERM'));
  await expect(waits).rejects.toThrow('SIGTERM');
  await expect(unlessStopped(io, async () => 7)).rejects.toThrow('SIGTERM');
});
