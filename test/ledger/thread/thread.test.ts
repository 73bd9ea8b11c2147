import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { openSqliteReports } from '../../../src/ledger/sqlite/openReports.ts';
import { WriterLink } from '../../../src/ledger/thread/link.ts';
import { openSqliteLedgerBeside } from '../../../src/ledger/open.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { admission, hashOf, OFFICE, seen } from '../../contract/ledger/support.ts';
import { compile } from '../../support/scripts.ts';
import { clock, createPlace } from '../sqlite/place.ts';
import { ledgerThread } from './place.ts';
import { begin } from '../../support/uploads.ts';

const PAGE = 4_096;

let place: Awaited<ReturnType<typeof createPlace>>;
let program: string;

beforeEach(async () => {
  [place, program] = await Promise.all([createPlace(), ledgerThread()]);
});
afterEach(() => place.remove());

async function open(more: Partial<Parameters<typeof openSqliteLedgerBeside>[0]> = {}): Promise<Ledger> {
  const ledger = await openSqliteLedgerBeside({ path: place.path, clock, thread: program, ...more });
  // Fails if the test has ended the thread.
  onTestFinished(() => ledger.close().catch(() => {}));
  return ledger;
}

/** The thread, in which each sync of the journal does `instead` while a file named `switch` exists beside the ledger. */
async function threadWith(instead: string): Promise<string> {
  const own = path.join(place.dir, 'thread.mjs');
  const serve = (await compile('ledger/thread/serve.ts')).url;
  fs.writeFileSync(
    own,
    `import fs from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { serveLedger } from ${JSON.stringify(serve)};
const sync = fs.fdatasyncSync;
fs.fdatasyncSync = (fd) => {
  if (!fs.existsSync(${JSON.stringify(path.join(place.dir, 'switch'))})) return sync(fd);
  ${instead}
};
const soon = { now: () => Date.now(), monotonic: () => performance.now(),
  sleep: (ms, signal) => new Promise((done, fail) => {
    const timer = setTimeout(done, 5);
    signal?.addEventListener('abort', () => { clearTimeout(timer); fail(signal.reason); });
  }) };
serveLedger(parentPort, soon);
`,
  );
  return own;
}

function turnOn(): void {
  fs.writeFileSync(path.join(place.dir, 'switch'), '');
}

function turnOff(): void {
  fs.rmSync(path.join(place.dir, 'switch'));
}

async function refusal(promise: Promise<unknown>): Promise<ReceiptdError> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof ReceiptdError) return error;
  return expect.fail(`not refused: ${String(error)}`);
}

describe('a ledger in a thread', () => {
  it('shows what was written as soon as its promise resolves, and reports how long each commit waited for the disk', async () => {
    const synced: number[] = [];
    const ledger = await open({ onSynced: (ms) => synced.push(ms) });
    await ledger.admit(admission('a', 'a'));
    expect(synced).toEqual([expect.any(Number)]);
    expect(synced[0]).toBeGreaterThan(0);
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let n = 0; n < 40; n += 1) {
          const content = `${worker} ${n}`;
          const { document } = await ledger.admit(admission(content, content));
          expect(await ledger.document(document.id)).toMatchObject({ state: 'queued' });
          expect(await ledger.known(seen(content))).toMatchObject({ verdict: 'document' });
          const attempt = await begin(ledger, document.id, 2_000, 1);
          expect(await ledger.detail(document.id)).toMatchObject({ attempts: [{ id: attempt }] });
        }
      }),
    );
  });

  it('leaves everything in one file when it is closed, and marks it as sound', async () => {
    const ledger = await open();
    await ledger.admit(admission('a', 'a'));
    await Promise.all([ledger.close(), ledger.close()]);
    expect(fs.existsSync(`${place.path}.sound`)).toBe(true);
    const copy = path.join(place.dir, 'copy.db');
    fs.copyFileSync(place.path, copy);
    const reports = await openSqliteReports({ path: copy });
    expect(await reports.bySha256(OFFICE, hashOf('a'))).toMatchObject({ name: 'doc-a' });
    await reports.close();
    expect(await refusal(ledger.admit(admission('b', 'b')))).toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
    expect(ledger.storage.trouble()).toBeNull();
  });

  it('is not marked as sound if a check found damage', async () => {
    const checkerPath = path.join(place.dir, 'checker.mjs');
    fs.writeFileSync(checkerPath, "process.stdout.write('page 7 is torn');");
    const ledger = await open({ checkerPath });
    expect(await ledger.check()).toBe('page 7 is torn');
    await ledger.close();
    expect(fs.readdirSync(place.dir)).not.toContain('ledger.db.sound');
  });

  it('reports repairs and the reason of a refusal when it is opened, like a ledger without a thread', async () => {
    const first = await open();
    await first.admit(admission('a', 'a'));
    await first.close();
    fs.truncateSync(place.path, PAGE);
    const stories: string[] = [];
    const ledger = await open({ onMended: (story) => stories.push(story) });
    expect(stories).toEqual([expect.stringContaining('"ledgerRebuilt"')]);
    expect(await ledger.bySha256(OFFICE, hashOf('a'))).toMatchObject({ name: 'doc-a' });
    const nowhere = path.join(place.dir, 'not', 'there', 'ledger.db');
    expect(await refusal(open({ path: nowhere }))).toMatchObject({ code: 'STATE_UNWRITABLE' });
    const lacking = await refusal(open({ thread: path.join(place.dir, 'lacking.js') }));
    expect(lacking).toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
    expect(lacking.message).toContain('lacking.js');
    // Started before the path of the ledger is known.
    const early = new WriterLink(path.join(place.dir, 'lacking.js'));
    await expect.poll(() => early.storage.trouble()?.message).toContain('lacking.js');
    const late = await refusal(open({ thread: early }));
    expect([late.code, late.message]).toEqual(['LEDGER_WRITE_FAILED', expect.stringContaining(place.path)]);
  });
});

