import { describe, expect, it } from 'vitest';
import { ACCEPTED, admission, ended, FAILED, later, type LedgerUse, OFFICE, seen, SHOP } from './support.ts';
import { begin, finish, finishReplayed } from '../../support/uploads.ts';

export function describeAttempts({ ledger, reopen, queued, upload, nextNames, state }: LedgerUse): void {
  describe('attempts', () => {
    it('records a request before it is sent, and when it ends', async () => {
      const { id } = await queued('a', 'a');
      expect(await nextNames(1)).toEqual(['doc-a']);
      const attempt = await begin(ledger, id, 2_000, 555);
      await reopen();
      expect(await state(id)).toMatchObject({ state: 'uploading', attempts: 1 });
      expect(await nextNames(10)).toEqual([]);
      await finish(ledger, attempt, ended('accepted', ACCEPTED));
      await reopen();
      expect(await ledger.detail(id)).toMatchObject({
        document: { state: 'accepted', serviceStatus: 'PROCESSING', updatedAt: 3_000 },
        response: '{"status":"PROCESSING"}',
        attempts: [
          {
            id: attempt,
            startedAt: 2_000,
            finishedAt: 3_000,
            outcome: 'accepted',
            httpStatus: 200,
            bytes: 555,
            message: 'words',
          },
        ],
      });
    });

    it.each([
      ['failed', { state: 'failed', reason: 'HTTP_422', message: 'Refused.' }],
      ['unconfirmed', { state: 'unconfirmed', reason: 'HTTP_409', message: 'There already?' }],
    ] as const)('moves a document to %s, which is next no more', async (expected, transition) => {
      const { id } = await queued('a', 'a');
      await upload(id, transition, 'refused');
      expect(await state(id)).toMatchObject({ state: expected, reason: transition.reason });
      expect(await nextNames(10)).toEqual([]);
    });

    it('begins no document that has changed since it was read', async () => {
      const { id } = await queued('a', 'a');
      const { updatedAt } = await state(id);
      await upload(id, later(0, { answerLost: true }), 'unknown');
      const beginning = async (as: number) =>
        (
          await ledger.record(() => ({
            ends: [],
            begins: [{ document: id, updatedAt: as, at: 4_000, bytes: 1 }],
          }))
        ).begun;
      expect(await beginning(updatedAt)).toMatchObject({ answers: [{ kind: 'changed' }] });
      expect(await state(id)).toMatchObject({ state: 'queued', attempts: 1 });
      expect(await beginning((await state(id)).updatedAt)).toMatchObject({ answers: [{ kind: 'begun' }] });
    });

    it('counts odd answers, and never forgets that an answer was lost', async () => {
      const { id } = await queued('a', 'a');
      await upload(id, later(0, { answerLost: true, isOdd: true }), 'unknown');
      await upload(id, later(0, { isOdd: true }), 'trouble');
      await upload(id, later(7_000), 'trouble');
      expect(await state(id)).toMatchObject({
        answerLost: true,
        oddAnswers: 2,
        attempts: 3,
        notBefore: 7_000,
        reason: 'HTTP_503',
      });
    });

    it('replays a request of the same document after a 401', async () => {
      const { id } = await queued('a', 'a');
      await finishReplayed(ledger, await begin(ledger, id, 2_000, 1), 2_500, 401, 'Token refused.');
      expect(await state(id)).toMatchObject({ state: 'uploading', attempts: 1 });
      await upload(id, ACCEPTED);
      expect((await ledger.detail(id))?.attempts).toMatchObject([
        { outcome: 'trouble', httpStatus: 401, finishedAt: 2_500 },
        { outcome: 'accepted' },
      ]);
    });

    it('postpones a document between a 401 and its replay', async () => {
      const { id } = await queued('a', 'a');
      await finishReplayed(ledger, await begin(ledger, id, 2_000, 1), 2_500, 401, 'Token refused.');
      await ledger.postpone(id, 0, 'CREDENTIALS', 'No token.', 3_000);
      expect(await nextNames(1)).toEqual(['doc-a']);
    });

    it('refuses a second open request, an end without a begin, and unknown documents', async () => {
      const { id } = await queued('a', 'a');
      const attempt = await begin(ledger, id, 2_000, 1);
      await expect(begin(ledger, id, 2_001, 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
      await expect(ledger.postpone(id, 1, 'R', 'm', 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
      await finish(ledger, attempt, ended('accepted', ACCEPTED));
      await expect(finish(ledger, attempt, ended('refused', FAILED))).rejects.toMatchObject({
        code: 'DOCUMENT_STATE',
      });
      await expect(begin(ledger, id, 2_001, 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
      await expect(ledger.markLost(id, 'm', 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
      await expect(begin(ledger, 999, 1, 1)).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
      expect((await ledger.detail(id))?.attempts).toHaveLength(1);
      expect((await state(id)).state).toBe('accepted');
    });

    it('recovers interrupted uploads under their names, as possibly sent', async () => {
      const a = await queued('a', 'a');
      const b = await queued('b', 'b');
      await begin(ledger, a.id, 2_000, 1);
      await finishReplayed(ledger, await begin(ledger, b.id, 2_000, 1), 2_100, 401, 'Token refused.');
      await reopen();
      expect(await ledger.recover(9_000)).toBe(2);
      expect(await ledger.recover(9_001)).toBe(0);
      expect(await ledger.detail(a.id)).toMatchObject({
        document: { state: 'queued', reason: 'INTERRUPTED', answerLost: true, notBefore: 0, name: 'doc-a' },
        attempts: [{ outcome: 'unknown', finishedAt: 9_000 }],
      });
      expect(await state(b.id)).toMatchObject({
        state: 'queued',
        reason: 'INTERRUPTED',
        answerLost: false,
      });
      expect(await nextNames(10)).toEqual(['doc-a', 'doc-b']);
    });

    it('counts the requests of one endpoint or all, with the latest time at which they were sent', async () => {
      const a = await queued('a', 'a');
      const b = await queued('b', 'b', { endpoint: SHOP });
      for (const [id, at] of [
        [a.id, 10],
        [b.id, 20],
        [a.id, 30],
        [b.id, 40],
      ] as const) {
        await finish(ledger, await begin(ledger, id, at, 1), ended('trouble', later(0), at + 5));
      }
      expect(await ledger.attemptTimes(null, 0, 10)).toEqual([45, 35, 25, 15]);
      expect(await ledger.attemptTimes(null, 10, 2)).toEqual([45, 35]);
      expect(await ledger.attemptTimes(OFFICE, 0, 10)).toEqual([35, 15]);
      // A request begun before may be sent after it, because recording it can wait for a slow disk.
      expect(await ledger.attemptTimes(OFFICE, 10, 10)).toEqual([35, 15]);
      expect(await ledger.attemptTimes(OFFICE, 15, 10)).toEqual([35]);
      expect(await ledger.countAttempts(null, 10, 100)).toBe(4);
      expect(await ledger.countAttempts(null, 15, 100)).toBe(3);
      expect(await ledger.countAttempts(SHOP, 25, 100)).toBe(1);
      expect(await ledger.countAttempts({ ...SHOP, uid: 'none' }, 0, 100)).toBe(0);
    });

    it('counts requests recorded by a clock that was ahead, until later requests prove them old', async () => {
      const a = await queued('a', 'a');
      const sentAt = async (at: number) =>
        finish(ledger, await begin(ledger, a.id, at, 1), ended('trouble', later(0), at));
      await sentAt(10);
      await sentAt(9_000);
      await sentAt(9_001);
      expect(await ledger.countAttempts(OFFICE, 15, 20)).toBe(2);
      await sentAt(20);
      expect(await ledger.countAttempts(OFFICE, 15, 20)).toBe(3);
      expect(await ledger.countAttempts(OFFICE, 25, 30)).toBe(0);
    });

    it('counts a request with unknown outcome, but not one of which nothing was sent', async () => {
      const a = await queued('a', 'a');
      await finish(ledger, await begin(ledger, a.id, 10, 1), ended('notSent', later(0), 15));
      await finish(ledger, await begin(ledger, a.id, 20, 1), ended('unknown', later(0), 25));
      expect(await ledger.countAttempts(OFFICE, 5, 100)).toBe(1);
      await begin(ledger, a.id, 30, 1);
      expect(await ledger.countAttempts(OFFICE, 5, 100)).toBe(2);
      // It may leave at any time until it ends.
      expect(await ledger.countAttempts(OFFICE, 50, 100)).toBe(1);
    });

    it('queues documents again, and the one that was refused last behind the next probe', async () => {
      const [a, b] = [await queued('a', 'a'), await queued('b', 'b')];
      await queued('c', 'c');
      await upload(a.id, FAILED, 'refused');
      await upload(b.id, ACCEPTED);
      const [c] = await ledger.find('doc-c');
      const attempt = await begin(ledger, c?.id ?? 0, 3_000, 10);
      const requeue = { reason: 'MANY', message: 'The endpoint refuses everything.', due: 9_000 };
      const documents = [a.id, b.id, c?.id ?? 0];
      await finish(ledger, attempt, ended('refused', FAILED, 4_000), { ...requeue, documents });
      expect(await state(a.id)).toMatchObject({ state: 'queued', reason: 'MANY' });
      expect(await state(c?.id ?? 0)).toMatchObject({ state: 'queued', reason: 'MANY' });
      expect((await state(b.id)).state).toBe('accepted');
      expect(await nextNames(10)).toEqual(['doc-a']);
      expect(await nextNames(10, { now: 9_000 })).toEqual(['doc-a', 'doc-c']);
    });

    it('marks a document lost with the time and a reason', async () => {
      const { id } = await queued('a', 'a');
      await ledger.markLost(id, 'Overwritten.', 4_000);
      expect(await state(id)).toMatchObject({
        state: 'lost',
        reason: 'BYTES_GONE',
        message: 'Overwritten.',
        updatedAt: 4_000,
      });
      expect(await nextNames(10)).toEqual([]);
    });

    it('does not mark a document lost if its bytes were seen again while they were searched for', async () => {
      const [a, b] = [await queued('a', 'a'), await queued('b', 'b')];
      const before = await ledger.filesWith(a.sha256);
      await ledger.admit(admission('', 'a', { file: seen('again', 2) }));
      await ledger.markLost(a.id, 'Gone.', 4_000, before);
      expect(await state(a.id)).toMatchObject({
        state: 'queued',
        reason: 'BYTES_MISSING',
      });
      await ledger.markLost(b.id, 'Gone.', 4_000, await ledger.filesWith(b.sha256));
      expect(await state(b.id)).toMatchObject({ state: 'lost' });
      await ledger.markLost(a.id, 'Gone.', 5_000, await ledger.filesWith(a.sha256));
      expect(await state(a.id)).toMatchObject({ state: 'lost' });
    });
  });
}
