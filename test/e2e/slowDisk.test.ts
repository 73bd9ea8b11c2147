/** A disk with slow syncs, which strace simulates. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rename, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { requirement } from '../support/requires.ts';
import { prepare, storedOnce, until, type Site } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';

const SYNC_MS = 1_300;
const strace = requirement(
  'strace, with leave to trace',
  spawnSync('strace', ['-f', 'true']).status === 0,
  'apt-get install strace',
);

async function scan(site: Site, name: string): Promise<void> {
  await writeFile(site.file(name), await drawReceipt({ type: 'jpeg', seed: name }));
  await rename(site.file(name), site.file('inbox', name));
}

/** Resolves once every sync of that process takes this long. @returns a function that ends it */
async function slowDown(pid: number): Promise<() => Promise<void>> {
  const inject = `inject=fsync,fdatasync:delay_enter=${SYNC_MS * 1_000}`;
  const args = ['-f', '-e', 'trace=fsync,fdatasync', '-e', inject, '-o', '/dev/null', '-p', String(pid)];
  const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(tracer, 'close');
  let said = '';
  tracer.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const end = async (): Promise<void> => {
    tracer.kill('SIGINT');
    await ended;
  };
  cleanUp(end);
  await until(() => /attached/.test(said), 'strace to be attached');
  return end;
}

test.skipIf(!strace)(
  'a slow disk is reported, loses nothing, and is no longer reported once it is fast',
  async () => {
    const site = await prepare();
    await site.configure({ delivery: { rate: '20/min', concurrency: 2 } });
    const agent = await site.start();
    const isToldOf = async (): Promise<boolean> => /\[DISK_SLOW\]/.test((await site.look('status')).stdout);
    const end = await slowDown(agent.pid);
    for (let n = 0; n < 4; n += 1) await scan(site, `slow-${n}.jpg`);
    await until(isToldOf, 'the disk to be told of');
    await until(() => site.sandbox.stats().stored === 4, 'everything to be sent all the same');
    await end();
    for (let n = 0; n < 4; n += 1) {
      await scan(site, `quick-${n}.jpg`);
      await until(() => site.sandbox.stats().stored === 5 + n, 'the next one to be sent');
    }
    await until(async () => !(await isToldOf()), 'the disk to be quick again');
    expect((await agent.stop()).status).toBe(0);
    expect((await storedOnce(site)).size).toBe(8);
    expect((await site.look('ledger', 'verify')).status).toBe(0);
  },
);
