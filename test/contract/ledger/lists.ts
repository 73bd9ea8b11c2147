// Reports show paths as the platform writes them.
import { normalize as native } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ACCEPTED, admission, hashOf, hold, type LedgerUse, note, OFFICE, seen } from './support.ts';

export function describeLists({ ledger, reopen, queued, upload, rows, inPages, fill }: LedgerUse): void {
  describe('lists and pages', () => {
    it('lists documents and other files in order of creation', async () => {
      await fill();
      const all = await rows();
      expect(all.map((row) => [row.path, row.state])).toEqual([
        [native('/scans/old.jpg'), 'skipped'],
        [native('/scans/a'), 'accepted'],
        [native('/scans/sub/b'), 'queued'],
        [native('/scans/bad.txt'), 'rejected'],
        [native('/scans/copy-of-a'), 'duplicate'],
        [native('/other/c'), 'queued'],
        [native('/scans/half.jpg'), 'incomplete'],
      ]);
      expect(all[1]).toEqual({
        name: 'doc-a',
        endpointUid: 'office',
        baseUrl: OFFICE.baseUrl,
        sha256: hashOf('a'),
        state: 'accepted',
        status: 'PROCESSING',
        path: native('/scans/a'),
        attempts: 1,
        documentId: expect.any(Number),
        type: 'jpeg',
        size: 101,
        reason: null,
        message: null,
        answerLost: false,
        needsPerson: false,
        dismissedBy: null,
        dismissedAt: null,
        fileId: null,
        archivedTo: null,
        posted: [],
        sentAt: '1970-01-01T00:00:02.000Z',
        acceptedAt: '1970-01-01T00:00:03.000Z',
        createdAt: '1970-01-01T00:00:00.010Z',
        updatedAt: '1970-01-01T00:00:03.000Z',
        notBefore: null,
      });
      expect(all[3]).toMatchObject({ name: null, endpointUid: null, reason: 'WHY', message: 'Because.' });
      await reopen();
      expect(await rows()).toEqual(all);
    });

    it('finds by the words of the service, and not by the codes that they are stored with', async () => {
      const message = JSON.stringify({
        is: 'refused',
        words: 'Kein Beleg',
        error: { code: 'X', params: {} },
      });
      await ledger.note(seen('b.txt'), note('rejected', { message }));
      const count = async (search: string) => {
        const tally = await ledger.tally({ search }, { withinMs: 60_000 });
        return [(await rows({ search })).length, tally.rows.reduce((sum, row) => sum + row.count, 0)];
      };
      expect(await count('kein beleg')).toEqual([1, 1]);
      for (const search of ['refused', 'words', 'params', 'is'])
        expect(await count(search), search).toEqual([0, 0]);
    });

    it('finds held documents by the word "held" and by the text of the hold', async () => {
      await fill();
      const pause = { reason: 'PAUSED', message: 'Wird geprüft.' };
      await ledger.putHold(hold({ scope: 'folder', key: '/other', ...pause }));
      const paths = async (search: string) => (await rows({ search })).map(({ path }) => path);
      expect(await paths('HELD')).toEqual([native('/other/c')]);
      expect(await paths('held gepruft other')).toEqual([native('/other/c')]);
      expect(await paths('queued')).toEqual([native('/scans/sub/b')]);
    });

    it('finds erased documents by name, and no longer by path', async () => {
      const { id } = await queued('Grün.jpg', 'a', { naming: ['Blaß-1'] });
      await upload(id, ACCEPTED);
      expect(await rows({ search: 'grun blass' })).toHaveLength(1);
      await ledger.erase([id], 9_000);
      expect(await rows({ search: 'grun' })).toEqual([]);
      expect(await rows({ search: 'blass' })).toHaveLength(1);
    });

    it('lists and pages through more than a thousand rows, each once, while others are written', async () => {
      const many = Array.from({ length: 850 }, (_, n) => n);
      await Promise.all(many.map((n) => ledger.admit(admission(`f${n}`, `${n}`, { at: 1_000 + (n % 5) }))));
      await Promise.all(
        many.slice(0, 300).map((n) => ledger.admit(admission(`copy${n}`, `${n}`, { at: 1_002 }))),
      );
      const seenPaths: string[] = [];
      const dates: string[] = [];
      for await (const row of ledger.list({})) {
        seenPaths.push(row.path);
        dates.push(row.createdAt);
        if (seenPaths.length === 100) await upload((await ledger.find('doc-7'))[0]!.id, ACCEPTED);
      }
      expect(new Set(seenPaths).size).toBe(1_150);
      expect(seenPaths).toHaveLength(1_150);
      expect(dates).toEqual([...dates].sort());
      for (const order of ['oldest', 'newest'] as const) {
        let added = 0;
        const paged = await inPages({ until: 2_000 }, order, 97, async () => {
          added += 1;
          await ledger.admit(admission(`new${order}${added}`, `${order}${added}`, { at: 3_000 }));
        });
        expect(new Set(paged).size).toBe(1_150);
        expect(paged).toHaveLength(1_150);
      }
    });

    it.each([
      ['newest', [60, 1]],
      ['oldest', [60, 1]],
      ['newest', [1, 60]],
      ['oldest', [1, 60]],
    ] as const)(
      'reports how far it has searched, %s first, if only documents or only other files fill a page (%j)',
      async (order, [documents, files]) => {
        const lone = order === 'newest' ? 1 : 100;
        const at = (count: number, n: number) => (count === 1 ? lone : 10 + n);
        const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
        await Promise.all([
          ...upTo(documents).map((n) => ledger.admit(admission(`f${n}`, `${n}`, { at: at(documents, n) }))),
          ...upTo(files).map((n) => ledger.note(seen(`n${n}`), note('rejected', { at: at(files, n) }))),
        ]);
        const { rows: first, lookedUntil } = await ledger.page({}, { order, limit: 50, withinMs: 60_000 });
        expect(first).toHaveLength(50);
        expect(lookedUntil).toBe(order === 'newest' ? 20 : 59);
        expect(new Set(await inPages({}, order, 50)).size).toBe(61);
      },
    );

    it('ends a page when its time is up, and continues after it', async () => {
      const many = Array.from({ length: 400 }, (_, n) => n);
      await Promise.all(many.map((n) => ledger.admit(admission(`f${n}`, `${n}`, { at: 1_000 + n }))));
      let cursor: string | null = null;
      let pages = 0;
      const found: string[] = [];
      const looked: number[] = [];
      do {
        const wanted = {
          order: 'newest',
          limit: 10,
          withinMs: 0,
          ...(cursor !== null && { cursor }),
        } as const;
        const { rows: part, next, lookedUntil } = await ledger.page({ search: 'f1.' }, wanted);
        found.push(...part.map(({ path }) => path));
        if (lookedUntil !== null) looked.push(lookedUntil);
        cursor = next;
        pages += 1;
      } while (cursor !== null);
      expect(found).toEqual([]);
      expect(pages).toBeGreaterThan(1);
      expect(looked).toEqual([...looked].sort((a, b) => b - a));
      expect(looked.at(-1)).toBeLessThan(1_360);
      const gone = { order: 'newest', limit: 10, withinMs: 60_000, signal: AbortSignal.abort() } as const;
      const { rows: none, next } = await ledger.page({ search: 'f1.' }, gone);
      expect([none, next]).toEqual([[], expect.any(String)]);
    });

    it('refuses invalid cursors', async () => {
      await fill();
      for (const cursor of [
        '',
        'x',
        '1.2',
        '1.2~',
        '1.2~3.4~5.6',
        '-~-~-',
        '1e3.4~-',
        `${'9'.repeat(30)}.1~-`,
      ])
        await expect(
          ledger.page({}, { order: 'newest', cursor, limit: 5, withinMs: 1_000 }),
          cursor,
        ).rejects.toMatchObject({ code: 'USAGE' });
    });
  });
}
