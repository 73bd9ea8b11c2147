import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acquireInstanceLock } from '../../src/state-dir/instanceLock.ts';
import { compile, runScript } from '../support/scripts.ts';
import type { Script } from '../support/scripts.ts';
import { asOwnerOf } from '../support/ordinaryUser.ts';

let compiled: Awaited<ReturnType<typeof compile>>;
let dir: string;
const scripts: Script[] = [];

beforeAll(async () => {
  compiled = await compile('state-dir/instanceLock.ts');
});
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'receiptd-lock-'));
});
afterEach(async () => {
  await Promise.all(scripts.splice(0).map((script) => script.kill()));
  await rm(dir, { recursive: true, force: true });
});

/** Says `ready`, waits for a line, takes the lock, says what came of it, and holds it until it is killed. */
function contender(): Script {
  const script = runScript(`
    import { acquireInstanceLock } from ${JSON.stringify(compiled.url)};
    import { once } from 'node:events';
    console.log('ready');
    await once(process.stdin, 'data');
    try {
      await acquireInstanceLock(${JSON.stringify(dir)});
      console.log('held');
    } catch (error) {
      console.log(error.code + ' ' + error.message);
    }
    globalThis.gc?.();
    setInterval(() => {}, 1000);
  `);
  scripts.push(script);
  return script;
}

async function start(script: Script): Promise<string> {
  script.child.stdin?.write('go\n');
  return script.line();
}

describe('the instance lock', () => {
  test('goes to exactly one of several processes that start at once, and is free at once after kill -9, without a journal', async () => {
    const contenders = Array.from({ length: 4 }, contender);
    for (const one of contenders) expect(await one.line()).toBe('ready');
    const results = await Promise.all(contenders.map(start));
    const winner = contenders[results.indexOf('held')];
    const losers = results.filter((result) => result !== 'held');
    expect(losers).toHaveLength(3);
    for (const result of losers)
      expect(result).toContain(`ALREADY_RUNNING receiptd is already running (process ${winner?.child.pid})`);
    await winner?.kill();
    expect((await readdir(dir)).sort()).toEqual(['instance.json', 'instance.lock']);
    await (await acquireInstanceLock(dir)).release();
  });

  test('refuses a second one in the same process, and stays held, with files for their owner only', async () => {
    const lock = await acquireInstanceLock(dir);
    await expect(acquireInstanceLock(dir)).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
    const other = contender();
    expect(await other.line()).toBe('ready');
    expect(await start(other)).toContain('ALREADY_RUNNING');
    for (const name of ['instance.lock', 'instance.json']) {
      const { mode } = await stat(path.join(dir, name));
      expect([name, process.platform === 'win32' ? 0o600 : mode & 0o777]).toEqual([name, 0o600]);
    }
    await lock.release();
    await lock.release();
    expect(await readdir(dir)).toEqual(['instance.lock']);
  });

  test('of one directory leaves another free', async () => {
    const other = await mkdtemp(path.join(os.tmpdir(), 'receiptd-lock-'));
    const lock = await acquireInstanceLock(dir);
    const second = await acquireInstanceLock(other);
    expect([await lock.isInPlace(), await second.isInPlace()]).toEqual([true, true]);
    await lock.release();
    await second.release();
    await rm(other, { recursive: true });
  });

  test('is not fooled by what an earlier process left behind', async () => {
    await writeFile(path.join(dir, 'instance.lock'), '');
    await writeFile(path.join(dir, 'instance.json'), JSON.stringify({ pid: process.pid }));
    const lock = await acquireInstanceLock(dir);
    await expect(acquireInstanceLock(dir)).rejects.toMatchObject({ code: 'ALREADY_RUNNING' });
    await lock.release();
  });
});

describe.skipIf(process.platform === 'win32')('without permission', () => {
  test('the lock is refused in a directory that cannot be written', async () => {
    await chmod(dir, 0o500);
    await asOwnerOf(dir, async () => {
      await expect(acquireInstanceLock(dir)).rejects.toMatchObject({ code: 'STATE_UNWRITABLE' });
    });
  });

  test('a lock file that can only be read is no lock', async () => {
    await asOwnerOf(dir, async () => {
      const file = path.join(dir, 'instance.lock');
      await writeFile(file, '');
      await chmod(file, 0o444);
      await expect(acquireInstanceLock(dir)).rejects.toMatchObject({ code: 'STATE_UNWRITABLE' });
    });
  });

  test('one may not look', async () => {
    const file = path.join(dir, 'instance.lock');
    await writeFile(file, '');
    await chmod(file, 0o000);
    await asOwnerOf(dir, async () => {
      await expect(acquireInstanceLock(dir)).rejects.toMatchObject({ code: 'STATE_UNWRITABLE' });
    });
  });
});
