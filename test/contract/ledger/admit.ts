// Reports show paths as the platform writes them.
import { normalize as native } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpointId } from '../../../src/core/domain/document.ts';
import { namesOf } from '../../../src/core/domain/naming.ts';
import {
  ACCEPTED,
  admission,
  colliding,
  FAILED,
  hashOf,
  identity,
  type LedgerUse,
  naming,
  OFFICE,
  seen,
  SHOP,
} from './support.ts';

export function describeAdmit({ ledger, reopen, queued, upload, nextNames, rows, state }: LedgerUse): void {
  describe('admitting', () => {
    it('names a new image once, durably', async () => {
      const document = await queued('sub/a.jpg', 'a', { type: 'png', lane: 'backlog' });
      await reopen();
      expect(await state(document.id)).toEqual({
        id: document.id,
        endpoint: OFFICE,
        folder: '/scans',
        path: 'sub/a.jpg',
        name: 'doc-a',
        sha256: hashOf('a'),
        type: 'png',
        size: 101,
        lane: 'backlog',
        state: 'queued',
        reason: null,
        message: null,
        serviceStatus: null,
        attempts: 0,
        oddAnswers: 0,
        answerLost: false,
        notBefore: 0,
        createdAt: 1_000,
        updatedAt: 1_000,
      });
      expect(await ledger.bySha256(OFFICE, hashOf('a'))).toEqual(document);
      expect(await ledger.bySha256(SHOP, hashOf('a'))).toBeNull();
    });

    it('knows the same bytes at the same path, and remembers their new identity', async () => {
      const first = await queued('a.jpg', 'a');
      const again = await ledger.admit(admission('a.jpg', 'a', { file: seen('a.jpg', 7), at: 2_000 }));
      expect(again).toEqual({ kind: 'known', document: first });
      expect((await ledger.known(seen('a.jpg')))?.identity).toEqual(identity(7));
      expect((await ledger.detail(first.id))?.files).toHaveLength(1);
    });

    it('finds a duplicate under another path and in another folder of the endpoint', async () => {
      const first = await queued('a.jpg', 'a');
      const copy = await ledger.admit(admission('b.jpg', 'a', { at: 2_000 }));
      const other = await ledger.admit(admission('', 'a', { file: seen('c.jpg', 1, '/other'), at: 3_000 }));
      expect([copy.kind, other.kind]).toEqual(['duplicate', 'duplicate']);
      expect([copy.document.id, other.document.id]).toEqual([first.id, first.id]);
      await upload(first.id, ACCEPTED);
      expect(await rows({ states: ['duplicate'] })).toMatchObject([
        {
          name: 'doc-a',
          path: native('/scans/b.jpg'),
          attempts: 0,
          status: 'PROCESSING',
          documentId: first.id,
        },
        { name: 'doc-a', path: native('/other/c.jpg'), endpointUid: 'office', sha256: hashOf('a') },
      ]);
    });

    it('creates another document for the same bytes in another endpoint', async () => {
      await queued('a.jpg', 'a');
      await queued('b.jpg', 'a', { endpoint: SHOP });
      await queued('c.jpg', 'c', { endpoint: { ...OFFICE, baseUrl: 'http://127.0.0.1:10' } });
      expect((await ledger.find('doc-a')).map((document) => document.endpoint)).toEqual([OFFICE, SHOP]);
      expect((await ledger.endpoints()).map((known) => endpointId(known.endpoint))).toHaveLength(3);
    });

    it('recognizes a moved file as its document, not as a duplicate', async () => {
      const { id } = await queued('a.jpg', 'a');
      await ledger.gone('/scans', ['a.jpg'], 2_000);
      await ledger.admit(admission('b.jpg', 'a', { at: 3_000 }));
      expect(await rows()).toMatchObject([{ state: 'queued', documentId: id }]);
      expect((await ledger.detail(id))?.files.map((s) => s.verdict)).toEqual(['document', 'document']);
    });

    it('creates a new document for new bytes at an old path, and recognizes the old bytes if they return', async () => {
      const first = await queued('scan0001.jpg', 'a');
      const second = await queued('scan0001.jpg', 'b', { file: seen('scan0001.jpg', 2) });
      const back = await ledger.admit(admission('scan0001.jpg', 'a', { file: seen('scan0001.jpg', 3) }));
      expect(second.id).not.toBe(first.id);
      expect(back).toMatchObject({ kind: 'duplicate', document: { id: first.id } });
      expect((await ledger.knownIn('/scans', '', ['scan0001.jpg'])).size).toBe(1);
      expect(await rows()).toHaveLength(2);
      expect((await ledger.detail(first.id))?.files.map((s) => s.goneAt)).toEqual([1_000, null]);
    });

    it('queues a failed image again when it is seen again, under its name and last in the queue', async () => {
      const { id } = await queued('a.jpg', 'a');
      await queued('b.jpg', 'b');
      await upload(id, FAILED, 'refused');
      const again = await ledger.admit(admission('again.jpg', 'a', { at: 4_000 }));
      expect(again).toMatchObject({
        kind: 'requeued',
        document: { id, name: 'doc-a', state: 'queued', reason: null, attempts: 1 },
      });
      expect(await nextNames(10)).toEqual(['doc-b', 'doc-a']);
    });

    it('keeps a failed image failed if only its metadata changes', async () => {
      const { id } = await queued('a.jpg', 'a');
      await upload(id, FAILED, 'refused');
      const touched = await ledger.admit(admission('a.jpg', 'a', { file: seen('a.jpg', 5) }));
      expect(touched).toMatchObject({ kind: 'known', document: { state: 'failed' } });
    });

    it('queues a lost image again when its bytes return, even at the same path', async () => {
      const { id } = await queued('a.jpg', 'a');
      await ledger.markLost(id, 'Gone.', 2_000);
      const back = await ledger.admit(admission('a.jpg', 'a', { at: 3_000 }));
      expect(back).toMatchObject({ kind: 'requeued', document: { id, state: 'queued' } });
    });

    it('takes the first proposed name that was never issued', async () => {
      await queued('a', 'a', { naming: ['x'] });
      const second = await queued('b', 'b', { naming: ['x', 'x-2', 'x-3'] });
      expect(second.name).toBe('x-2');
      expect(await ledger.isNameTaken(OFFICE, 'x-2')).toBe(true);
      expect(await ledger.isNameTaken(OFFICE, 'x-3')).toBe(false);
      expect(await ledger.isNameTaken(SHOP, 'x')).toBe(false);
      const elsewhere = await queued('c', 'c', { endpoint: SHOP, naming: ['x'] });
      expect(elsewhere.name).toBe('x');
    });

    it('refuses an image if every proposed name is taken, and records nothing', async () => {
      const numbered = naming('x{seq}', 'b');
      for (const [n, name] of namesOf(numbered, 1).entries())
        await queued(`a${n}`, `a${n}`, { naming: [name] });
      for (const of of [['x1'], numbered])
        await expect(ledger.admit(admission('b', 'b', { naming: of }))).rejects.toMatchObject({
          code: 'TEMPLATE_INVALID',
        });
      expect(await ledger.known(seen('b'))).toBeNull();
      expect(await ledger.nextSeq(OFFICE)).toBe(1);
    });

    it('uses up a number only for a new document whose name contains it', async () => {
      const numbered = { naming: naming('n{seq}', 'a') };
      expect(await ledger.nextSeq(OFFICE)).toBe(1);
      expect((await queued('a', 'a', numbered)).name).toBe('n1');
      await ledger.admit(admission('copy', 'a', numbered));
      await ledger.admit(admission('a', 'a', numbered));
      await queued('b', 'b');
      await reopen();
      expect(await ledger.nextSeq(OFFICE)).toBe(2);
      expect((await queued('c', 'c', numbered)).name).toBe('n2');
      expect((await queued('d', 'd', { ...numbered, endpoint: SHOP })).name).toBe('n1');
    });

    it('gives 300 concurrent images 300 names, without a gap in the numbers', async () => {
      const admitted = await Promise.all(
        Array.from({ length: 300 }, (_, n) =>
          ledger.admit(admission(`f${n}`, `content ${n}`, { naming: colliding(n, `content ${n}`) })),
        ),
      );
      expect(new Set(admitted.map(({ document }) => document.name)).size).toBe(300);
      expect(new Set(admitted.map(({ document }) => document.id)).size).toBe(300);
      // 100 of them use no number.
      expect(await ledger.nextSeq(OFFICE)).toBe(201);
    });

    it('names an image once if it arrives at 50 paths at once', async () => {
      const admitted = await Promise.all(
        Array.from({ length: 50 }, (_, n) => ledger.admit(admission(`f${n}`, 'same'))),
      );
      expect(admitted.map(({ kind }) => kind).sort()).toEqual([...Array(49).fill('duplicate'), 'queued']);
      expect(new Set(admitted.map(({ document }) => document.id)).size).toBe(1);
    });

    it('knows the bytes of a file that lay on another file system, and not the file, until that is seen', async () => {
      const elsewhere = { ...admission('a', 'a'), isElsewhere: true };
      const { document } = await ledger.admit(elsewhere);
      expect(await ledger.known(seen('a'))).toBeNull();
      expect(await ledger.document(document.id)).toMatchObject({ state: 'queued' });
      // The state after a kill during the replay.
      expect(await ledger.admit(elsewhere)).toMatchObject({
        kind: 'duplicate',
        document: { id: document.id },
      });
      expect(await ledger.known(seen('a'))).toBeNull();
      await ledger.admit(admission('a', 'a'));
      expect(await ledger.known(seen('a'))).toMatchObject({ verdict: 'document' });
    });
  });
}
