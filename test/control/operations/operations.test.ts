import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { OperationHandlers } from '../../../src/control/operations/operations.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import type { EndpointSettings } from '../../../src/core/domain/settings.ts';
import { Holds } from '../../../src/flow/holds.ts';
import { openSpool } from '../../../src/keeper/spool/openSpool.ts';
import { admission, OFFICE, REFUSAL, seen, send, SHOP } from '../../contract/ledger/support.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { watched } from '../../intake/folder/fixture.ts';

/** Admits a document that the service then refuses. @returns its number */
async function refused(ledger: Ledger, file: ReturnType<typeof admission>): Promise<number> {
  const { document } = await ledger.admit(file);
  await send(ledger, document.id, { from: 20, at: 21, ...REFUSAL });
  return document.id;
}

/** `slow`: milliseconds that each change in the ledger takes. */
async function place({ slow = 0, endpoints = [] }: { slow?: number; endpoints?: EndpointSettings[] } = {}) {
  const dir = mkdtempSync(join(memoryDirectory(), 'receiptd-operations-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'scans'));
  const clock = new FakeClock();
  const log = new RecordedLog();
  const opened = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  const acts: string[] = [];
  const ledger: Ledger = {
    ...opened,
    recordAct: (act) => {
      acts.push(act.kind);
      return opened.recordAct(act);
    },
    retry: async (...asked) => {
      await clock.advance(slow);
      return opened.retry(...asked);
    },
    erase: async (...asked) => {
      await clock.advance(slow);
      return opened.erase(...asked);
    },
    dismiss: async (...asked) => {
      await clock.advance(slow);
      return opened.dismiss(...asked);
    },
  };
  onTestFinished(() => ledger.close());
  const spool = await openSpool({ dir: join(dir, 'spool'), limitBytes: 1_000_000 });
  const takenOver: string[] = [];
  const forgotten: string[] = [];
  const operations = new OperationHandlers({
    ledger,
    spool,
    holds: new Holds({ ledger, clock, random: Math.random, log }),
    pictures: { forget: async (sha256) => void forgotten.push(sha256) },
    baseUrl: OFFICE.baseUrl,
    endpoints,
    folders: ['/scans'],
    open: (path) => watched(join(dir, path), { archiveTo: join(dir, 'archive') }),
    clock,
    changed: async () => {},
    takeOver: async (folder) => void takenOver.push(folder),
  });
  return { ledger, spool, operations, takenOver, acts, forgotten };
}

it('the daemon erases copies of an image with its document, unless another endpoint waits for the same image', async () => {
  const { ledger, spool, operations, forgotten } = await place();
  const copies = new Map<string, string>();
  for (const content of ['a', 'b']) {
    const bytes = Buffer.from(content);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    copies.set(content, sha256);
    await spool.put(sha256, bytes);
    await refused(ledger, admission(`${content}.jpg`, content));
  }
  await ledger.admit(admission('shop/b.jpg', 'b', { endpoint: SHOP }));
  expect(await operations.erase({ names: ['doc-a', 'doc-b'] })).toEqual({
    erased: 2,
    skipped: ['doc-b'],
    there: [],
    next: null,
  });
  expect([spool.has(copies.get('a') ?? ''), spool.has(copies.get('b') ?? '')]).toEqual([false, true]);
  // Its thumbnail is always removed; it is drawn again on demand.
  expect(new Set(forgotten)).toEqual(new Set(copies.values()));
});

it('the daemon dismisses, queues and erases hundreds of documents in parts, each document once', async () => {
  const { ledger, operations, acts } = await place({ slow: 2_100 });
  const COUNT = 501;
  await Promise.all(Array.from({ length: COUNT }, (_, n) => refused(ledger, admission(`${n}.jpg`, `${n}`))));
  const before = new Date(10_000).toISOString();
  const parts = async (act: 'dismiss' | 'erase' | 'retry'): Promise<number[]> => {
    const done: number[] = [];
    for (let after: number | null = 0; after !== null;) {
      const more: { after?: number } = after === 0 ? {} : { after };
      if (act === 'dismiss') {
        const { dismissed, next } = await operations.dismiss({ all: true, ...more });
        done.push(dismissed);
        after = next;
      } else {
        const part = await (act === 'erase'
          ? operations.erase({ before, ...more })
          : operations.retry({ all: true, ...more }));
        done.push('erased' in part ? part.erased : part.queued);
        after = part.next;
      }
    }
    return done.filter((count) => count > 0);
  };
  // Two seconds each: one change of 500.
  expect(await parts('dismiss')).toEqual([500, 1]);
  expect(await parts('erase')).toEqual([COUNT]);
  expect(await parts('retry')).toEqual([500, 1]);
  expect(await ledger.counts()).toMatchObject([{ state: 'queued', count: COUNT }]);
  expect(acts).toEqual(['erase', 'retry']);
});

it('the daemon accepts a replaced folder only if a person resumes it by name', async () => {
  const { operations, takenOver } = await place();
  await operations.resume({});
  expect(takenOver).toEqual([]);
  expect(await operations.resume({ target: '/scans' })).toEqual({ targets: ['/scans'] });
  expect(takenOver).toEqual(['/scans']);
});

it('the daemon acts on many documents by number or filter, only where the act applies, and undoes a dismissal', async () => {
  const { ledger, operations, acts } = await place();
  const ids: number[] = [];
  for (let n = 0; n < 6; n += 1) {
    const file = admission(`many${n}.jpg`, `many ${n}`, { at: 10 + n });
    ids.push(n < 4 ? await refused(ledger, file) : (await ledger.admit(file)).document.id);
  }
  const many = (request: Parameters<OperationHandlers['actOnMany']>[0]) =>
    operations.actOnMany({ by: 'anna', ...request });
  const needed = async () =>
    (await ledger.page({ attention: 'needed' }, { order: 'newest', limit: 50, withinMs: 1_000 })).rows.length;
  expect(await needed()).toBe(4);
  const first = await many({ act: 'dismiss', documents: ids.slice(0, 1) });
  expect(first).toMatchObject({ count: 1, next: null });
  // Earlier dismissals are not undone.
  const all = await many({ act: 'dismiss', filter: {} });
  expect(all.done.documents).toEqual(ids.slice(1, 4));
  expect(await needed()).toBe(0);
  expect(await many({ act: 'undismiss', ...all.done })).toMatchObject({ count: 3 });
  expect(await needed()).toBe(3);
  // Waiting documents do not need it.
  expect(await many({ act: 'retry', documents: ids })).toMatchObject({ count: 4, failed: 0 });
  expect(await needed()).toBe(0);
  expect(await many({ act: 'retry', filter: { states: ['accepted'] } })).toMatchObject({
    count: 0,
    next: null,
  });
  expect(await many({ act: 'resend', documents: ids })).toMatchObject({ count: 0 });
  expect(acts).toEqual(['retry']);
  await expect(many({ act: 'retry', documents: ids, filter: {} })).rejects.toMatchObject({ code: 'USAGE' });
});

it('documents of an endpoint that is gone are moved, but not those of a configured one or of other agents', async () => {
  const shop = { alias: 'shop', key: SHOP } as EndpointSettings;
  const { ledger, operations, acts } = await place({ endpoints: [shop] });
  const own = await ledger.admit(admission('a.jpg', 'a'));
  const others = await ledger.admit(admission('b.jpg', 'b', { file: seen('b.jpg', 1, 'front:/scans') }));
  const configured = await ledger.admit(admission('c.jpg', 'c', { endpoint: SHOP }));
  const move = (endpoint: string) =>
    operations.actOnMany({ act: 'move', endpoint, filter: { endpoint: OFFICE } });
  await expect(move('nowhere')).rejects.toMatchObject({ code: 'ENDPOINT_UNKNOWN' });
  expect(await move('shop')).toMatchObject({ count: 1, next: null });
  expect(
    await operations.actOnMany({ act: 'move', endpoint: 'shop', filter: { endpoint: SHOP } }),
  ).toMatchObject({
    count: 0,
  });
  const states = [own, others, configured].map(
    async ({ document }) => (await ledger.document(document.id))?.state,
  );
  expect(await Promise.all(states)).toEqual(['failed', 'queued', 'queued']);
  expect(acts).toEqual(['move']);
});
