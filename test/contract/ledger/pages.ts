import { normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagePath } from '../../../src/core/domain/pages.ts';
import type { Admission } from '../../../src/core/ports/ledgerIntake.ts';
import type { Split } from '../../../src/core/ports/ledgerPages.ts';
import { ACCEPTED, admission, hashOf, type LedgerUse, OFFICE, seen, SHOP } from './support.ts';

export function describePages({ ledger, reopen, stored, upload, rows }: LedgerUse): void {
  describe('files of pages', () => {
    const begin = (path: string, content: string, n = 1): Promise<Split | null> =>
      ledger.beginSplit({ endpoint: OFFICE, file: seen(path, n), sha256: hashOf(content), at: 1_000 });

    const pageOf = (split: Split, page: number, content: string, more: Partial<Admission> = {}) => {
      const { folder, path, identity } = split.file;
      const file = { folder, path: pagePath(path, page), identity: { ...identity, size: 50 } };
      return ledger.admit(admission(path, content, { file, page: { split: split.id, page }, ...more }));
    };

    const end = (split: Split, reason: string | null = null) =>
      ledger.endSplit(split, {
        at: 4_000,
        pages: 2,
        reason,
        message: reason && 'Page 2 is damaged.',
        policy: 'p1',
      });

    const disposable = (statuses: readonly string[] | null = null) =>
      ledger
        .toDispose('/scans', { afterFileId: 0, limit: 10, stays: 0, statuses })
        .then((files) => files.map(({ file, sha256 }) => [file.path, sha256]));

    it('continues a file after a crash, and disposes of it once every page is accepted', async () => {
      const split = (await begin('a.pdf', 'pdf')) as Split;
      const first = await pageOf(split, 1, 'one');
      expect(first).toMatchObject({ kind: 'queued', document: { path: 'a.pdf//page 1', size: 50 } });
      await reopen();

      expect(await ledger.openSplits(0, 10)).toEqual([split]);
      expect(await ledger.wanted([hashOf('pdf'), hashOf('none')], 0)).toEqual(new Set([hashOf('pdf')]));
      expect(await ledger.splitPages(split.id)).toMatchObject([
        { page: 1, verdict: 'document', state: 'queued' },
      ]);
      // A repeat changes nothing.
      expect(await pageOf(split, 1, 'one')).toMatchObject({ kind: 'known' });
      expect(await begin('a.pdf', 'pdf', 2)).toMatchObject({ id: split.id });
      const second = await pageOf(split, 2, 'two');
      await end(split);
      expect(await ledger.openSplits(0, 10)).toEqual([]);
      expect(await ledger.wanted([hashOf('pdf')], 0)).toEqual(new Set());
      expect(await begin('a.pdf', 'pdf', 3)).toBeNull();

      await upload(first.document.id, ACCEPTED);
      expect(await disposable()).toEqual([]);
      await upload(second.document.id, ACCEPTED);
      expect(await disposable()).toEqual([['a.pdf', hashOf('pdf')]]);
      expect(await disposable(['DONE'])).toEqual([]);
      expect(await disposable(['PROCESSING'])).toHaveLength(1);
      expect(await ledger.acceptedOriginals('/scans', null)).toBe(1);
      expect(await ledger.known({ folder: '/scans', path: 'a.pdf' })).toMatchObject({ verdict: 'split' });
    });

    it('disposes of a file without waiting for its blank pages', async () => {
      const split = (await begin('a.pdf', 'pdf')) as Split;
      const { document } = await pageOf(split, 1, 'one');
      await ledger.notePage(split, 2, { reason: 'BLANK', message: 'It is blank.', at: 2_000 });
      await end(split);
      expect(await disposable()).toEqual([]);
      await upload(document.id, ACCEPTED);
      expect(await disposable()).toEqual([['a.pdf', hashOf('pdf')]]);
      expect(await ledger.acceptedOriginals('/scans', null)).toBe(1);
    });

    it('keeps remarks about a sent image, including a page', async () => {
      const remark = { reason: 'BLURRED', message: 'It is blurred.' } as const;
      const { document: alone } = await ledger.admit(admission('a.jpg', 'a', { remark }));
      const split = (await begin('a.pdf', 'pdf')) as Split;
      const { document: page } = await pageOf(split, 1, 'one', { remark });
      const { document: plain } = await pageOf(split, 2, 'two');
      for (const [{ id }, expected] of [
        [alone, 'It is blurred.'],
        [page, 'It is blurred.'],
        [plain, null],
      ] as const)
        expect((await ledger.detail(id))?.files).toMatchObject([{ verdict: 'document', remark: expected }]);
    });

    it('recognizes a duplicate page, alone or in another file, and finds it by its file', async () => {
      const split = (await begin('a.pdf', 'pdf')) as Split;
      const { document } = await pageOf(split, 1, 'one');
      await end(split);
      expect(await ledger.pagesOfBytes(OFFICE, hashOf('pdf'))).toMatchObject([
        { page: 1, sha256: hashOf('one') },
      ]);
      expect(await ledger.pagesOfBytes(SHOP, hashOf('pdf'))).toEqual([]);

      const copy = (await begin('b.pdf', 'pdf')) as Split;
      expect(await pageOf(copy, 1, 'one')).toMatchObject({
        kind: 'duplicate',
        document: { id: document.id },
      });
      await end(copy);
      expect(await ledger.admit(admission('one.jpg', 'one'))).toMatchObject({ kind: 'duplicate' });
      expect((await rows()).map(({ path, state }) => [path, state]).sort()).toEqual([
        [normalize('/scans/a.pdf'), 'split'],
        [normalize('/scans/a.pdf/page 1'), 'queued'],
        [normalize('/scans/b.pdf'), 'split'],
        [normalize('/scans/b.pdf/page 1'), 'duplicate'],
        [normalize('/scans/one.jpg'), 'duplicate'],
      ]);
      // Neither page is a file of its own that could be missing.
      expect(await ledger.dirs('/scans', '')).toEqual(['']);
    });

    it('shows a person the file of a page that can’t be sent, keeps it, and takes it up again when it is judged anew', async () => {
      const split = (await begin('a.pdf', 'pdf')) as Split;
      const { document } = await pageOf(split, 1, 'one');
      const note = { reason: 'PAGE_DAMAGED', message: 'Page 2 is damaged.', at: 2_000 };
      await ledger.notePage(split, 2, note);
      await ledger.notePage(split, 2, note);
      await end(split, 'PAGES_NOT_SENT');
      await upload(document.id, ACCEPTED);
      expect(await disposable()).toEqual([]);
      const at = (path: string) => ledger.standing({ folder: '/scans', path });
      expect(await at('a.pdf//page 1')).toMatchObject({ state: 'accepted' });
      expect(await at('a.pdf//page 2')).toMatchObject({ state: 'rejected', reason: 'PAGE_DAMAGED' });
      expect(await at('a.pdf//page 3')).toBeNull();
      expect(await at('b.pdf//page 1')).toBeNull();
      const needing = await rows({ attention: 'needed' });
      expect(needing.map(({ path, state, message }) => [path, state, message])).toEqual([
        [normalize('/scans/a.pdf'), 'rejected', 'Page 2 is damaged.'],
      ]);
      expect((await ledger.counts()).map(({ state, count }) => [state, count]).sort()).toEqual([
        ['accepted', 1],
        ['rejected', 1],
        ['rejected', 1],
      ]);

      const again = (await begin('a.pdf', 'pdf')) as Split;
      expect(again.id).toBe(split.id);
      await pageOf(again, 2, 'two');
      await end(again);
      expect(await ledger.splitPages(split.id)).toMatchObject([
        { verdict: 'document' },
        { verdict: 'document' },
      ]);
    });

    it('erases the path of a file with its last page', async () => {
      const split = (await begin('of-jane-doe/a.pdf', 'pdf')) as Split;
      const { document: first } = await pageOf(split, 1, 'one');
      const { document: second } = await pageOf(split, 2, 'two');
      await ledger.notePage(split, 3, { reason: 'BLANK', message: 'It is blank.', at: 2_000 });
      await end(split);
      const copy = (await begin('of-jane-doe/copy.pdf', 'pdf')) as Split;
      await pageOf(copy, 1, 'one');
      await end(copy, 'PAGES_NOT_SENT');
      const open = (await begin('still-open/b.pdf', 'other')) as Split;
      await pageOf(open, 1, 'one');
      await upload(first.id, ACCEPTED);
      await upload(second.id, ACCEPTED);
      const paths = async () => (await rows()).map(({ path }) => path).join();
      expect(await ledger.erase([first.id], 5_000)).toBe(1);
      // The other page may be about somebody else.
      expect(await paths()).toContain('a.pdf');
      expect(await paths()).not.toContain('copy.pdf');
      expect(await paths()).toContain('b.pdf');
      expect(await ledger.erase([second.id], 6_000)).toBe(1);
      expect(await paths()).not.toContain('a.pdf');
      expect(await ledger.known({ folder: '/scans', path: 'of-jane-doe/a.pdf' })).toBeNull();
      await reopen(async () => {
        const everything = await stored();
        expect(everything).toContain('still-open');
        expect(everything).toContain(hashOf('one'));
        expect(everything).not.toContain('of-jane-doe');
      });
      expect(await ledger.openSplits(0, 10)).toMatchObject([{ file: { path: 'still-open/b.pdf' } }]);
    });

    it('queues a lost page again under its name when its file is seen again', async () => {
      const split = (await begin('a.pdf', 'pdf')) as Split;
      const { document } = await pageOf(split, 1, 'one');
      await end(split);
      await ledger.markLost(document.id, 'Gone.', 2_000);
      const again = (await begin('a.pdf', 'pdf', 2)) as Split;
      expect(again.id).toBe(split.id);
      expect(await pageOf(again, 1, 'one')).toMatchObject({
        kind: 'requeued',
        document: { name: document.name },
      });
    });
  });
}
