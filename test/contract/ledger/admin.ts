import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ListFilter } from '../../../src/core/ports/ledgerReports.ts';
import {
  ACCEPTED,
  admission,
  FAILED,
  hashOf,
  later,
  type LedgerUse,
  note,
  OFFICE,
  seen,
  SHOP,
} from './support.ts';
import { begin } from '../../support/uploads.ts';

export function describeAdmin({ ledger, reopen, queued, upload, nextNames, rows, state }: LedgerUse): void {
  describe('what people do', () => {
    it('retries failed, unconfirmed, lost and waiting documents, and no others', async () => {
      const ids: Record<string, number> = {};
      for (const content of ['failed', 'unconfirmed', 'lost', 'waiting', 'due', 'accepted', 'uploading']) {
        ids[content] = (await queued(content, content)).id;
      }
      await upload(ids['failed']!, FAILED, 'refused');
      await upload(
        ids['unconfirmed']!,
        { state: 'unconfirmed', reason: 'HTTP_409', message: 'm' },
        'refused',
      );
      await ledger.markLost(ids['lost']!, 'Gone.', 2_000);
      await upload(ids['waiting']!, later(99_000, { answerLost: true, isOdd: true }), 'unknown');
      await upload(ids['accepted']!, ACCEPTED);
      await begin(ledger, ids['uploading']!, 2_000, 1);
      expect(await ledger.retry([ids['failed']!, ids['due']!, ids['accepted']!, 999], 5_000)).toBe(1);
      const rest = await ledger.retriable(0, 10, 5_000);
      expect(rest).toHaveLength(3);
      expect(await ledger.retriable(0, 2, 5_000)).toEqual(rest.slice(0, 2));
      expect(await ledger.retriable(rest[1]!, 10, 5_000)).toEqual(rest.slice(2));
      expect(await ledger.retry(rest, 5_000)).toBe(3);
      expect(await ledger.retriable(0, 10, 5_000)).toEqual([]);
      expect(await state(ids['waiting']!)).toMatchObject({
        notBefore: 0,
        oddAnswers: 0,
        answerLost: true,
        attempts: 1,
        name: 'doc-waiting',
      });
      expect(await nextNames(10)).toEqual([
        'doc-failed',
        'doc-unconfirmed',
        'doc-lost',
        'doc-waiting',
        'doc-due',
      ]);
      expect(await state(ids['accepted']!)).toMatchObject({ state: 'accepted' });
      expect(await state(ids['uploading']!)).toMatchObject({ state: 'uploading' });
    });

    it('resends only accepted documents, under their names', async () => {
      const { id } = await queued('a', 'a');
      await expect(ledger.resend(id, 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
      await expect(ledger.resend(999, 1)).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
      await upload(id, ACCEPTED);
      await ledger.resend(id, 5_000);
      expect(await state(id)).toMatchObject({
        state: 'queued',
        name: 'doc-a',
        attempts: 1,
        updatedAt: 5_000,
      });
      expect(await nextNames(1)).toEqual(['doc-a']);
    });

    it('admits known bytes for another endpoint, under the same name if it is free', async () => {
      const a = await queued('a', 'a', { naming: ['scan'] });
      const b = await queued('b', 'b');
      await queued('c', 'c', { endpoint: SHOP, naming: ['doc-b'] });
      const first = await ledger.admitElsewhere(a.id, SHOP, 5_000);
      expect(first).toMatchObject({
        kind: 'queued',
        document: {
          endpoint: SHOP,
          name: 'scan',
          sha256: a.sha256,
          path: 'a',
          state: 'queued',
          size: a.size,
        },
      });
      expect(await ledger.document(first.document.id)).toEqual(first.document);
      expect((await ledger.admitElsewhere(b.id, SHOP, 5_000)).document.name).toBe(
        `doc-b-${b.sha256.slice(0, 16)}`,
      );
      expect(await ledger.admitElsewhere(a.id, SHOP, 6_000)).toMatchObject({
        kind: 'duplicate',
        document: { id: first.document.id },
      });
      await upload(first.document.id, FAILED, 'refused');
      expect(await ledger.admitElsewhere(a.id, SHOP, 7_000)).toMatchObject({ kind: 'requeued' });
      await expect(ledger.admitElsewhere(999, SHOP, 1)).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
    });

    it('moves documents to another endpoint, once, and leaves those alone that are accepted', async () => {
      const [waits, failed, accepted, known] = [
        await queued('a', 'a'),
        await queued('b', 'b'),
        await queued('c', 'c'),
        await queued('d', 'd'),
      ];
      await upload(failed.id, FAILED, 'refused');
      await upload(accepted.id, ACCEPTED);
      await ledger.admitElsewhere(known.id, SHOP, 4_000);
      const ids = [waits, failed, accepted, known].map(({ id }) => id);
      expect(await ledger.moveTo(ids, SHOP, 'ann', 5_000)).toBe(3);
      for (const { id } of [waits, failed, known])
        expect(await state(id)).toMatchObject({ state: 'failed', reason: 'MOVED' });
      expect(await state(accepted.id)).toMatchObject({ state: 'accepted' });
      expect(await nextNames(9)).toEqual([]);
      const there = await rows({ states: ['queued'] });
      expect(there.map(({ name }) => name).toSorted()).toEqual(['doc-a', 'doc-b', 'doc-d']);
      expect(await rows({ attention: 'needed' })).toEqual([]);
      expect(await ledger.moveTo(ids, SHOP, 'ann', 6_000)).toBe(0);
      expect(await ledger.retriable(0, 10, 6_000)).toEqual([]);
    });

    it('distinguishes endpoints created here from those only used', async () => {
      await queued('a', 'a');
      await ledger.recordEndpoint(SHOP, 'The shop', '{"uid":"shop"}', 7_000);
      await ledger.recordAct({ at: 7_000, kind: 'endpointCreate', by: 'ann', detail: 'The shop' });
      await reopen();
      expect(await ledger.endpoints()).toEqual([
        { endpoint: OFFICE, name: null, createdAt: null },
        { endpoint: SHOP, name: 'The shop', createdAt: 7_000 },
      ]);
      await ledger.recordEndpoint(OFFICE, 'The office', '{}', 8_000);
      expect((await ledger.endpoints())[0]).toMatchObject({ name: 'The office', createdAt: 8_000 });
      expect(await ledger.bySha256(OFFICE, hashOf('a'))).not.toBeNull();
    });
  });

  describe('erasing', () => {
    it('removes the personal data of settled documents, and keeps name, hash and state', async () => {
      const a = await queued('anna.jpg', 'a');
      const b = await queued('b', 'b');
      await upload(a.id, { state: 'accepted', serviceStatus: 'DONE', response: '{"person":"Anna"}' });
      expect(await ledger.erasable(9_000)).toEqual([a.id]);
      expect(await ledger.erasable(1_000)).toEqual([]);
      expect(await ledger.erase([a.id, b.id, a.id, 99], 5_000)).toBe(1);
      expect(await ledger.erasable(9_000)).toEqual([]);
      expect(await state(a.id)).toMatchObject({
        path: '',
        name: 'doc-a',
        sha256: hashOf('a'),
        state: 'accepted',
      });
      expect(await state(b.id)).toMatchObject({ path: 'b', state: 'queued' });
      const told = JSON.stringify(await ledger.detail(a.id));
      expect(told.toLowerCase()).not.toContain('anna');
      expect((await ledger.admit(admission('again.jpg', 'a'))).kind).toBe('duplicate');
    });

    it('erases many at once, in one folder and of one path', async () => {
      const ids = [];
      for (const content of ['a', 'b', 'c']) {
        const { id } = await queued('SCAN0001.jpg', content, { file: seen('SCAN0001.jpg', ids.length) });
        await upload(id, FAILED, 'refused');
        ids.push(id);
      }
      expect(await ledger.erase(ids, 5_000)).toBe(3);
      await reopen();
      expect(JSON.stringify(await rows())).not.toContain('SCAN');
    });
  });

  describe('documents and files that need a person', () => {
    const cases = async (attention: ListFilter['attention'] = 'needed') =>
      (await rows({ attention })).map(({ path, name }) => name ?? basename(path)).sort();
    const counted = async (): Promise<Record<string, number>> => {
      const found: Record<string, number> = {};
      for (const { state, count, needsPerson, reason } of await ledger.counts())
        if (needsPerson) found[reason ?? state] = (found[reason ?? state] ?? 0) + count;
      return found;
    };
    const idsOf = async (attention: ListFilter['attention'] = 'needed') => {
      const all = await rows({ attention });
      return {
        documents: all.flatMap(({ fileId, documentId }) => (fileId === null ? (documentId ?? []) : [])),
        files: all.flatMap(({ fileId }) => fileId ?? []),
      };
    };
    const total = async (): Promise<number> =>
      (await ledger.counts()).reduce((sum, { count }) => sum + count, 0);

    /** Three documents and four files that need a person, and some of each that do not. */
    async function mixed(): Promise<void> {
      const failed = await queued('failed.jpg', 'failed');
      await upload(failed.id, FAILED, 'refused');
      const unconfirmed = await queued('unconfirmed.jpg', 'unconfirmed');
      await upload(unconfirmed.id, { state: 'unconfirmed', reason: 'HTTP_409', message: 'm' }, 'refused');
      await ledger.markLost((await queued('lost.jpg', 'lost')).id, 'Gone.', 4_000);
      await upload((await queued('good.jpg', 'good')).id, ACCEPTED);
      await queued('waiting.jpg', 'waiting');
      await ledger.admit(admission('copy.jpg', 'good'));
      await ledger.note(seen('large.jpg'), note('rejected', { reason: 'TOO_LARGE' }));
      await ledger.note(seen('a.pdf'), note('rejected', { reason: 'PDF_NOT_ACCEPTED' }));
      await ledger.note(seen('notes.txt'), note('rejected', { reason: 'NOT_AN_IMAGE' }));
      await ledger.note(seen('half.jpg'), note('incomplete', { reason: 'INCOMPLETE' }));
      await ledger.note(seen('shut.jpg'), note('unreadable', { reason: 'EACCES', policy: null }));
      await ledger.note(seen('left.pdf'), note('rejected', { reason: 'PDF_NOT_ACCEPTED' }));
      await ledger.gone('/scans', ['left.pdf'], 5_000);
      await ledger.markWatched('/scans', [seen('old.jpg')], note('skipped', { reason: 'EXISTING' }));
    }
    const ALL = ['a.pdf', 'doc-failed', 'doc-lost', 'doc-unconfirmed', 'half.jpg', 'large.jpg', 'shut.jpg'];

    it('include every possible receipt that will not be sent automatically, until they are dismissed, which changes nothing else and can be undone', async () => {
      await mixed();
      const before = await rows();
      expect(await cases()).toEqual(ALL);
      expect(before.filter(({ needsPerson }) => needsPerson)).toHaveLength(ALL.length);
      expect(await counted()).toEqual({
        failed: 1,
        unconfirmed: 1,
        lost: 1,
        TOO_LARGE: 1,
        PDF_NOT_ACCEPTED: 1,
        INCOMPLETE: 1,
        EACCES: 1,
      });
      expect(await total()).toBe(before.length);
      const some = await rows({ attention: 'needed', states: ['failed', 'accepted', 'rejected'] });
      expect(some).toHaveLength(3);

      const everything = {
        documents: before.flatMap(({ documentId }) => documentId ?? []),
        files: before.flatMap(({ fileId }) => fileId ?? []),
      };
      expect(await ledger.undismiss(everything, 'anna', 6_000)).toBe(0);
      expect(await ledger.dismiss(everything, 'anna', 6_000)).toBe(7);
      expect(await ledger.dismiss(everything, 'bob', 7_000)).toBe(0);
      expect(await ledger.dismiss({ documents: [], files: [] }, 'anna', 8_000)).toBe(0);
      await reopen();
      expect(await cases()).toEqual([]);
      expect(await counted()).toEqual({});
      expect(await cases('dismissed')).toEqual(ALL);
      expect(await total()).toBe(before.length);
      const after = await rows();
      expect(after.map(({ state, updatedAt, reason }) => [state, updatedAt, reason])).toEqual(
        before.map(({ state, updatedAt, reason }) => [state, updatedAt, reason]),
      );
      const dismissed = after.filter(({ dismissedBy }) => dismissedBy !== null);
      expect(dismissed.map(({ dismissedBy, dismissedAt }) => [dismissedBy, dismissedAt])).toEqual(
        ALL.map(() => ['anna', '1970-01-01T00:00:06.000Z']),
      );
      for (const path of ['a.pdf', 'failed.jpg'])
        expect(await ledger.standing({ folder: '/scans', path })).toMatchObject({ isDismissed: true });

      expect(await ledger.undismiss(await idsOf('dismissed'), 'anna', 9_000)).toBe(7);
      expect(await cases()).toEqual(ALL);
      expect(await cases('dismissed')).toEqual([]);
      expect((await rows()).every(({ dismissedAt }) => dismissedAt === null)).toBe(true);
    });

    it('are a new case once a file changes, and the old one if it is only checked again', async () => {
      await mixed();
      await ledger.dismiss(await idsOf(), 'anna', 6_000);
      await ledger.note(seen('shut.jpg'), note('unreadable', { reason: 'EACCES', policy: null, at: 7_000 }));
      await ledger.note(
        seen('a.pdf'),
        note('rejected', { reason: 'PDF_NOT_ACCEPTED', policy: 'p2', at: 7_000 }),
      );
      expect(await cases()).toEqual([]);
      await ledger.note(seen('a.pdf', 2), note('rejected', { reason: 'PDF_NOT_ACCEPTED', at: 8_000 }));
      await ledger.note(seen('half.jpg', 2), note('incomplete', { reason: 'INCOMPLETE', at: 8_000 }));
      await ledger.note(seen('large.jpg'), note('rejected', { reason: 'DAMAGED', policy: 'p2', at: 8_000 }));
      expect(await cases()).toEqual(['a.pdf', 'half.jpg', 'large.jpg']);
    });

    it('are a new case once a document fails again', async () => {
      const document = await queued('a.jpg', 'a');
      await upload(document.id, FAILED, 'refused');
      await ledger.dismiss({ documents: [document.id], files: [] }, 'anna', 6_000);
      await ledger.retry([document.id], 7_000);
      await upload(document.id, FAILED, 'refused');
      expect(await cases()).toEqual(['doc-a']);
    });
  });
}
