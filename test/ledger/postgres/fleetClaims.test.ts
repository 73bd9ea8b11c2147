import { describe, expect, it, vi } from 'vitest';
import { verifyPostgresLedger } from '../../../src/ledger/postgres/verify.ts';
import { ACCEPTANCE, claim } from '../../contract/ledger/support.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { FleetPlace, imageIn } from './fleetPlace.ts';
import { connected, targetOf } from './place.ts';

describe.skipIf(!needsPostgres())('agents that share a ledger', () => {
  const place = FleetPlace.ofEachTest();

  it('claim each of 2,000 documents once, whichever agent asks first', async () => {
    const agents = await Promise.all(['a', 'b', 'c', 'd'].map((name) => place.open(name)));
    await place.documents('a', 2_000);
    const claimed = await Promise.all(
      agents.map(async (agent) => {
        const own: number[] = [];
        for (;;) {
          const documents = await claim(agent, 16);
          if (documents.length === 0) return own;
          expect(documents[0]?.folder).toBe(`/mnt/${agent.fleet.agent}`);
          own.push(...documents.map(({ id }) => id));
        }
      }),
    );
    expect(claimed.flat()).toHaveLength(2_000);
    expect(new Set(claimed.flat()).size).toBe(2_000);
    expect(claimed.every((own) => own.length > 0)).toBe(true);
  });

  it('claim only documents in folders that they reach, and release their claims when they stop', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    await place.documents('a', 1, 'agent:a', '/scans');
    await place.documents('a', 2);
    expect(await claim(b)).toHaveLength(2);
    expect(await claim(a)).toMatchObject([{ folder: '/scans' }]);
    await b.close();
    expect(await claim(a)).toHaveLength(2);
  });

  it('leave a document to the agent that claimed it', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const [id = 0] = await place.documents('a', 1);
    await claim(a);
    const taken = { code: 'DOCUMENT_TAKEN' };
    await expect(b.begin(id, 1, 1)).rejects.toMatchObject(taken);
    await expect(b.postpone(id, 9, 'R', 'm', 1)).rejects.toMatchObject(taken);
    await expect(b.markLost(id, 'm', 1)).rejects.toMatchObject(taken);
    const attempt = await a.begin(id, 2_000, 1);
    await expect(b.begin(id, 1, 1)).rejects.toMatchObject(taken);
    await expect(b.finish(attempt, ACCEPTANCE)).rejects.toMatchObject(taken);
    await expect(b.finishReplayed(attempt, 1, 401, 'm')).rejects.toMatchObject(taken);
    expect(await b.recover(1)).toBe(0);
    await a.finish(attempt, ACCEPTANCE);
    expect(await place.standing(id)).toMatchObject({ state: 'accepted', claimed_by: null });
  });

  it('find what was claimed for them by a request whose answer was lost', async () => {
    const a = await place.open('a');
    await place.documents('a', 1);
    await place.ask(`UPDATE documents SET claimed_by = (SELECT id FROM agents WHERE name = 'a')`);
    const blocker = await connected(place.url);
    try {
      await blocker.query(`BEGIN`);
      await blocker.query(`SELECT 1 FROM agents WHERE name = 'a' FOR UPDATE`);
      const found = claim(a);
      await vi.waitFor(async () => {
        const cut = await place.ask<{ cut: boolean }>(
          `SELECT pg_terminate_backend(pid) AS cut FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE '%FROM claim_documents(%' AND wait_event_type = 'Lock'`,
        );
        expect(cut).toEqual([{ cut: true }]);
      }, 20_000);
      await blocker.query('COMMIT');
      expect(await found).toHaveLength(1);
    } finally {
      await blocker.end();
    }
  });

  it('release documents whose bytes they cannot find; only the admitting agent marks them lost', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const [id = 0] = await place.documents('a', 1);
    expect(await claim(b)).toHaveLength(1);
    await b.markLost(id, 'Not there.', 2_000);
    expect(await place.standing(id)).toMatchObject({ state: 'queued', reason: 'BYTES_ELSEWHERE' });
    expect(await claim(b)).toEqual([]);
    expect(await claim(a)).toMatchObject([{ id }]);
    await a.markLost(id, 'Gone.', 3_000);
    expect(await place.standing(id)).toMatchObject({ state: 'lost', reason: 'BYTES_GONE' });
  });

  it('search for the bytes at intervals while the admitting agent is not running', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const [given = 0, later = 0] = await place.documents('a', 2);
    expect(await claim(b)).toHaveLength(2);
    await b.markLost(given, 'Not there.', 2_000);
    await a.close();
    await b.markLost(later, 'Not there.', 2_000);
    expect(await place.standing(later)).toMatchObject({ state: 'queued', reason: 'BYTES_ELSEWHERE' });
    expect(await claim(b)).toMatchObject([{ id: given }]);
    expect(await claim(b, 10, { now: 602_001 })).toMatchObject([{ id: later }]);
  });

  it('leave the bytes to the admitting agent once it is back, however long their own wait would be', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const [id = 0] = await place.documents('a', 1);
    await a.close();
    expect(await claim(b)).toHaveLength(1);
    await b.markLost(id, 'Not there.', 2_000);
    expect(await claim(b)).toEqual([]);
    const back = await place.open('a');
    expect(await claim(b)).toEqual([]);
    expect(await claim(back)).toMatchObject([{ id }]);
  });

  it('send an image that they have, even if the agent that admitted it lost it or is gone', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const [lost, left] = [imageIn('/scans/a', 'x.jpg', 'x'), imageIn('/scans/a', 'y.jpg', 'y')];
    const { document } = await a.admit(lost);
    await a.markLost(document.id, 'Gone.', 2_000);
    const seen = await b.admit(imageIn('/scans/b', 'again.jpg', 'x'));
    expect(seen).toMatchObject({ kind: 'requeued', document: { id: document.id, name: document.name } });
    expect(await claim(b)).toMatchObject([{ id: document.id, folder: '/scans/b', path: 'again.jpg' }]);
    expect(await b.waiting(0, 10)).toMatchObject([{ id: document.id }]);

    const other = (await a.admit(left)).document;
    // While the admitting agent runs, it sends the image itself.
    expect(await b.admit(imageIn('/scans/b', 'y1.jpg', 'y'))).toMatchObject({ kind: 'duplicate' });
    await a.close();
    expect(await b.admit(imageIn('/scans/b', 'y2.jpg', 'y'))).toMatchObject({ kind: 'requeued' });
    expect(await claim(b)).toMatchObject([{ id: other.id, folder: '/scans/b', path: 'y2.jpg' }]);
    const queued = (await b.counts()).filter(({ state }) => state === 'queued');
    expect(queued).toMatchObject([{ folder: '/scans/b', count: 2 }]);
    const verified = await verifyPostgresLedger(targetOf(place.url), 'b', null);
    expect(verified).toMatchObject({ journal: { findings: [] }, ledger: { findings: [] } });
  });
});
