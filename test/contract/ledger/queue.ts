import { describe, expect, it } from 'vitest';
import { ACCEPTED, FAILED, hashOf, hold, later, type LedgerUse, OFFICE, seen, SHOP } from './support.ts';
import { begin } from '../../support/uploads.ts';

export function describeQueue({ ledger, reopen, queued, upload, nextNames, state }: LedgerUse): void {
  describe('what is next', () => {
    it('lists in order of arrival', async () => {
      for (const content of ['a', 'b', 'c', 'd']) await queued(content, content);
      expect(await nextNames(2, { now: 1 })).toEqual(['doc-a', 'doc-b']);
      expect(await nextNames(10)).toEqual(['doc-a', 'doc-b', 'doc-c', 'doc-d']);
    });

    it('keeps lanes and endpoints apart', async () => {
      await queued('a', 'a', { lane: 'backlog' });
      await queued('b', 'b', { endpoint: SHOP });
      expect(await nextNames(10)).toEqual([]);
      expect(await nextNames(10, { lane: 'backlog' })).toEqual(['doc-a']);
    });

    it('leaves out paused folders', async () => {
      await queued('a', 'a');
      await queued('b', 'b', { file: seen('b', 1, '/other') });
      expect(await nextNames(10, { exceptFolders: ['/scans', '/unknown'] })).toEqual(['doc-b']);
      expect((await nextNames(10)).toSorted()).toEqual(['doc-a', 'doc-b']);
    });

    it('skips documents that are not due, and reports when the next one is', async () => {
      const a = await queued('a', 'a');
      await queued('b', 'b');
      expect(await ledger.nextDue(OFFICE, 5_000)).toBeNull();
      expect(await nextNames(1)).toEqual(['doc-a']);
      await ledger.postpone(a.id, 9_000, 'LOCKED', 'In use.', 2_000);
      expect(await state(a.id)).toMatchObject({ state: 'queued', notBefore: 9_000, reason: 'LOCKED' });
      await reopen();
      expect(await ledger.nextDue(OFFICE, 5_000)).toBe(9_000);
      expect(await ledger.nextDue(OFFICE, 9_000)).toBeNull();
      expect(await ledger.nextDue(SHOP, 0)).toBeNull();
      expect(await nextNames(10, { now: 8_999 })).toEqual(['doc-b']);
      await reopen();
      expect((await nextNames(10, { now: 9_000 })).toSorted()).toEqual(['doc-a', 'doc-b']);
    });
  });

  describe('the backlog', () => {
    it('takes documents that are no longer fresh, in their order', async () => {
      await queued('a', 'a', { at: 1_000 });
      await queued('b', 'b', { at: 2_000 });
      await queued('c', 'c', { at: 3_000 });
      const query = { freshSince: 2_500, now: 9_000 };
      expect(await nextNames(10, query)).toEqual(['doc-c']);
      expect(await nextNames(10, { ...query, lane: 'backlog' })).toEqual(['doc-a', 'doc-b']);
    });

    it('names the time of a document that was queued again while the clock was ahead', async () => {
      const { id } = await queued('a', 'a', { at: 1_000 });
      await ledger.postpone(id, 50_000, 'R', 'm', 50_000);
      expect(await nextNames(1, { now: 10_000 })).toEqual([]);
      expect(await ledger.nextDue(OFFICE, 10_000)).toBe(50_000);
      expect(await nextNames(1, { now: 50_000 })).toEqual(['doc-a']);
    });

    it('never waits longer than the longest back-off, even if the clock jumps', async () => {
      const { id } = await queued('a', 'a');
      await ledger.postpone(id, 90_000_000, 'R', 'm', 1);
      expect(await nextNames(1, { now: 89_000_000 })).toEqual([]);
      expect(await nextNames(1, { now: 5_000 })).toEqual(['doc-a']);
    });

    it('is listed by number, both queued and uploading', async () => {
      const a = await queued('a', 'a');
      const b = await queued('b', 'b');
      const c = await queued('c', 'c');
      await upload(a.id, ACCEPTED);
      await begin(ledger, b.id, 2_000, 10);
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
    expect(await nextNames(10, { now: 6_000 })).toEqual([]);
    expect(await nextNames(10, { now: 6_001 })).toEqual(['doc-a', 'doc-b']);
    expect(await ledger.holds()).toMatchObject([{ until: 6_001 }]);
  });
}
