/** The part of the queue that is in memory, over a ledger that the test holds still. */
import { describe, expect, it } from 'vitest';
import type { Document, Lane } from '../../src/core/domain/document.ts';
import { FRESH } from '../../src/core/messages.ts';
import type { HeadsWanted, LedgerQueue, QueueHead } from '../../src/core/ports/ledgerQueue.ts';
import { Queue } from '../../src/flow/queue.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { OFFICE, UNLIMITED } from './sending.ts';

const MINUTE_MS = 60_000;

/** A queue, and the ledger under it: what is queued there, until it is sent. */
function queueOver(fleet: { isTurn: () => boolean; running: number } | null = null) {
  const clock = new FakeClock();
  const queued = new Map<number, Document>();
  const reads: HeadsWanted[] = [];
  /** Awaited once a read has found what it found. */
  const held = { until: Promise.resolve() };
  const paused: string[] = [];
  const sending = new Set<number>();

  const ledger: Pick<LedgerQueue, 'heads' | 'nextDue'> = {
    async heads(wanted) {
      const { now, latest, priority, createdSince = -Infinity, createdBefore = Infinity } = wanted;
      reads.push(wanted);
      const found = [...queued.values()].filter(
        ({ lane, notBefore, createdAt, folder }) =>
          lane === (priority === FRESH ? 'fresh' : 'backlog') &&
          (notBefore <= now || notBefore > latest) &&
          createdAt >= createdSince &&
          createdAt < createdBefore &&
          wanted.exceptFolders?.includes(folder) !== true,
      );
      const heads = [...new Set(found.map(({ folder }) => folder))].sort().map((folder): QueueHead => {
        const own = found.filter((document) => document.folder === folder).sort((a, b) => a.id - b.id);
        return { folder, documents: own.slice(0, wanted.limit) };
      });
      await held.until;
      return heads;
    },
    async nextDue(_endpoint, now) {
      const later = [...queued.values()].map(({ notBefore }) => notBefore).filter((due) => due > now);
      return later.length === 0 ? null : Math.min(...later);
    },
  };
  const queue = new Queue(
    { key: OFFICE, alias: 'office', limits: UNLIMITED },
    {
      ledger,
      fleet,
      clock,
      pausedFolders: () => paused,
      isUnderWay: (id) => sending.has(id),
      underWay: () => sending.size,
    },
  );

  /** Queues a document in the ledger alone. */
  function put(id: number, more: { folder?: string; lane?: Lane; due?: number; createdAt?: number } = {}) {
    const { folder = '/a', lane = 'fresh', due = 0, createdAt = clock.now() } = more;
    // The rest of a document does not matter here.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const document = { id, endpoint: OFFICE, folder, lane, notBefore: due, createdAt } as Document;
    queued.set(id, document);
    return document;
  }
  const admit = (...args: Parameters<typeof put>): void => queue.offer(put(...args));

  /** Sends up to `count` documents, and reads whenever that is needed. */
  async function send(count: number): Promise<number[]> {
    const sent: number[] = [];
    while (sent.length < count) {
      if (queue.needsLook()) await queue.look();
      const { next } = queue;
      if (next === undefined) break;
      queue.take();
      queued.delete(next.id);
      sent.push(next.id);
    }
    return sent;
  }

  return { clock, queue, queued, reads, held, paused, sending, put, admit, send };
}

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