describe('trouble in the thread', () => {
  const NO_SPACE = "throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', errno: -28 });";

  it('is reported before a write is rejected because of it, and again when it ends', async () => {
    const ledger = await open({ thread: await threadWith(NO_SPACE) });
    const changes: (string | undefined)[] = [];
    ledger.storage.onChange(() => changes.push(ledger.storage.trouble()?.code));
    await ledger.admit(admission('a', 'a'));
    turnOn();
    const seenAt: unknown[] = [];
    const rejected = await Promise.allSettled(
      ['b', 'c'].map((content) =>
        ledger.admit(admission(content, content)).catch((error: unknown) => {
          seenAt.push([...changes], ledger.storage.trouble()?.code);
          throw error;
        }),
      ),
    );
    expect(rejected).toMatchObject(
      ['b', 'c'].map(() => ({ status: 'rejected', reason: { code: 'DISK_FULL' } })),
    );
    expect(seenAt).toEqual([['DISK_FULL'], 'DISK_FULL', ['DISK_FULL'], 'DISK_FULL']);
    expect(await ledger.counts()).toMatchObject([{ count: 1 }]);
    turnOff();
    await expect.poll(() => ledger.storage.trouble()).toBeNull();
    expect(changes).toEqual(['DISK_FULL', undefined]);
    expect(await ledger.admit(admission('b', 'b'))).toMatchObject({ kind: 'queued' });
  });

  it('releases the reserve for operations in progress', async () => {
    const reserve = { path: path.join(place.dir, 'reserve'), bytes: 4_096 };
    const ledger = await open({ reserve });
    expect(fs.statSync(reserve.path).size).toBe(reserve.bytes);
    await ledger.close();
    fs.rmSync(reserve.path);
    const full = await open({ reserve, thread: await threadWith(NO_SPACE) });
    turnOn();
    expect((await refusal(full.recordAct({ at: 1, kind: 'pause', by: 'ann', detail: '' }))).code).toBe(
      'DISK_FULL',
    );
    await expect.poll(() => fs.existsSync(reserve.path)).toBe(false);
    turnOff();
    await expect.poll(() => full.storage.trouble()).toBeNull();
    await expect.poll(() => fs.existsSync(reserve.path)).toBe(true);
  });

  it('is also reported if a read finds damage, and nothing is written from then on', async () => {
    const ledger = await open();
    await Promise.all(Array.from({ length: 300 }, (_, n) => ledger.admit(admission(`f${n}`, `${n}`))));
    await ledger.close();
    const again = await open();
    const junk = Buffer.alloc(fs.statSync(place.path).size - PAGE, 'x');
    const file = fs.openSync(place.path, 'r+');
    fs.writeSync(file, junk, 0, junk.length, PAGE);
    fs.closeSync(file);
    const told: (string | undefined)[] = [];
    const error = await again.find('doc-7').catch((reason: unknown) => {
      told.push(again.storage.trouble()?.code);
      return reason;
    });
    expect(error).toMatchObject({ code: 'LEDGER_DAMAGED' });
    expect(told).toEqual(['LEDGER_DAMAGED']);
    expect(fs.existsSync(`${place.path}.damaged`)).toBe(true);
    expect(await refusal(again.admit(admission('b', 'b')))).toMatchObject({ code: 'LEDGER_DAMAGED' });
    expect(again.storage.trouble()).toMatchObject({ isForGood: true });
    await again.close();
    // The next start repairs the ledger, and the process is not ended to repair it once more.
    const mended: string[] = [];
    const next = await open({ onMended: (story) => mended.push(story) });
    expect(mended).toEqual([expect.stringContaining('"ledgerRebuilt"')]);
    fs.writeFileSync(place.path, junk);
    await next.find('doc-7').catch(() => null);
    expect(next.storage.trouble()).toMatchObject({ code: 'LEDGER_DAMAGED' });
    expect(next.storage.trouble()?.isForGood).toBeUndefined();
  });

  it('rejects both the last request and the close if it occurs at the end', async () => {
    const ledger = await open({ thread: await threadWith('process.exit(1);') });
    turnOn();
    const act = refusal(ledger.recordAct({ at: 1, kind: 'pause', by: 'ann', detail: '' }));
    expect((await refusal(ledger.close())).message).toContain('its thread has ended');
    expect((await act).code).toBe('LEDGER_WRITE_FAILED');
  });

  it.each([
    ['ends', 'process.exit(1);', 'rejected', 'its thread has ended.'],
    [
      'fails',
      "setImmediate(() => { throw new Error('out of order.'); });",
      'fulfilled',
      'its thread has ended: out of order.',
    ],
  ])(
    'is permanent if the thread %s by itself: no request waits for it, and all are refused',
    async (_, end, status, words) => {
      const ledger = await open({ thread: await threadWith(end) });
      await ledger.admit(admission('a', 'a'));
      let changes = 0;
      ledger.storage.onChange(() => (changes += 1));
      turnOn();
      const act = { at: 1, kind: 'pause', by: 'ann', detail: '' } as const;
      const during = await Promise.allSettled([ledger.recordAct(act), ledger.recordAct(act)]);
      expect(during.map((each) => each.status)).toEqual([status, status]);
      await expect.poll(() => ledger.storage.trouble()?.message).toContain(words);
      expect(ledger.storage.trouble()).toMatchObject({
        code: 'LEDGER_WRITE_FAILED',
        hint: expect.stringContaining('restarts it'),
        isForGood: true,
      });
      expect(changes).toBe(1);
      const error = await refusal(ledger.admit(admission('b', 'b')));
      expect([error.code, error.message]).toEqual(['LEDGER_WRITE_FAILED', ledger.storage.trouble()?.message]);
      // Recorded documents can still be read.
      expect(await ledger.bySha256(OFFICE, hashOf('a'))).toMatchObject({ name: 'doc-a' });
      expect((await refusal(ledger.close())).message).toContain(words);
      turnOff();
      expect(await (await open()).bySha256(OFFICE, hashOf('a'))).toMatchObject({ name: 'doc-a' });
    },
  );
});

