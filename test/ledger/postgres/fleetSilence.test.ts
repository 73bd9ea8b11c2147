import { Client } from 'pg';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ACCEPTANCE, claim } from '../../contract/ledger/support.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { type Agent, FleetPlace, FrozenClock, imageIn } from './fleetPlace.ts';

/** Long enough for a busy machine to work under it, short enough to wait for its end. */
const LEASE_MS = 3_000;

describe.skipIf(!needsPostgres())('agents that share a ledger', () => {
  const place = FleetPlace.ofEachTest();

  describe('when one of them falls silent', () => {
    let clock: FrozenClock;
    let a: Agent;
    let b: Agent;
    let log: RecordedLog;

    beforeEach(async () => {
      clock = new FrozenClock();
      log = new RecordedLog();
      a = await place.open('a', { clock, leaseMs: LEASE_MS });
    });

    async function takenOver(): Promise<void> {
      b = await place.open('b', { log, leaseMs: LEASE_MS });
      await vi.waitFor(() => expect(log.said('Took over')).toHaveLength(1), 20_000);
    }

    it('take over its work, refuse its late writes, and let it resume', async () => {
      const [sent = 0, claimed = 0, between = 0] = await place.documents('a', 4);
      expect(await claim(a, 3)).toHaveLength(3);
      const attempt = await a.begin(sent, 2_000, 1);
      await a.finishReplayed(await a.begin(between, 2_000, 1), 2_100, 401, 'Token.');
      expect(await a.fleet.lead('/mnt/a')).toBe(true);
      expect(a.fleet.isLeased()).toBe(true);
      await takenOver();
      expect(a.fleet.isLeased()).toBe(false);
      const lost = { state: 'queued', reason: 'INTERRUPTED', claimed_by: null };
      expect(await place.standing(sent)).toMatchObject({ ...lost, answer_lost: 1 });
      expect(await place.standing(between)).toMatchObject({ ...lost, answer_lost: 0 });
      expect(await claim(b)).toHaveLength(4);
      expect(await b.fleet.lead('/mnt/b')).toBe(true);
      const late = await Promise.allSettled([
        a.finish(attempt, ACCEPTANCE),
        a.begin(claimed, 2_000, 1),
        a.postpone(between, 9_000, 'R', 'm', 2_000),
      ]);
      for (const each of late)
        expect(each).toMatchObject({ status: 'rejected', reason: { code: 'AGENT_FENCED' } });
      expect(await claim(a).catch(() => [])).toEqual([]);
      expect(await place.standing(sent)).toMatchObject({ state: 'queued' });

      clock.thaw();
      await vi.waitFor(() => expect(a.fleet.isLeased()).toBe(true), 20_000);
      await vi.waitFor(() => expect(a.storage.trouble()).toBeNull(), 20_000);
      expect(await a.fleet.lead('/mnt/a')).toBe(false);
      await expect(a.finish(attempt, ACCEPTANCE)).rejects.toMatchObject({ code: 'DOCUMENT_TAKEN' });
      await b.release([claimed]);
      expect(await claim(a)).toMatchObject([{ id: claimed }]);
      await a.finish(await a.begin(claimed, 2_000, 1), ACCEPTANCE);
      expect(await place.standing(claimed)).toMatchObject({ state: 'accepted' });
      const entries = await place.ask<{ count: string }>(
        `SELECT count(*) FROM history h JOIN agents a ON a.id = h.agent_id
          WHERE a.name = 'b' AND entry LIKE '%INTERRUPTED%'`,
      );
      expect(Number(entries[0]?.count)).toBe(2);
    });

    it('are notified about its documents in folders that they reach, and about nothing else', async () => {
      await place.documents('a', 1);
      expect(await claim(a)).toHaveLength(1);
      const [told, untold]: string[][] = [[], []];
      const c = await place.open('c', { shares: new Map([['/mnt/c', 'other']]) });
      c.fleet.onSignal((signal) => untold?.push(signal));
      b = await place.open('b', { leaseMs: LEASE_MS });
      b.fleet.onSignal((signal) => told?.push(signal));
      await vi.waitFor(() => expect(told).toContain('queue'), 20_000);
      // Sent after it, to all agents.
      await b.fleet.endHolds();
      await vi.waitFor(() => expect(untold).toEqual(['holds']), 20_000);
    });

    it('list it as silent, and let another state directory use its name', async () => {
      await takenOver();
      expect(await b.fleet.agents()).toMatchObject([
        { name: 'a', state: 'silent' },
        { name: 'b', state: 'running' },
      ]);
      const heir = await place.open('a');
      expect(await heir.fleet.agents()).toMatchObject([{ state: 'running' }, { name: 'b' }]);
    });

    it('take over even if it stopped in the middle of a request', async () => {
      const [id = 0] = await place.documents('a', 1);
      await a.begin(id, 2_000, 1);
      await a.close();
      await takenOver();
      expect(await place.standing(id)).toMatchObject({ state: 'queued', answer_lost: 1 });
      expect(await b.fleet.agents()).toMatchObject([{ state: 'stopped' }, { state: 'running' }]);
    });
  });

  it('know which agents have long been silent, what waits for each of them alone, and which agent reports it', async () => {
    const [a, b] = [
      await place.open('a', { leaseMs: LEASE_MS }),
      await place.open('b', { leaseMs: LEASE_MS }),
    ];
    await place.open('c');
    const silence = (agent: Agent) => agent.fleet.silence(600_000, 86_400_000);
    // As of the last heartbeat.
    const first = (agent: Agent) =>
      vi.waitFor(async () => expect(await silence(agent)).toMatchObject({ isFirst: true }), 20_000);
    await first(a);
    expect(await silence(a)).toEqual({ isFirst: true, agents: [] });
    await place.documents('c', 3, 'agent:c', '/scans');
    const [shared = 0, sent = 0] = await place.documents('c', 4);
    await place.ask('UPDATE documents SET only_agent = agent_id WHERE id = ANY ($1)', [[shared, sent]]);
    await place.ask(`UPDATE documents SET state = 'accepted' WHERE id = $1`, [sent]);
    const agent = (name: string, ago: string, lease = 'NULL', running = true) =>
      place.ask(
        `INSERT INTO agents (name, host, running, started_at, seen_at, lease_until, chain, head_hash)
         VALUES ($1, $1 || '-pc', $2, now(), now() - $3::interval, now() + ${lease}, gen_random_uuid(), '')`,
        [name, running, ago],
      );
    await agent('gone', '11 minutes');
    await agent('overdue', '1 hour', `interval '-1 minute'`);
    await agent('lately', '9 minutes');
    await agent('stopped', '1 hour', 'NULL', false);
    await agent('alive', '1 hour', `interval '1 hour'`);
    await agent('former', '25 hours');
    await vi.waitFor(async () => expect((await silence(b)).agents).not.toEqual([]), 20_000);
    const { isFirst, agents } = await silence(b);
    expect(isFirst).toBe(false);
    expect(agents).toMatchObject([
      { name: 'gone', host: 'gone-pc' },
      { name: 'overdue', host: 'overdue-pc' },
    ]);
    expect(Math.abs(Date.now() - 660_000 - (agents[0]?.lastSeenAt ?? 0))).toBeLessThan(60_000);
    expect(await b.fleet.waitingFor('c')).toBe(4);
    expect(await b.fleet.waitingFor('gone')).toBe(0);
    await a.close();
    await place.ask(`UPDATE agents SET lease_until = NULL WHERE name = 'alive'`);
    await first(b);
  });

  it('keep their lease while one of their transactions waits for a lock of another agent', async () => {
    const a = await place.open('a', { leaseMs: LEASE_MS });
    await place.documents('a', 1);
    const blocked = new Client({ connectionString: place.url });
    // Its database is removed before it ends.
    blocked.on('error', () => {});
    await blocked.connect();
    cleanUp(() => blocked.end());
    await blocked.query('BEGIN');
    await blocked.query('SELECT 1 FROM receiptd.endpoints FOR UPDATE');
    const admitted = a.admit(imageIn('/scans', 'late.jpg', 'late'));
    const waitsFor = () =>
      place.ask(
        `SELECT 1 FROM pg_stat_activity WHERE application_name = 'receiptd a' AND wait_event_type = 'Lock'`,
      );
    await vi.waitFor(async () => expect(await waitsFor()).toHaveLength(1), 20_000);
    const since = Date.now();
    await vi.waitUntil(() => Date.now() - since > 2 * LEASE_MS || !a.fleet.isLeased(), 20_000);
    expect(a.fleet.isLeased()).toBe(true);
    expect(await waitsFor()).toHaveLength(1);
    await blocked.query('COMMIT');
    expect(await admitted).toMatchObject({ kind: 'queued' });
  });
});
