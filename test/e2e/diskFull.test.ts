import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { statfsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { canMount } from '../support/ownMount.ts';
import {
  practiceService,
  prepare,
  type Site,
  storedOnce,
  temporaryDirectory,
  until,
} from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { SmallDiskSite } from './support/smallDisk.ts';
import { requirement } from '../support/requires.ts';

const IN_FLIGHT = 4;
const DOCUMENTS = 12;
/** Longer than the agent's wait between two attempts to write. */
const ONE_TRY_MS = 5_500;

async function drop(site: Site, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) {
    await writeFile(
      site.file('inbox', `scan ${n}.jpg`),
      await drawReceipt({ type: 'jpeg', seed: `full ${n}` }),
    );
  }
}

describe.skipIf(!canMount())('an agent whose state directory is on a full disk', () => {
  test('records uploads in flight, starts no new ones, reports the problem, and recovers by itself', async () => {
    const dir = await temporaryDirectory();
    const sandbox = await practiceService({ dir: join(dir, 'sandbox') });
    const site = new SmallDiskSite(dir, sandbox);
    await site.mount('16m');
    const keys = {
      delivery: { concurrency: IN_FLIGHT },
      folders: [{ path: site.file('inbox'), endpoint: 'office', settle: { short: '200ms' } }],
      storage: { reserve: '2MB', backups: 0 },
    };
    await site.configure(keys);
    sandbox.misbehave({ kind: 'delay', delayMs: 3_600_000 });
    const agent = await site.start();
    await drop(site, 0, DOCUMENTS);
    const arrivals = () => sandbox.stats().uploadArrivals.length;
    await until(() => arrivals() === IN_FLIGHT, 'uploads to be under way');
    await until(async () => (await site.list()).length === DOCUMENTS, 'all to be admitted');
    site.fill();
    sandbox.behave();

    await until(
      async () => (await site.look('status')).stdout.includes('DISK_FULL'),
      'status to say DISK_FULL',
    );
    await until(
      async () => (await site.list('--state', 'accepted')).length === sandbox.received().length,
      'what was under way to be recorded',
    );
    expect(sandbox.received().length).toBeGreaterThanOrEqual(IN_FLIGHT);
    const begun = arrivals();
    expect(begun).toBeLessThan(DOCUMENTS);
    const tried = sleep(ONE_TRY_MS);
    await drop(site, DOCUMENTS, DOCUMENTS + 2);
    const told = await site.look('status');
    expect(told.stdout).toMatch(/disk .* full/i);
    expect(told.stdout).toContain('DISK_FULL');
    expect(told.stdout.replaceAll(/\s+/g, ' ')).toContain('until 3.0 MB are free');
    for (const command of [['check'], ['doctor', '--list']]) {
      const { status, stdout } = await site.look(...command, '--offline');
      expect(status).toBe(1);
      expect(stdout).toMatch(/^FAIL {2}agent: .*The disk of the ledger .* is full.*\[DISK_FULL\]$/m);
    }
    const kept = await site.run('backup');
    expect(kept.status).not.toBe(0);
    expect(kept.stderr).toContain('No backup was made: the disk of the state directory is full.');
    await tried;
    expect(arrivals()).toBe(begun);
    expect(agent.alive).toBe(true);

    site.leave(3_200_000);
    await until(
      async () => (await site.list('--state', 'accepted')).length === DOCUMENTS + 2,
      'all to be accepted',
    );
    expect((await storedOnce(site)).size).toBe(DOCUMENTS + 2);
    // Nothing was forgotten, so nothing was sent again.
    expect(arrivals()).toBe(DOCUMENTS + 2);
    expect((await site.look('status')).stdout).not.toContain('DISK_FULL');
    const { bavail, bsize } = statfsSync(site.disk());
    expect(bavail * bsize).toBeLessThan(1_200_000);
    expect(await agent.stop()).toMatchObject({ status: 0 });
  });
});

/** A disk with slow syncs, which strace simulates. */
describe('a slow disk', () => {
  const SYNC_MS = 1_100;
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
      const agent = await site.start();
      const isToldOf = async (): Promise<boolean> => /\[DISK_SLOW\]/.test((await site.look('status')).stdout);
      const end = await slowDown(agent.pid);
      let scanned = 0;
      /** Sends one scan after the other: each is several records. */
      const untilToldOf = (isSlow: boolean) =>
        until(
          async () => {
            await scan(site, `${(scanned += 1)}.jpg`);
            await until(() => site.sandbox.stats().stored === scanned, 'it to be sent all the same');
            return (await isToldOf()) === isSlow;
          },
          `the disk to be ${isSlow ? 'slow' : 'quick'}`,
        );
      await untilToldOf(true);
      await end();
      await untilToldOf(false);
      expect((await agent.stop()).status).toBe(0);
      expect((await storedOnce(site)).size).toBe(scanned);
      expect((await site.look('ledger', 'verify')).status).toBe(0);
    },
  );
});
