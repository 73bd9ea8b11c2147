import { describe, expect, it } from 'vitest';
import {
  ACCEPTED,
  claim,
  FAILED,
  hashOf,
  hold,
  later,
  type LedgerUse,
  OFFICE,
  seen,
  SHOP,
} from './support.ts';

export function describeQueue({ ledger, reopen, queued, upload, claimNames, state }: LedgerUse): void {
  describe('claiming', () => {
    it('claims in order of arrival, each document once, until it is released', async () => {
      for (const content of ['a', 'b', 'c', 'd']) await queued(content, content);
      const first = await claim(ledger, 2, { now: 1 });
      expect(first.map((document) => document.name)).toEqual(['doc-a', 'doc-b']);
      expect(await claimNames(10)).toEqual(['doc-c', 'doc-d']);
      expect(await claimNames(10)).toEqual([]);
      await ledger.release([first[1]!.id]);
      expect(await claimNames(10)).toEqual(['doc-b']);
    });

    it('never gives one document to two concurrent claims', async () => {
      for (let n = 0; n < 40; n += 1) await queued(`f${n}`, `${n}`);
      const claimed = await Promise.all(Array.from({ length: 8 }, () => claimNames(7)));
      expect(claimed.flat()).toHaveLength(40);
      expect(new Set(claimed.flat()).size).toBe(40);
    });

    it('forgets claims when the process ends', async () => {
      await queued('a', 'a');
      expect(await claimNames(1)).toEqual(['doc-a']);
      await reopen();
      expect(await claimNames(1)).toEqual(['doc-a']);
    });

    it('keeps lanes and endpoints apart', async () => {
      await queued('a', 'a', { lane: 'backlog' });
      await queued('b', 'b', { endpoint: SHOP });
      expect(await claimNames(10)).toEqual([]);
      expect(await claimNames(10, { lane: 'backlog' })).toEqual(['doc-a']);
    });

    it('serves folders in turn, so that a large one starves no other', async () => {
      for (let n = 0; n < 6; n += 1) await queued(`big${n}`, `big${n}`, { file: seen(`big${n}`, n, '/big') });
      await queued('s1', 's1', { file: seen('s1', 1, '/small') });
      await queued('s2', 's2', { file: seen('s2', 2, '/small') });
      expect(await claimNames(4)).toEqual(['doc-big0', 'doc-s1', 'doc-big1', 'doc-s2']);
      expect(await claimNames(4)).toEqual(['doc-big2', 'doc-big3', 'doc-big4', 'doc-big5']);
    });

    it('serves folders in turn also when documents are claimed one by one', async () => {
      for (const folder of ['/a', '/b', '/c']) {
        for (const n of [1, 2]) await queued('x', `${folder}${n}`, { file: seen(`${n}`, n, folder) });
      }
      const order: string[] = [];
      for (let n = 0; n < 6; n += 1) order.push(...(await claimNames(1)));
      expect(order).toEqual(['doc-/a1', 'doc-/b1', 'doc-/c1', 'doc-/a2', 'doc-/b2', 'doc-/c2']);
    });

    it('leaves out paused folders', async () => {
      await queued('a', 'a');
      await queued('b', 'b', { file: seen('b', 1, '/other') });
      expect(await claimNames(10, { exceptFolders: ['/scans', '/unknown'] })).toEqual(['doc-b']);
      expect(await claimNames(10)).toEqual(['doc-a']);
    });

    it('skips documents that are not due, and reports when the next one is', async () => {
      const a = await queued('a', 'a');
      await queued('b', 'b');
      expect(await ledger.nextDue(OFFICE, 0)).toBeNull();
      expect(await claimNames(1)).toEqual(['doc-a']);
      await ledger.postpone(a.id, 9_000, 'LOCKED', 'In use.', 2_000);
      expect(await state(a.id)).toMatchObject({ state: 'queued', notBefore: 9_000, reason: 'LOCKED' });
      await reopen();
      expect(await ledger.nextDue(OFFICE, 5_000)).toBe(9_000);
      expect(await ledger.nextDue(OFFICE, 9_000)).toBeNull();
      expect(await ledger.nextDue(SHOP, 0)).toBeNull();
      expect(await claimNames(10, { now: 8_999 })).toEqual(['doc-b']);
      await reopen();
      expect((await claimNames(10, { now: 9_000 })).toSorted()).toEqual(['doc-a', 'doc-b']);
    });
  });

  describe('the backlog', () => {
    it('takes documents that are no longer fresh, in their order', async () => {
      await queued('a', 'a', { at: 1_000 });
      await queued('b', 'b', { at: 2_000 });
      await queued('c', 'c', { at: 3_000 });
      const query = { freshSince: 2_500, now: 9_000 };
      expect(await claimNames(10, query)).toEqual(['doc-c']);
      expect(await claimNames(10, { ...query, lane: 'backlog' })).toEqual(['doc-a', 'doc-b']);
    });

    it('takes hundreds of documents that are no longer fresh', async () => {
      const many = Array.from({ length: 450 }, (_, n) => n);
      await Promise.all(many.map((n) => queued(`${n}`, `${n}`, { at: 1_000 + n })));
      for (let round = 0; round < 5; round += 1) await claimNames(0, { freshSince: 5_000 });
      expect(await claimNames(1, { freshSince: 5_000 })).toEqual([]);
      expect(await claimNames(450, { lane: 'backlog', freshSince: 5_000 })).toHaveLength(450);
    });

    it('never waits longer than the longest back-off, even if the clock jumps', async () => {
      const { id } = await queued('a', 'a');
      await ledger.postpone(id, 90_000_000, 'R', 'm', 1);
      expect(await claimNames(1, { now: 89_000_000 })).toEqual([]);
      expect(await claimNames(1, { now: 5_000 })).toEqual(['doc-a']);
    });

    it('is listed by number, both queued and uploading', async () => {
      const a = await queued('a', 'a');
      const b = await queued('b', 'b');
      const c = await queued('c', 'c');
      await upload(a.id, ACCEPTED);
      await ledger.begin(b.id, 2_000, 10);
      expect((await ledger.waiting(0, 10)).map(({ name }) => name)).toEqual(['doc-b', 'doc-c']);
      expect((await ledger.waiting(b.id, 1)).map(({ id }) => id)).toEqual([c.id]);
    });

    it('needs its bytes until every endpoint has them or the failure is old', async () => {
      const a = await queued('a', 'a');
      const other = await queued('x', 'a', { endpoint: SHOP });
      const b = await queued('b', 'b');
      const c = await queued('c', 'c');
      await upload(a.id, ACCEPTED);
      await upload(b.id, FAILED, 'refused');
      const hashes = ['a', 'b', 'c', 'none'].map(hashOf);
      const wanted = async (failedSince: number) => [...(await ledger.wanted(hashes, failedSince))].sort();
      expect(await wanted(0)).toEqual([hashOf('a'), hashOf('b'), hashOf('c')].sort());
      await upload(other.id, ACCEPTED);
      await ledger.markLost(c.id, 'Gone.', 4_000);
      expect(await wanted(0)).toEqual([hashOf('b'), hashOf('c')].sort());
      expect(await wanted(3_001)).toEqual([hashOf('c')]);
    });
  });

  it('accepts fractional milliseconds, which back-off with jitter produces', async () => {
    const a = await queued('a', 'a');
    const b = await queued('b', 'b');
    await ledger.postpone(a.id, 6_000.25, 'R', 'm', 1);
    await upload(b.id, later(6_000.75), 'trouble');
    await ledger.putHold(hold({ scope: 'service', key: 'k', until: 6_000.5 }));
    expect([(await state(a.id)).notBefore, (await state(b.id)).notBefore]).toEqual([6_001, 6_001]);
    expect(await claimNames(10, { now: 6_000 })).toEqual([]);
    expect(await claimNames(10, { now: 6_001 })).toEqual(['doc-a', 'doc-b']);
    expect(await ledger.holds()).toMatchObject([{ until: 6_001 }]);
  });
}
