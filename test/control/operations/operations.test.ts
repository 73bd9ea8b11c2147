import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Operations } from '../../../src/control/operations/operations.ts';
import { createWatchedFolder } from '../../../src/intake/folder/watchedFolder.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/open.ts';
import { Holds } from '../../../src/delivery/holds/holds.ts';
import { openSpool } from '../../../src/delivery/spool/openSpool.ts';
import { admission, OFFICE, SHOP } from '../../contract/ledger.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';

const FAILED = { state: 'failed', reason: 'HTTP_422', message: 'No.' } as const;

async function place() {
  const dir = mkdtempSync(join(tmpdir(), 'receiptd-operations-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'scans'));
  const clock = new FakeClock();
  const log = new RecordedLog();
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => ledger.close());
  const spool = await openSpool({ dir: join(dir, 'spool'), limitBytes: 1_000_000 });
  const takenOver: string[] = [];
  const operations = new Operations({
    ledger,
    spool,
    holds: new Holds({ ledger, clock, random: Math.random, log }),
    baseUrl: OFFICE.baseUrl,
    endpoints: [],
    folders: ['/scans'],
    open: (path) =>
      createWatchedFolder({
        path: join(dir, path),
        recursive: true,
        include: [],
        ignore: [],
        exclude: [],
        archiveTo: join(dir, 'archive'),
        random: Math.random,
      }),
    clock,
    changed: async () => {},
    takeOver: async (folder) => void takenOver.push(folder),
  });
  return { ledger, spool, operations, takenOver };
}

it('erases copies of an image with its document, unless another endpoint waits for the same image', async () => {
  const { ledger, spool, operations } = await place();
  const copies = new Map<string, string>();
  for (const content of ['a', 'b']) {
    const bytes = Buffer.from(content);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    copies.set(content, sha256);
    await spool.put(sha256, bytes);
    const { document } = await ledger.admit(admission(`${content}.jpg`, content));
    const result = { at: 1, outcome: 'refused', httpStatus: 422, message: null, transition: FAILED } as const;
    await ledger.finish(await ledger.begin(document.id, 1, 1), result);
  }
  await ledger.admit(admission('shop/b.jpg', 'b', { endpoint: SHOP }));
  expect(await operations.erase({ names: ['doc-a', 'doc-b'] })).toEqual({
    erased: 2,
    skipped: ['doc-b'],
    there: [],
  });
  expect([spool.has(copies.get('a') ?? ''), spool.has(copies.get('b') ?? '')]).toEqual([false, true]);
});

it('takes a folder over as it is when a person resumes it by name, and only then', async () => {
  const { operations, takenOver } = await place();
  await operations.resume({});
  expect(takenOver).toEqual([]);
  expect(await operations.resume({ target: '/scans' })).toEqual({ targets: ['/scans'] });
  expect(takenOver).toEqual(['/scans']);
});
