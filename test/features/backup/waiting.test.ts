import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, expect, test } from 'vitest';
import { makeBackup, type BackedUp } from '../../../src/features/backup/makeBackup.ts';
import { copyLedger } from '../../../src/wiring/ledger.ts';
import type { Config } from '../../../src/config/config.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { openSqliteReports } from '../../../src/ledger/sqlite/openReports.ts';
import { endpointId } from '../../../src/core/domain/document.ts';
import { admission, OFFICE, rowsOf, seen } from '../../contract/ledger/support.ts';
import { clock } from '../../ledger/sqlite/place.ts';
import { restoreLedger } from '../../support/restoreLedger.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { tempDir } from '../../support/tempDir.ts';
import { configIn, textIn } from '../../config/support.ts';

let dir: string;
beforeEach(async () => {
  dir = tempDir('waiting', memoryDirectory());
  for (const name of ['state', 'scans']) await mkdir(join(dir, name), { mode: 0o700 });
});

const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

async function configured(): Promise<Config> {
  const config = configIn(dir);
  await writeFile(config.file, textIn(dir, {}));
  return config;
}

/** Documents that wait for their turn or for an endpoint on hold. Every second one has a copy in the spool; the others exist only in the scan folder. */
async function backlog(
  count: number,
  imageOf: (n: number) => Buffer,
  { isHeld = false }: { isHeld?: boolean } = {},
): Promise<void> {
  const ledger = await openSqliteLedger({ path: join(dir, 'state', 'ledger.db'), clock });
  const scans = join(dir, 'scans');
  for (let from = 0; from < count; from += 20) {
    const some = Array.from({ length: Math.min(20, count - from) }, async (_, k) => {
      const image = imageOf(from + k);
      const hash = sha256(image);
      const copies = join(dir, 'state', 'spool', hash.slice(0, 2));
      if (k % 2 === 0) await mkdir(copies, { recursive: true });
      await writeFile(k % 2 === 0 ? join(copies, hash) : join(scans, `${from + k}.jpg`), image);
      const file = seen(`${from + k}.jpg`, from + k, scans);
      const identity = { ...file.identity, size: image.length };
      await ledger.admit(admission(file.path, `${from + k}`, { sha256: hash, file: { ...file, identity } }));
    });
    await Promise.all(some);
  }
  if (isHeld) {
    const why = { reason: 'HTTP_403', message: 'Not allowed.', since: 1, until: null, demandedUntil: null };
    await ledger.putHold({ scope: 'endpoint', key: endpointId(OFFICE), ...why });
  }
  await ledger.close();
}

async function backUp(config: Config, file: string): Promise<BackedUp> {
  return makeBackup(config, {
    file,
    version: '0.0.0',
    final: false,
    copyLedger: (target) => copyLedger(config, target),
    onWithoutImage: ({ paths }) => Promise.reject(new Error(paths.join())),
  });
}

test.each([0, 1, 130])(
  'a backlog of %i images is backed up and restored on another PC, byte for byte',
  async (count) => {
    const config = await configured();
    const imageOf = (n: number): Buffer => Buffer.from(`image ${n} ${'.'.repeat(n % 300)}`);
    await backlog(count, imageOf, { isHeld: count === 1 });
    const file = join(dir, 'office.receiptd');
    const { manifest } = await backUp(config, file);
    expect(manifest).toMatchObject({ documents: count, waiting: count, images: { count } });
    const other = join(dir, 'other');
    expect(await restoreLedger(other, file)).toMatchObject({ documents: count, replayed: 0, story: [] });
    const copies = (await readdir(join(other, 'spool'), { recursive: true })).filter((name) =>
      /[0-9a-f]{64}$/.test(name),
    );
    expect(copies).toHaveLength(count);
    for (const name of copies)
      expect(name.endsWith(sha256(await readFile(join(other, 'spool', name))))).toBe(true);
    const reports = await openSqliteReports({ path: join(other, 'ledger.db') });
    const waiting = await rowsOf(reports, { states: ['queued', 'held'] });
    await reports.close();
    expect(new Set(waiting.map(({ name }) => name)).size).toBe(count);
  },
);

test('a backup holds one image in memory at a time', async () => {
  const config = await configured();
  const MB = 1024 * 1024;
  /** All images are 80 MB. */
  const MOST_MB = 40;
  // Blank paper compresses to a thousandth.
  await backlog(16, (n) => Buffer.alloc(5 * MB, `${n}`));
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const look = (): void => {
    const used = (): number => (process.memoryUsage().arrayBuffers - before) / MB;
    // Only what is still in use counts.
    if (used() > MOST_MB) gc();
    most = Math.max(most, used());
  };
  const timer = setInterval(look, 5);
  const file = join(dir, 'office.receiptd');
  try {
    await backUp(config, file);
    await restoreLedger(join(dir, 'other'), file);
  } finally {
    clearInterval(timer);
  }
  expect((await stat(file)).size).toBeLessThan(8 * MB);
  expect(most).toBeLessThan(MOST_MB);
});
