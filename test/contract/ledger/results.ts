import { describe, expect, it } from 'vitest';
import type { NewResult } from '../../../src/core/ports/results.ts';
import { ACCEPTED, ended, FAILED, hashOf, later, type LedgerUse, OFFICE, SHOP } from './support.ts';
import { begin, finish, finishReplayed } from '../../support/uploads.ts';

export function describeResults({
  ledger,
  reopen,
  queued,
  upload,
  nextNames,
  toDispose,
  state,
}: LedgerUse): void {
  describe('results', () => {
    const text = (fields: object): Buffer => Buffer.from(JSON.stringify(fields));

    function posted(name: string | null, status: string | null, more: Partial<NewResult> = {}): NewResult {
      const payload = text({ name, endpointUid: OFFICE.uid, status, total: '12.50 €' });
      return { at: 7_000, baseUrl: OFFICE.baseUrl, uid: OFFICE.uid, name, status, payload, ...more };
    }
    const everything = { of: 'all', order: 'oldest', after: null, limit: 99 } as const;

    it('are stored verbatim with their document, which takes over the status', async () => {
      const a = await queued('a', 'a');
      await upload(a.id, ACCEPTED);
      const first = posted('doc-a', 'DONE');
      expect(await ledger.recordResult(first)).toMatchObject({
        isNew: true,
        isProof: false,
        document: { id: a.id, state: 'accepted', serviceStatus: 'DONE' },
      });
      await ledger.recordResult(posted('doc-a', null));
      await reopen();
      expect(await state(a.id)).toMatchObject({ serviceStatus: 'DONE' });
      const [one, two] = await ledger.results({ ...everything, of: a.id });
      expect(one).toMatchObject({
        receivedAt: 7_000,
        document: { id: a.id, name: 'doc-a', endpoint: OFFICE },
        status: 'DONE',
        sha256: hashOf(first.payload.toString()),
        size: first.payload.length,
        encoding: 'utf8',
      });
      expect(two).toMatchObject({ status: null });
      expect((await ledger.result(one!.id))?.payload).toBe(first.payload.toString());
      expect(await ledger.result(99)).toBeNull();
      expect(await ledger.lastResult()).toBe(two!.id);
      const received = await ledger.results({ ...everything, of: 'received' });
      expect(received.map((row) => ({ ...row, turn: row.turn ?? row.id }))).toEqual([
        { ...one, turn: one!.id },
        { ...two, turn: two!.id },
      ]);
      expect(await ledger.countResults('unmatched')).toBe(0);
    });

    it('change nothing if repeated, even after a different one', async () => {
      const a = await queued('a', 'a');
      await upload(a.id, ACCEPTED);
      const { id } = await ledger.recordResult(posted('doc-a', 'READ'));
      await ledger.recordResult(posted('doc-a', 'DONE'));
      const unknown = await ledger.recordResult(posted('who', 'DONE'));
      const head = await ledger.head();
      expect(await ledger.recordResult(posted('doc-a', 'READ', { at: 8_000 }))).toMatchObject({
        id,
        isNew: false,
        document: { serviceStatus: 'DONE' },
      });
      expect(await ledger.recordResult(posted('who', 'DONE'))).toMatchObject({
        id: unknown.id,
        isNew: false,
      });
      expect(await ledger.head()).toEqual(head);
    });

    it('are stored and counted even if they belong to no document', async () => {
      await queued('a', 'a');
      const bytes = [
        Buffer.from([0xff, 0xfe, 0, 1]),
        Buffer.from('no JSON'),
        Buffer.from('a\0b'),
        Buffer.alloc(0),
      ];
      for (const payload of bytes) await ledger.recordResult(posted(null, null, { payload }));
      await ledger.recordResult(posted('doc-a', 'DONE', { uid: SHOP.uid }));
      await ledger.recordResult(posted('doc-a', 'DONE', { baseUrl: 'http://127.0.0.1:10' }));
      await reopen();
      // The last two have the same bytes, and are of nothing both.
      expect(await ledger.countResults('unmatched')).toBe(5);
      expect(await ledger.countResults('all')).toBe(
        (await ledger.results({ ...everything, of: 'all' })).length,
      );
      const rows = await ledger.results({ ...everything, of: 'unmatched' });
      const payloads = await Promise.all(
        rows.map(async ({ id, encoding }) =>
          Buffer.from((await ledger.result(id))?.payload ?? '?', encoding),
        ),
      );
      expect(payloads.slice(0, 4)).toEqual(bytes);
      expect(rows[4]).toMatchObject({ givenName: 'doc-a', givenUid: SHOP.uid, document: null });
      expect(await ledger.find('doc-a')).toMatchObject([{ serviceStatus: null, state: 'queued' }]);
    });

    it('find the document by name alone if no endpoint is given and the name is unique', async () => {
      const a = await queued('a', 'a');
      const b = await queued('b', 'b');
      await queued('b2', 'b2', { endpoint: SHOP, naming: ['doc-b'] });
      const nameless = { uid: null };
      expect((await ledger.recordResult(posted('doc-a', 'X', nameless))).document?.id).toBe(a.id);
      expect((await ledger.recordResult(posted('doc-b', 'X', nameless))).document).toBeNull();
      expect((await ledger.recordResult(posted('doc-b', 'X'))).document?.id).toBe(b.id);
    });

    it('are listed page by page in both orders', async () => {
      const ids: number[] = [];
      for (const name of ['a', 'b', 'c']) ids.push((await ledger.recordResult(posted(name, null))).id);
      const second = ids[1] ?? 0;
      const names = async (order: 'oldest' | 'newest', after: number | null) =>
        (await ledger.results({ ...everything, order, after, limit: 2 })).map(({ givenName }) => givenName);
      expect(await names('oldest', null)).toEqual(['a', 'b']);
      expect(await names('oldest', second)).toEqual(['c']);
      expect(await names('newest', null)).toEqual(['c', 'b']);
      expect(await names('newest', second)).toEqual(['a']);
    });

    it('prove that an unconfirmed, lost or requeued document has arrived', async () => {
      const [a, b, c] = [await queued('a', 'a'), await queued('b', 'b'), await queued('c', 'c')];
      await upload(a.id, { state: 'unconfirmed', reason: 'HTTP_409', message: 'Perhaps.' }, 'refused');
      await upload(b.id, later(9_000, { answerLost: true }), 'unknown');
      await upload(c.id, later(0, { answerLost: true }), 'unknown');
      await ledger.markLost(c.id, 'Gone.', 4_000);
      for (const { id, name } of [a, b, c]) {
        const recorded = await ledger.recordResult(posted(name, 'DONE'));
        expect(recorded).toMatchObject({
          isProof: true,
          document: { id, state: 'accepted', message: null },
        });
      }
      await reopen();
      expect(await nextNames(9, { now: 10_000 })).toEqual([]);
      expect((await ledger.counts()).map(({ state: of, count }) => [of, count])).toEqual([['accepted', 3]]);
    });

    it('stop a document from being sent once they prove its arrival', async () => {
      const a = await queued('a', 'a');
      await upload(a.id, later(0, { answerLost: true }), 'unknown');
      expect(await nextNames(1)).toEqual(['doc-a']);
      expect(await ledger.recordResult(posted('doc-a', null))).toMatchObject({ isProof: true });
      await expect(begin(ledger, a.id, 8_000, 1)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
      expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: null });
    });

    it('do not change documents that failed, were never sent, or that a person resends', async () => {
      const [a, b, c] = [await queued('a', 'a'), await queued('b', 'b'), await queued('c', 'c')];
      await upload(a.id, FAILED, 'refused');
      await upload(c.id, later(0, { answerLost: true }), 'unknown');
      await upload(c.id, ACCEPTED);
      await ledger.resend(c.id, 5_000);
      for (const { name } of [a, b, c]) {
        expect(await ledger.recordResult(posted(name, 'DONE'))).toMatchObject({ isProof: false });
      }
      expect(await state(a.id)).toMatchObject({ state: 'failed', serviceStatus: 'DONE' });
      expect(await state(b.id)).toMatchObject({ state: 'queued', serviceStatus: 'DONE' });
      expect(await state(c.id)).toMatchObject({ state: 'queued', serviceStatus: 'DONE' });
    });

    it('leave a running request to its answer, which keeps the status of the result', async () => {
      const a = await queued('a', 'a');
      const attempt = await begin(ledger, a.id, 2_000, 100);
      expect(await ledger.recordResult(posted('doc-a', 'DONE'))).toMatchObject({
        isProof: false,
        document: { state: 'uploading', serviceStatus: 'DONE' },
      });
      await finish(ledger, attempt, ended('accepted', ACCEPTED));
      expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
      expect((await ledger.detail(a.id))?.response).toBe('{"status":"PROCESSING"}');
      // After a resend, the answer is newer than the result.
      await ledger.resend(a.id, 5_000);
      await upload(a.id, ACCEPTED);
      expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'PROCESSING' });
    });

    it('received before anything was sent keep their status on first acceptance, and prove nothing', async () => {
      const [a, b] = [await queued('a', 'a'), await queued('b', 'b')];
      for (const { name } of [a, b]) await ledger.recordResult(posted(name, 'DONE'));
      await upload(a.id, later(0, { answerLost: false }), 'trouble');
      await upload(a.id, ACCEPTED);
      expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
      await ledger.resend(a.id, 5_000);
      await upload(a.id, ACCEPTED);
      expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'PROCESSING' });
      await upload(b.id, later(9_000, { answerLost: true }), 'unknown');
      expect(await state(b.id)).toMatchObject({ state: 'queued', answerLost: true });
    });

    it('replace the lost answer of a running request, even across a restart', async () => {
      const [a, b] = [await queued('a', 'a'), await queued('b', 'b')];
      const attempt = await begin(ledger, a.id, 2_000, 100);
      await begin(ledger, b.id, 2_000, 100);
      await ledger.recordResult(posted('doc-a', 'DONE'));
      await ledger.recordResult(posted('doc-b', null));
      await finish(ledger, attempt, ended('unknown', later(9_000, { answerLost: true })));
      expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
      await reopen();
      expect(await ledger.recover(9_000)).toBe(1);
      expect(await state(b.id)).toMatchObject({ state: 'accepted', serviceStatus: null });
    });

    it('replace an answer lost earlier if they arrive during the next request', async () => {
      const [a, b, c] = [await queued('a', 'a'), await queued('b', 'b'), await queued('c', 'c')];
      for (const { id } of [a, b, c]) await upload(id, later(0, { answerLost: true }), 'unknown');
      const attempts = [];
      for (const { id } of [a, b, c]) attempts.push(await begin(ledger, id, 5_000, 100));
      for (const { name } of [a, b]) await ledger.recordResult(posted(name, 'DONE'));
      const [first = 0, second = 0, third = 0] = attempts;
      // Held back, and told to come later: neither says anything of what was sent before.
      await finish(ledger, first, ended('notSent', later(0, { answerLost: false })));
      await finishReplayed(ledger, second, 6_000, 401, 'no');
      await ledger.postpone(b.id, 0, 'HTTP_401', 'no', 6_000);
      await finish(ledger, third, ended('limited', later(0, { answerLost: false })));
      expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
      expect(await state(b.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
      expect(await state(c.id)).toMatchObject({ state: 'queued' });
    });

    it('replace an answer lost earlier if they arrive before a 401 whose replay is refused', async () => {
      const [a, b, c] = [await queued('a', 'a'), await queued('b', 'b'), await queued('c', 'c')];
      for (const { id } of [a, b]) await upload(id, later(0, { answerLost: true }), 'unknown');
      const refused = { state: 'unconfirmed', reason: 'HTTP_409', message: 'Perhaps.' } as const;
      const replay = async (
        id: number,
        whileOpen: () => Promise<unknown>,
        between: () => Promise<unknown>,
      ) => {
        const attempt = await begin(ledger, id, 5_000, 100);
        await whileOpen();
        await finishReplayed(ledger, attempt, 6_000, 401, 'no');
        await between();
        await finish(ledger, await begin(ledger, id, 7_000, 100), ended('refused', refused));
      };
      const nothing = () => Promise.resolve();
      await replay(a.id, () => ledger.recordResult(posted('doc-a', 'DONE')), nothing);
      await replay(b.id, nothing, () => ledger.recordResult(posted('doc-b', 'DONE')));
      await replay(c.id, nothing, nothing);
      expect(await state(a.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
      expect(await state(b.id)).toMatchObject({ state: 'accepted', serviceStatus: 'DONE' });
      expect(await state(c.id)).toMatchObject({ state: 'unconfirmed' });
    });

    it('do not end a resend by a person', async () => {
      const a = await queued('a', 'a');
      await upload(a.id, later(0, { answerLost: true }), 'unknown');
      await upload(a.id, ACCEPTED);
      await ledger.resend(a.id, 5_000);
      const attempt = await begin(ledger, a.id, 6_000, 100);
      await ledger.recordResult(posted(a.name, 'DONE'));
      await finish(ledger, attempt, ended('limited', later(0, { answerLost: false })));
      expect(await state(a.id)).toMatchObject({ state: 'queued' });
    });

    it('release originals only once one brings a wanted status', async () => {
      const a = await queued('a', 'a');
      await upload(a.id, ACCEPTED);
      const due = async () => (await toDispose('/scans', 0, 9, ['DONE', 'STORED'])).length;
      expect(await due()).toBe(0);
      await ledger.recordResult(posted('doc-a', 'READ'));
      expect(await due()).toBe(0);
      await ledger.recordResult(posted('doc-a', 'DONE'));
      await ledger.recordResult(posted('doc-a', 'BOOKED'));
      expect(await due()).toBe(1);
      expect(await toDispose('/scans', 0, 9, ['GONE'])).toEqual([]);
    });

    it('are erased with their document, including later ones', async () => {
      const a = await queued('a', 'a');
      await upload(a.id, ACCEPTED);
      const { id } = await ledger.recordResult(posted('doc-a', 'DONE'));
      const found = async () => {
        const { rows } = await ledger.page(
          { search: '12.50' },
          { order: 'oldest', limit: 9, withinMs: 60_000 },
        );
        return rows.map((row) => row.posted);
      };
      expect(await found()).toEqual([[{ '/total': '12.50 €' }]]);
      expect(await ledger.erase([a.id], 8_000)).toBe(1);
      expect(await found()).toEqual([]);
      expect(await ledger.result(id)).toMatchObject({ status: 'DONE', payload: null, givenUid: null });
      expect(await ledger.recordResult(posted('doc-a', 'DONE'))).toMatchObject({ isNew: false });
      expect(await ledger.erasable(9_000)).toEqual([]);
      const late = await ledger.recordResult(posted('doc-a', 'BOOKED'));
      expect(await ledger.erasable(9_000)).toEqual([a.id]);
      expect(await ledger.erase([a.id], 9_000)).toBe(1);
      expect(await ledger.result(late.id)).toMatchObject({ payload: null });
    });

    it('are listed in parts for erasing, including those of already erased documents', async () => {
      const ids: number[] = [];
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
        const { id } = await queued(name, name);
        await upload(id, ACCEPTED);
        ids.push(id);
      }
      const [a, b, , , e, , g] = ids as [number, number, number, number, number, number, number];
      await ledger.erase([a, b, e, g], 8_000);
      for (const name of ['b', 'e', 'g']) await ledger.recordResult(posted(`doc-${name}`, 'LATE'));
      const owed = ids.filter((id) => id !== a);
      for (const atMost of [1, 2, 3, 6, 7]) {
        const listed: number[] = [];
        for (let part: number[] = [0]; part.length > 0; listed.push(...part)) {
          const last = listed.at(-1) ?? 0;
          part = (await ledger.erasable(9_000, atMost, last)).filter((id) => id > last).slice(0, atMost);
        }
        expect(listed).toEqual(owed);
      }
    });
  });
}
