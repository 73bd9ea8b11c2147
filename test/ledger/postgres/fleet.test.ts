import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { verifyPostgresLedger } from '../../../src/ledger/postgres/verify.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { claim, OFFICE } from '../../contract/ledger/support.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { type Agent, FleetPlace, imageIn, postResult } from './fleetPlace.ts';
import { targetOf } from './place.ts';

const LEASE_MS = 1_500;

describe.skipIf(!needsPostgres())('agents that share a ledger', () => {
  const place = FleetPlace.ofEachTest();

  it('refuse a second agent of the same name until the first has stopped', async () => {
    const a = await place.open('a');
    await expect(place.open('a')).rejects.toMatchObject({ code: 'AGENT_NAME_TAKEN' });
    await a.close();
    const second = await place.open('a');
    expect(await second.fleet.agents()).toMatchObject([{ name: 'a', state: 'running' }]);
  });

  it('cannot be renamed if they have folders of their own, because nobody would send their images', async () => {
    const instance = randomUUID();
    const a = await place.open('a', { instance });
    await a.admit(imageIn('/scans', 'x.jpg', 'x'));
    // A copy of its state directory, running at the same time.
    await (await place.open('copy', { instance })).close();
    await a.close();
    await expect(place.open('b', { instance })).rejects.toMatchObject({
      code: 'AGENT_RENAMED',
      message: expect.stringContaining('was named a in the ledger before') as string,
      hint: 'Set ledger.agent to a.',
    });
    expect(await place.ask(`SELECT name FROM agents WHERE name = 'b'`)).toEqual([]);
    await place.open('b');
    expect(await claim(await place.open('a', { instance }))).toMatchObject([{ path: 'x.jpg' }]);
  });

  it('are listed with their waiting documents, uploads and holds', async () => {
    const [a, b] = [await place.open('a', { version: '1.2.3' }), await place.open('b')];
    const [id = 0] = await place.documents('a', 3);
    await b.begin(id, 2_000, 1);
    const hold = { scope: 'service', key: OFFICE.baseUrl, reason: 'R', message: 'm' } as const;
    await a.putHold({ ...hold, since: 1, until: null, demandedUntil: null });
    const [first, second] = await b.fleet.agents();
    expect(first).toMatchObject({ name: 'a', version: '1.2.3', queued: 2, uploading: 0, paused: null });
    expect(first?.holds).toMatchObject([hold]);
    expect(Math.abs((first?.lastSeenAt ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(second).toMatchObject({ name: 'b', queued: 0, uploading: 1, holds: [] });
  });

  it('know which results they received, so that each is handed over once', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    await place.documents('a', 1);
    await postResult(a, 'READ');
    await postResult(b, 'DONE');
    expect(await postResult(b, 'READ')).toMatchObject({ isNew: false });
    await postResult(a, 'PAID');
    const statuses = async (agent: Agent, of: 'all' | 'received', after: number | null = null) =>
      (await agent.results({ of, order: 'oldest', after, limit: 9 })).map(({ status }) => status);
    expect(await statuses(a, 'received')).toEqual(['READ', 'PAID']);
    expect(await statuses(b, 'received')).toEqual(['DONE']);
    expect(await statuses(a, 'received', 1)).toEqual(['PAID']);
    expect(await statuses(b, 'all')).toEqual(['READ', 'DONE', 'PAID']);
  });

  it('retire a lost agent: its documents are lost or taken over by another agent, and its results are handed on', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const own = await place.documents('a', 700, 'agent:a', '/scans');
    const [only = 0, sending = 0] = await place.documents('a', 2);
    await place.ask('UPDATE documents SET only_agent = agent_id WHERE id = $1', [only]);
    const received = (agent: Agent, after: number | null = null) =>
      agent.results({ of: 'received', order: 'oldest', after, limit: 9 });
    for (const status of ['HANDED', 'LEFT', 'LAST']) await postResult(a, status);
    await postResult(b, 'OWN');
    await a.fleet.handed(1);
    await claim(a);
    await a.begin(sending, 2_000, 1);
    await expect(b.fleet.retire('a', 7_000)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(b.fleet.retire('b', 7_000)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(b.fleet.retire('nobody', 7_000)).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
    // As if it was killed.
    await place.ask(`UPDATE agents SET lease_until = now() WHERE name = 'a'`);
    expect(await b.fleet.missingFor([only, sending, own[0] ?? 0])).toEqual(['a']);
    const handedBefore = await b.lastResult();
    expect(await b.fleet.retire('a', 7_000)).toEqual({ lost: 700, passedOn: 2, results: 2 });
    expect(await place.standing(own[699] ?? 0)).toMatchObject({ state: 'lost', reason: 'BYTES_GONE' });
    expect(await place.standing(sending)).toMatchObject({ state: 'queued', answer_lost: 1 });
    expect((await claim(b)).map(({ id }) => id)).toEqual([only, sending]);
    // The agent that takes it over may find it missing.
    await b.markLost(only, 'Gone.', 8_000);
    expect(await place.standing(only)).toMatchObject({ state: 'lost' });
    const turns = await received(b, handedBefore);
    expect(turns.map(({ status }) => status)).toEqual(['LEFT', 'LAST']);
    expect(await b.lastResult()).toBe(turns[1]?.turn);
    expect((await b.fleet.agents()).map(({ name }) => name)).toEqual(['b']);
    expect(await b.erase(own, 9_000)).toBe(700);
    await expect(a.recordAct({ at: 1, kind: 'retry', by: 'x', detail: '' })).rejects.toMatchObject({
      code: 'AGENT_FENCED',
    });
    const verified = await verifyPostgresLedger(targetOf(place.url), 'b', null);
    expect(verified.journal.findings).toEqual([]);
  });

  it('create the next month’s history partition while running', async () => {
    let ahead = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead };
    await place.open('a', { clock, leaseMs: LEASE_MS });
    const parts = async () =>
      (
        await place.ask<{ name: string }>(`SELECT inhrelid::regclass::text AS name FROM pg_inherits
        WHERE inhparent = 'history'::regclass ORDER BY 1`)
      ).map(({ name }) => name);
    const before = await parts();
    expect(before).toHaveLength(3);
    await place.ask(`DROP TABLE ${before[1]}`);
    ahead = 13 * 3_600_000;
    await vi.waitFor(async () => expect(await parts()).toEqual(before), 20_000);
  });
});
