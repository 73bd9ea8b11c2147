import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Reserve } from '../../../src/ledger/sqlite/reserve.ts';
import { compile } from '../../support/scripts.ts';
import { canMount, withSmallDisk } from '../../support/ownMount.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';

const SQLITE = pathToFileURL(
  fileURLToPath(new URL('../../../node_modules/@photostructure/sqlite/dist/index.mjs', import.meta.url)),
).href;

function place(): string {
  const dir = fs.mkdtempSync(join(memoryDirectory(), 'receiptd-reserve-'));
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

describe('the reserve', () => {
  it('is a private file of allocated, incompressible blocks', () => {
    const path = join(place(), 'reserve');
    const reserve = new Reserve(path, 1_500_000);
    expect(reserve.isHeld).toBe(false);
    expect(reserve.prepare()).toBe(true);
    expect(reserve.isHeld).toBe(true);
    const stats = fs.statSync(path);
    expect(stats).toMatchObject({ size: 1_500_000 });
    expect(stats.mode & 0o777).toBe(0o600);
    expect(stats.blocks * 512).toBeGreaterThanOrEqual(1_500_000);
    expect(gzipSync(fs.readFileSync(path)).length).toBeGreaterThan(1_490_000);
  });

  it('is kept at the next start, and recreated if its size or blocks differ', () => {
    const dir = place();
    const path = join(dir, 'reserve');
    new Reserve(path, 100_000).prepare();
    const { ino, mtimeMs } = fs.statSync(path);
    expect(new Reserve(path, 100_000).prepare()).toBe(true);
    expect(fs.statSync(path)).toMatchObject({ ino, mtimeMs });
    expect(new Reserve(path, 50_000).prepare()).toBe(true);
    expect(fs.statSync(path).size).toBe(50_000);
    fs.truncateSync(path, 0);
    fs.truncateSync(path, 50_000);
    expect(new Reserve(path, 50_000).prepare()).toBe(true);
    expect(fs.statSync(path).blocks).toBeGreaterThan(0);
    expect(fs.readdirSync(dir)).toEqual(['reserve']);
  });

  it('is released at once, together with a file that a kill left incomplete', () => {
    const dir = place();
    const path = join(dir, 'reserve');
    fs.writeFileSync(`${path}.new`, 'cut short');
    const reserve = new Reserve(path, 100_000);
    expect(reserve.prepare()).toBe(true);
    expect(fs.readdirSync(dir)).toEqual(['reserve']);
    reserve.release();
    reserve.release();
    expect(reserve.isHeld).toBe(false);
    expect(fs.readdirSync(dir)).toEqual([]);
    expect(reserve.restore()).toBe(true);
    expect(reserve.isHeld).toBe(true);
  });

  it('of no bytes is no file, and removes an earlier one', () => {
    const dir = place();
    const path = join(dir, 'reserve');
    new Reserve(path, 100_000).prepare();
    const reserve = new Reserve(path, 0);
    expect(reserve.prepare()).toBe(true);
    expect(reserve.isHeld).toBe(false);
    expect(reserve.restore()).toBe(true);
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it('removes only its own file', () => {
    const dir = place();
    const path = join(dir, 'reserve');
    fs.writeFileSync(join(dir, 'else'), 'keep');
    fs.symlinkSync(join(dir, 'else'), path);
    const reserve = new Reserve(path, 1_000);
    reserve.release();
    expect(fs.readFileSync(join(dir, 'else'), 'utf8')).toBe('keep');
    fs.unlinkSync(path);
    fs.mkdirSync(path);
    expect(reserve.prepare()).toBe(false);
    expect(reserve.isHeld).toBe(false);
    expect(fs.readdirSync(dir).toSorted()).toEqual(['else', 'reserve']);
  });

  it('cannot be created if its directory is missing', () => {
    const reserve = new Reserve(join(place(), 'gone', 'reserve'), 1_000);
    expect([reserve.prepare(), reserve.restore(), reserve.isHeld]).toEqual([false, false, false]);
  });
});

describe.skipIf(!canMount())('on a full disk', () => {
  let compiled: Awaited<ReturnType<typeof compile>>;
  beforeAll(async () => {
    compiled = await compile('ledger/sqlite/reserve.ts');
  });

  /** Runs `body` in a process whose `dir` is a disk of that size. @returns what it passes to `say` */
  function onDisk(size: string, body: string): unknown[] {
    const dir = place();
    const code = `
      import fs from 'node:fs';
      import { join } from 'node:path';
      import { DatabaseSync } from ${JSON.stringify(SQLITE)};
      import { Reserve } from ${JSON.stringify(compiled.url)};
      const dir = process.argv[1];
      const said = [];
      const say = (...what) => said.push(...what);
      /** Until not a block is left. */
      function fill(name) {
        const handle = fs.openSync(join(dir, name), 'w');
        for (let size = 65536; size >= 1; ) {
          try { if (fs.writeSync(handle, Buffer.alloc(size, 1)) < size) throw { code: 'ENOSPC' }; }
          catch (error) { if (error.code !== 'ENOSPC') throw error; size = Math.floor(size / 16); }
        }
        fs.closeSync(handle);
      }
      ${body}
      console.log(JSON.stringify(said));`;
    const node = [process.execPath, '--input-type=module', '-e', code, '--', dir];
    const answer: unknown[] = JSON.parse(
      execFileSync(...withSmallDisk(dir, size, node), { encoding: 'utf8' }),
    );
    return answer;
  }

  it('lets hundreds of transactions commit, and is restored once there is space again', () => {
    const said = onDisk(
      '10m',
      `
      const db = new DatabaseSync(join(dir, 'ledger.db'));
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
      const insert = db.prepare('INSERT INTO t (text) VALUES (?)');
      const commit = (times) => {
        for (let n = 0; n < times; n += 1) {
          try {
            db.exec('BEGIN IMMEDIATE'); insert.run('x'.repeat(300)); db.exec('COMMIT');
          } catch (error) {
            if (db.isTransaction) db.exec('ROLLBACK');
            return [n, error.message];
          }
        }
        return [times, 'well'];
      };
      const reserve = new Reserve(join(dir, 'reserve'), 4_000_000);
      say(reserve.prepare());
      fill('junk');
      const [before, why] = commit(10_000);
      say(before < 1_000, why);
      reserve.release();
      say(commit(300), reserve.isHeld, reserve.restore());
      db.close();
      const again = new DatabaseSync(join(dir, 'ledger.db'));
      say(again.prepare('SELECT count(*) AS count FROM t').get().count === before + 300);
      again.close();
      fs.unlinkSync(join(dir, 'junk'));
      const leave = (bytes) => {
        fs.rmSync(join(dir, 'junk'), { force: true });
        const { bavail, bsize } = fs.statfsSync(dir);
        fs.writeFileSync(join(dir, 'junk'), Buffer.alloc(bavail * bsize - bytes));
      };
      leave(reserve.wantedBytes - 100_000);
      say(reserve.restore(), fs.existsSync(join(dir, 'reserve')));
      leave(5_100_000);
      say(reserve.restore(), reserve.isHeld);`,
    );
    expect(said).toEqual([
      true,
      true,
      'database or disk is full',
      [300, 'well'],
      false,
      false,
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  it('is created completely or not at all, and frees all its space', () => {
    const said = onDisk(
      '2m',
      `
      const free = () => { const { bavail, bsize } = fs.statfsSync(dir); return bavail * bsize; };
      const before = free();
      const large = new Reserve(join(dir, 'reserve'), 3_000_000);
      say(large.prepare(), large.isHeld, fs.readdirSync(dir), free() === before);
      const reserve = new Reserve(join(dir, 'reserve'), 1_000_000);
      say(reserve.prepare(), before - free() >= 1_000_000);
      reserve.release();
      say(fs.readdirSync(dir), free() === before);`,
    );
    expect(said).toEqual([false, false, [], true, true, true, [], true]);
  });
});