it('a ledger in a thread states how long it has not answered', async () => {
  const hang = `while (fs.existsSync(${JSON.stringify(path.join(place.dir, 'switch'))})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);`;
  const ledger = await open({ thread: await threadWith(`${hang}\n  return sync(fd);`) });
  expect(ledger.storage.silentMs?.()).toBe(0);
  turnOn();
  const act = ledger.recordAct({ at: 1, kind: 'pause', by: 'ann', detail: '' });
  await expect.poll(() => ledger.storage.silentMs?.()).toBeGreaterThan(200);
  turnOff();
  await act;
  expect(ledger.storage.silentMs?.()).toBe(0);
});

describe('the process', () => {
  /** Runs a process that must end by itself. @returns its output */
  async function run(work: string): Promise<string> {
    const { url } = await compile('ledger/open.ts');
    const script = path.join(place.dir, 'script.mjs');
    fs.writeFileSync(
      script,
      `import { openSqliteLedgerBeside } from ${JSON.stringify(url)};
const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: async () => {} };
const [path, program] = ${JSON.stringify([place.path, program])};
const ledger = await openSqliteLedgerBeside({ path, clock, thread: program });
const act = { at: 1, kind: 'pause', by: 'ann', detail: '' };
${work}`,
    );
    return (await promisify(execFile)(process.execPath, [script], { timeout: 60_000 })).stdout;
  }

  it('stays alive while a request is pending, and no longer', async () => {
    expect(await run("void ledger.recordAct(act).then(() => console.log('recorded'));")).toBe('recorded\n');
  });

  it('ends once the ledger is closed and everything requested is done', async () => {
    const work = `void ledger.recordAct(act).then(() => console.log('recorded'));
void ledger.close().then(() => console.log('closed'));`;
    expect(await run(work)).toBe('recorded\nclosed\n');
    expect(fs.existsSync(`${place.path}.sound`)).toBe(true);
  });
});
