import { describe, expect, it } from 'vitest';
import { ACCEPTED, admission, FAILED, identity, type LedgerUse, note, seen } from './support.ts';

export function describeReports({ ledger, queued, upload, nextNames, rows, fill }: LedgerUse): void {
  describe('the account of files', () => {
    it('shows what happened to every file, including moved and deleted ones', async () => {
      const a = await queued('a', 'a', { at: 1_000 });
      const b = await queued('b', 'b', { at: 2_000 });
      await ledger.admit(admission('copy', 'a', { at: 3_000 }));
      await ledger.note(seen('note.txt'), note('rejected', { at: 3_000 }));
      await ledger.note(seen('half'), note('incomplete', { at: 3_000 }));
      await ledger.note(seen('other-half'), note('incomplete', { at: 3_000 }));
      await upload(a.id, ACCEPTED);
      await ledger.gone('/scans', ['a', 'half'], 4_000);
      const counted = async (since: number | null, until: number | null) =>
        Object.fromEntries(
          (await ledger.seenCounts(since, until)).map(({ state: of, count }) => [of, count]),
        );
      expect(await counted(null, null)).toEqual({
        accepted: 1,
        duplicate: 1,
        incomplete: 1,
        queued: 1,
        rejected: 1,
      });
      const needing = async () =>
        (await ledger.seenCounts(null, null)).flatMap(({ state: of, needsPerson, newest }) =>
          needsPerson === true ? [[of, newest]] : [],
        );
      expect((await needing()).toSorted()).toEqual([
        ['incomplete', 3_000],
        ['rejected', 3_000],
      ]);
      expect(await counted(1_000, 2_000)).toEqual({ accepted: 1 });
      expect(await counted(2_000, null)).toMatchObject({ queued: 1, rejected: 1 });
      const current = new Map<string, unknown>();
      for await (const batch of ledger.standings('/scans'))
        for (const [path, standing] of batch) current.set(path, standing);
      expect([...current.keys()].sort()).toEqual(['b', 'copy', 'note.txt', 'other-half']);
      expect(current.get('copy')).toEqual({ identity: identity(), state: 'duplicate', name: 'doc-a' });
      expect(await ledger.standing({ folder: '/scans', path: 'note.txt' })).toMatchObject({
        state: 'rejected',
        name: null,
        reason: 'WHY',
        message: 'Because.',
        policy: 'p1',
      });
      expect(await ledger.standing({ folder: '/scans', path: 'a' })).toBeNull();
      await upload(b.id, FAILED);
      expect((await needing()).toSorted()[0]).toEqual(['failed', 2_000]);
      await ledger.dismiss({ documents: [b.id], files: [] }, 'anna', 5_000);
      expect((await needing()).map(([of]) => of)).not.toContain('failed');
      expect(await ledger.standing({ folder: '/scans', path: 'b' })).toMatchObject({
        identity: identity(),
        state: 'failed',
        name: 'doc-b',
        reason: 'HTTP_422',
        message: 'Refused.',
        at: 3_000,
      });
    });

    it('counts arrivals in each folder, including duplicates and rejected files, but not existing files', async () => {
      await ledger.markWatched('/scans', [seen('old', 9)], note('skipped', { at: 1_100 }));
      await queued('a', 'a', { at: 1_200 });
      await queued('b', 'b', { at: 1_999 });
      await ledger.admit(admission('copy', 'a', { at: 2_000, file: seen('copy', 2) }));
      await ledger.note(seen('note.txt'), note('rejected', { at: 2_100 }));
      await ledger.admit(admission('till', 'till', { at: 2_100, file: seen('till', 3, '/shop') }));
      expect(await ledger.arrivals(1_000, 2_100, 500)).toEqual([
        { folder: '/scans', at: 1_000, count: 1 },
        { folder: '/scans', at: 1_500, count: 1 },
        { folder: '/scans', at: 2_000, count: 1 },
      ]);
      expect(await ledger.arrivals(2_000, 3_000, 1_000)).toEqual([
        { folder: '/scans', at: 2_000, count: 2 },
        { folder: '/shop', at: 2_000, count: 1 },
      ]);
    });
  });

  describe('reports', () => {
    it('lists the upload requests of a period', async () => {
      await fill();
      const all = await ledger.uploads(0, 10_000);
      expect(all).toEqual([{ startedAt: 2_000, finishedAt: 3_000, outcome: 'accepted', bytes: 100 }]);
      expect(await ledger.uploads(0, 2_000)).toEqual([]);
      expect(await ledger.countAccepted(2_000, 2_001)).toBe(1);
      expect(await ledger.countAccepted(0, 2_000)).toBe(0);
      expect(await ledger.uploads(2_001, 10_000)).toEqual([]);
    });

    it('finds nothing in an empty ledger', async () => {
      expect(await rows()).toEqual([]);
      expect(await ledger.find('x')).toEqual([]);
      expect(await ledger.document(1)).toBeNull();
      expect(await ledger.detail(1)).toBeNull();
      expect(await ledger.counts()).toEqual([]);
      expect(await ledger.endpoints()).toEqual([]);
      expect(await nextNames(5)).toEqual([]);
    });
  });
}