describe('the queue in memory', () => {
  it('does not read back what is admitted while everything that is due is here', async () => {
    const { reads, admit, send } = queueOver();
    expect(await send(1)).toEqual([]);
    const before = reads.length;
    for (const id of upTo(20)) admit(id);
    expect(await send(99)).toEqual(upTo(20));
    expect(reads).toHaveLength(before);
  });

  it('sends all of more documents than it keeps, each once and in their order', async () => {
    const { admit, send } = queueOver();
    await send(1);
    for (const id of upTo(1_300)) admit(id, { lane: 'backlog' });
    expect(await send(9_999)).toEqual(upTo(1_300));
  });

  it('forgets no document that is admitted while the ledger is asked, whether the answer has it or not', async () => {
    for (const isInAnswer of [true, false]) {
      const { queue, held, put, admit, send } = queueOver();
      put(1);
      let answer = (): void => {};
      held.until = new Promise((resolve) => (answer = resolve));
      if (isInAnswer) admit(2);
      const looking = queue.look();
      if (isInAnswer) queue.offer(put(2));
      else admit(2);
      answer();
      await looking;
      expect(await send(9)).toEqual([1, 2]);
    }
  });

  it('knows that more may be queued after something came while the ledger was asked', async () => {
    const { clock, queue, held, admit, send } = queueOver();
    let answer = (): void => {};
    held.until = new Promise((resolve) => (answer = resolve));
    const looking = queue.look();
    admit(1);
    answer();
    await looking;
    expect(queue.lookAgainIn(clock.monotonic())).toBe(0);
    expect(await send(9)).toEqual([1]);
    expect(queue.lookAgainIn(clock.monotonic())).toBe(null);
  });

  it('sends what falls due although others never stop coming', async () => {
    const { clock, put, admit, send } = queueOver();
    put(1_000, { due: clock.now() + 5_000 });
    await send(1);
    const sent: number[] = [];
    admit(1);
    for (const id of upTo(30, 2)) {
      await clock.advance(1_000);
      admit(id);
      sent.push(...(await send(1)));
    }
    expect(sent).toContain(1_000);
    expect(sent.indexOf(1_000)).toBeLessThan(10);
  });

  it('gives each folder its turn, however often it reads them again', async () => {
    const { queue, put, send } = queueOver();
    for (const folder of ['/a', '/b', '/c'])
      for (const n of upTo(10)) put(folder.charCodeAt(1) * 100 + n, { folder });
    const folders: string[] = [];
    for (let n = 0; n < 9; n += 1) {
      const [id = 0] = await send(1);
      folders.push(String.fromCharCode(Math.floor(id / 100)));
      queue.forget();
    }
    expect(folders.join('')).toBe('abcabcabc');
  });

  it('gives a folder its turn that had nothing when the others were read, although much of them is here', async () => {
    for (const lane of ['fresh', 'backlog'] as const) {
      const { reads, put, admit, send } = queueOver();
      for (const id of upTo(500)) put(id, { lane });
      expect(await send(3)).toEqual([1, 2, 3]);
      const before = reads.length;
      for (const id of upTo(1_010, 1_001)) admit(id, { lane, folder: '/b' });
      expect(await send(4)).toEqual([4, 1_001, 5, 1_002]);
      expect(reads.length - before).toBeLessThan(5);
      expect(await send(9_999)).toHaveLength(503);
    }
  });

  it('does not read again for what comes in a paused folder', async () => {
    const { reads, paused, put, admit, send } = queueOver();
    for (const id of upTo(200)) put(id, { lane: 'backlog' });
    paused.push('/b');
    await send(1);
    const before = reads.length;
    for (const id of upTo(1_050, 1_001)) {
      admit(id, { lane: 'backlog', folder: '/b' });
      await send(1);
    }
    expect(reads).toHaveLength(before);
  });

  it('sends fresh scans before a backlog that is too long for memory, and reads them back once at most', async () => {
    const { reads, put, admit, send } = queueOver();
    for (const id of upTo(1_000)) put(id, { lane: 'backlog' });
    expect(await send(10)).toEqual(upTo(10));
    admit(2_000);
    expect(await send(2)).toEqual([2_000, 11]);
    // More backlog is no reason to look for fresh scans.
    const before = reads.length;
    for (const id of upTo(1_100, 1_001)) admit(id, { lane: 'backlog' });
    expect(await send(5)).toEqual(upTo(16, 12));
    expect(reads).toHaveLength(before);
  });

  it('sends scans that waited longer than a minute as backlog, each once', async () => {
    const { clock, put, admit, send } = queueOver();
    put(1, { lane: 'backlog' });
    await send(0);
    await clock.advance(1);
    for (const id of upTo(4, 2)) admit(id);
    await clock.advance(2 * MINUTE_MS);
    admit(5);
    expect(await send(9)).toEqual([5, 1, 2, 3, 4]);
  });

  it('takes an image that was scanned long before it was admitted as backlog, without reading again for each', async () => {
    const { clock, reads, put, admit, send } = queueOver();
    put(1, { lane: 'backlog' });
    expect(await send(9)).toEqual([1]);
    const before = reads.length;
    const createdAt = clock.now() - 10 * MINUTE_MS;
    const sent: number[] = [];
    for (const id of upTo(40, 2)) {
      admit(id, { createdAt });
      if (id % 10 === 0) sent.push(...(await send(9)));
    }
    sent.push(...(await send(99)));
    expect(sent).toEqual(upTo(40, 2));
    expect(reads).toHaveLength(before);
  });

  it('takes the documents of other agents only when its own are gone', async () => {
    const { queue, put, send } = queueOver({ running: 2, isTurn: () => false });
    for (const id of upTo(3)) put(id);
    expect(await send(9)).toEqual([1, 2, 3]);
    queue.offer(put(4));
    expect(await send(9)).toEqual([4]);
  });
});
