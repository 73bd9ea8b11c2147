import { createHash, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/system/systemClock.ts';
import { ACCEPTANCE, claim, OFFICE } from '../../contract/ledger/support.ts';
import { crossCheck } from '../../../src/features/audit/accounting.ts';
import { verifyPostgresLedger } from '../../../src/ledger/postgres/verify.ts';
import type { Admission } from '../../../src/core/ports/ledgerIntake.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { FleetPlace, FrozenClock, type Agent } from './fleetPlace.ts';
import { targetOf } from './place.ts';

const LEASE_MS = 1_500;

function admission(folder: string, path: string, content: string): Admission {
  return {
    endpoint: OFFICE,
    file: { folder, path, identity: { size: 1, mtimeNs: 1n, ctimeNs: 1n, inode: 1n } },
    sha256: createHash('sha256').update(content).digest('hex'),
    type: 'jpeg',
    lane: 'fresh',
    at: 1_000,
    naming: [`doc-${content}`],
  };
}

describe.skipIf(!needsPostgres())('agents that share a ledger', () => {
  let place: FleetPlace;

  beforeEach(async () => {
    place = await FleetPlace.create();
  });
  afterEach(() => place.remove());

  async function standing(id: number) {
    const [row] = await place.ask<{ state: string; reason: string | null; claimed_by: number | null }>(
      'SELECT state, reason, answer_lost, claimed_by FROM documents WHERE id = $1',
      [id],
    );
    return row;
  }

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

  it('share a hold for the time that its owner states, and only if its owner shares it', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const heard: string[] = [];
    b.fleet.onSignal((signal) => heard.push(signal));
    const since = Date.now();
    const [service, endpoint] = [OFFICE.baseUrl, `${OFFICE.baseUrl}#${OFFICE.uid}`];
    const why = { reason: 'R', message: 'm', since };
    await a.putHold({ scope: 'service', key: service, ...why, until: since + 60_000, demandedUntil: null });
    const demandedUntil = since + 60_000;
    const own = { scope: 'endpoint', key: endpoint, ...why, until: since + 90_000, demandedUntil } as const;
    await a.putHold(own, 60_000);
    await vi.waitUntil(() => heard.includes('holds'), 10_000);
    const told = { scope: 'endpoint', key: endpoint, ...why, demandedUntil, agent: 'a' };
    const [{ leftMs = 0, ...first } = { leftMs: 0 }, ...more] = await b.holds();
    expect(first).toMatchObject(told);
    expect(more).toEqual([]);
    expect(leftMs).toBeGreaterThan(50_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    expect(await a.holds()).toHaveLength(2);
    // b's own row is separate, so the hold of a remains.
    await b.clearHold('endpoint', endpoint);
    expect(await b.holds()).toMatchObject([told]);
    // Once the shared time is over, another agent may try; b finds that the hold has ended.
    await a.putHold(own, 0);
    expect((await b.holds()).map(({ leftMs: left = 1 }) => left <= 0)).toEqual([true]);
    await b.clearHold('endpoint', endpoint);
    expect(await b.holds()).toEqual([]);
    // If the problem lasts for `a`, the hold is its own from then on. A wait that the service asks for stays shared.
    await a.putHold({ ...own, demandedUntil: null }, 60_000);
    expect(await b.holds()).toEqual([]);
    await a.putHold(own, 60_000);
    expect(await b.holds()).toHaveLength(1);
    await b.fleet.endHolds();
    expect(await b.holds()).toEqual([]);
    expect(await a.holds()).toEqual([]);
  });

  it('begin no request while another has found the endpoint or its service on hold', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const [first = 0, second = 0] = await place.documents('a', 2);
    const since = Date.now();
    const hold = {
      scope: 'service',
      key: OFFICE.baseUrl,
      reason: 'R',
      message: 'm',
      since,
      until: since + 60_000,
      demandedUntil: null,
    } as const;
    await claim(b);
    await a.putHold(hold, 60_000);
    const begun = await Promise.allSettled([b.begin(first, 2_000, 1), b.begin(second, 2_000, 1)]);
    expect(begun.map((each) => each.status === 'rejected' && each.reason)).toMatchObject([
      { code: 'DOCUMENT_HELD' },
      { code: 'DOCUMENT_HELD' },
    ]);
    expect(await standing(first)).toMatchObject({ state: 'queued', claimed_by: 2 });
    expect((await b.detail(first))?.attempts).toEqual([]);
    // The agent that found the problem tries first, while the others wait.
    await b.release([first]);
    await a.begin(first, 2_000, 1);
    await a.clearHold('service', OFFICE.baseUrl);
    await b.begin(second, 2_000, 1);
    expect(await standing(second)).toMatchObject({ state: 'uploading' });
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
    expect(await standing(id)).toMatchObject({ state: 'accepted', claimed_by: null });
  });

  it('release documents whose bytes they cannot find; only the admitting agent marks them lost', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const [id = 0] = await place.documents('a', 1);
    expect(await claim(b)).toHaveLength(1);
    await b.markLost(id, 'Not there.', 2_000);
    expect(await standing(id)).toMatchObject({ state: 'queued', reason: 'BYTES_ELSEWHERE' });
    expect(await claim(b)).toEqual([]);
    expect(await claim(a)).toMatchObject([{ id }]);
    await a.markLost(id, 'Gone.', 3_000);
    expect(await standing(id)).toMatchObject({ state: 'lost', reason: 'BYTES_GONE' });
  });

  it('search for the bytes at intervals while the admitting agent is not running', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const [given = 0, later = 0] = await place.documents('a', 2);
    expect(await claim(b)).toHaveLength(2);
    await b.markLost(given, 'Not there.', 2_000);
    await a.close();
    await b.markLost(later, 'Not there.', 2_000);
    expect(await standing(later)).toMatchObject({ state: 'queued', reason: 'BYTES_ELSEWHERE' });
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
    const [lost, left] = [admission('/scans/a', 'x.jpg', 'x'), admission('/scans/a', 'y.jpg', 'y')];
    const { document } = await a.admit(lost);
    await a.markLost(document.id, 'Gone.', 2_000);
    const seen = await b.admit(admission('/scans/b', 'again.jpg', 'x'));
    expect(seen).toMatchObject({ kind: 'requeued', document: { id: document.id, name: document.name } });
    expect(await claim(b)).toMatchObject([{ id: document.id, folder: '/scans/b', path: 'again.jpg' }]);
    expect(await b.waiting(0, 10)).toMatchObject([{ id: document.id }]);

    const other = (await a.admit(left)).document;
    // While the admitting agent runs, it sends the image itself.
    expect(await b.admit(admission('/scans/b', 'y1.jpg', 'y'))).toMatchObject({ kind: 'duplicate' });
    await a.close();
    expect(await b.admit(admission('/scans/b', 'y2.jpg', 'y'))).toMatchObject({ kind: 'requeued' });
    expect(await claim(b)).toMatchObject([{ id: other.id, folder: '/scans/b', path: 'y2.jpg' }]);
    const queued = (await b.counts()).filter(({ state }) => state === 'queued');
    expect(queued).toMatchObject([{ folder: '/scans/b', count: 2 }]);
    const verified = await verifyPostgresLedger(targetOf(place.url), 'b', null);
    expect(verified).toMatchObject({ journal: { findings: [] }, ledger: { findings: [] } });
  });

  it('find what was claimed for them by a request whose answer was lost', async () => {
    const a = await place.open('a');
    await place.documents('a', 1);
    await place.ask(`UPDATE documents SET claimed_by = (SELECT id FROM agents WHERE name = 'a')`);
    const blocker = new Client({ connectionString: place.url, options: '-c search_path=receiptd' });
    await blocker.connect();
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
    await a.admit(admission('/scans', 'x.jpg', 'x'));
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
      expect(await standing(sent)).toMatchObject({ ...lost, answer_lost: 1 });
      expect(await standing(between)).toMatchObject({ ...lost, answer_lost: 0 });
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
      expect(await standing(sent)).toMatchObject({ state: 'queued' });

      clock.thaw();
      await vi.waitFor(() => expect(a.fleet.isLeased()).toBe(true), 20_000);
      await vi.waitFor(() => expect(a.storage.trouble()).toBeNull(), 20_000);
      expect(await a.fleet.lead('/mnt/a')).toBe(false);
      await expect(a.finish(attempt, ACCEPTANCE)).rejects.toMatchObject({ code: 'DOCUMENT_TAKEN' });
      await b.release([claimed]);
      expect(await claim(a)).toMatchObject([{ id: claimed }]);
      await a.finish(await a.begin(claimed, 2_000, 1), ACCEPTANCE);
      expect(await standing(claimed)).toMatchObject({ state: 'accepted' });
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
      expect(await standing(id)).toMatchObject({ state: 'queued', answer_lost: 1 });
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
    const admitted = a.admit(admission('/scans', 'late.jpg', 'late'));
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

  it('are notified about folders that they reach, and no others', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const c = await place.open('c', { shares: new Map([['/mnt/c', 'other']]) });
    const heard: string[] = [];
    const unheard: string[] = [];
    b.fleet.onSignal((signal) => heard.push(signal));
    c.fleet.onSignal((signal) => unheard.push(signal));
    await a.admit(admission('/mnt/a', 'shared.jpg', 'shared'));
    await a.fleet.lead('/mnt/a');
    await vi.waitFor(() => expect(heard).toEqual(['queue', 'agents']), 20_000);
    // The others may now take its deferred documents and the folder.
    await a.close();
    await vi.waitFor(() => expect(heard.toSorted()).toEqual(['agents', 'agents', 'queue', 'queue']), 20_000);
    // Sent after those, and to all agents.
    await b.fleet.endHolds();
    await vi.waitFor(() => expect(unheard).toEqual(['holds']), 20_000);
  });

  it('lead a shared folder one at a time, and their own folders always', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const signals: string[] = [];
    b.fleet.onSignal((signal) => signals.push(signal));
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
    expect(await b.fleet.lead('/mnt/b')).toBe(false);
    expect(await b.fleet.lead('/own')).toBe(true);
    expect(await a.fleet.agents()).toMatchObject([{ leads: ['scans'] }, { leads: [] }]);
    await b.fleet.endLead('/mnt/b');
    expect(await b.fleet.lead('/mnt/b')).toBe(false);
    signals.length = 0;
    await a.fleet.endLead('/mnt/a');
    await vi.waitFor(() => expect(signals).toContain('agents'), 20_000);
    expect(await b.fleet.lead('/mnt/b')).toBe(true);
    await b.close();
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
  });

  it('record a deferred image as a former file if the leader knows a newer file at its path by then', async () => {
    const [leader, late] = [await place.open('a'), await place.open('b')];
    await leader.fleet.lead('/mnt/a');
    const changed = (folder: string, path: string, content: string, ctimeNs: bigint): Admission => {
      const image = admission(folder, path, content);
      return { ...image, file: { ...image.file, identity: { ...image.file.identity, ctimeNs } } };
    };
    const known = async (path: string) => {
      const file = await leader.known({ folder: '/mnt/a', path });
      return file && { verdict: file.verdict, ctimeNs: file.identity.ctimeNs };
    };
    const filesOf = async (id: number) =>
      (await leader.detail(id))?.sightings.map(({ verdict, path, goneAt }) => [
        verdict,
        path,
        goneAt !== null,
      ]);
    const newer = { verdict: 'document', ctimeNs: 20n };
    await leader.admit(changed('/mnt/a', 'x.jpg', 'new', 20n));

    const older = await late.admit(changed('/mnt/b', 'x.jpg', 'old', 10n));
    expect(older).toMatchObject({ kind: 'queued' });
    expect(await known('x.jpg')).toEqual(newer);
    expect(await filesOf(older.document.id)).toEqual([['document', '/mnt/a/x.jpg', true]]);
    // As after a kill during the replay, or from another agent; then a file that has the same bytes again.
    expect(await late.admit(changed('/mnt/b', 'x.jpg', 'old', 10n))).toMatchObject({ kind: 'duplicate' });
    expect(await late.admit(changed('/mnt/b', 'x.jpg', 'new', 15n))).toMatchObject({ kind: 'known' });
    const elsewhere = { ...changed('/mnt/b', 'x.jpg', 'old', 30n), isElsewhere: true };
    expect(await late.admit(elsewhere)).toMatchObject({ kind: 'duplicate' });
    expect(await known('x.jpg')).toEqual(newer);
    await leader.admit(changed('/mnt/a', 'copy.jpg', 'old', 20n));
    expect(await known('copy.jpg')).toEqual(newer);
    await late.admit(changed('/mnt/b', 'copy.jpg', 'new', 10n));
    expect(await known('copy.jpg')).toEqual(newer);
    const file = changed('/mnt/b', 'copy.jpg', 'pages', 10n);
    const split = await late.beginSplit(file);
    expect(await late.openSplits(0, 10)).toEqual([split]);
    expect(await known('copy.jpg')).toEqual(newer);

    // A file that the leader sees is current, even if a clock was set back; so is a file that it has not seen yet.
    await leader.admit(changed('/mnt/a', 'x.jpg', 'last', 5n));
    expect(await known('x.jpg')).toEqual({ verdict: 'document', ctimeNs: 5n });
    await late.admit(changed('/mnt/b', 'x.jpg', 'old', 10n));
    expect(await known('x.jpg')).toEqual({ verdict: 'duplicate', ctimeNs: 10n });
    const verified = await verifyPostgresLedger(targetOf(place.url), 'b', null);
    expect(verified).toMatchObject({ journal: { findings: [] }, ledger: { findings: [] } });
    expect((await crossCheck(leader, systemClock, new AbortController().signal)).differences).toEqual([]);
  });

  it('know which results they received, so that each is handed over once', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    await place.documents('a', 1);
    const post = (agent: Agent, status: string) => {
      const payload = Buffer.from(JSON.stringify({ status }));
      const given = { baseUrl: OFFICE.baseUrl, uid: OFFICE.uid, name: 'unknown', status };
      return agent.recordResult({ at: 6_000, ...given, payload });
    };
    await post(a, 'READ');
    await post(b, 'DONE');
    expect(await post(b, 'READ')).toMatchObject({ isNew: false });
    await post(a, 'PAID');
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
    const post = (agent: Agent, status: string) =>
      agent.recordResult({
        at: 6_000,
        baseUrl: OFFICE.baseUrl,
        uid: OFFICE.uid,
        name: 'unknown',
        status,
        payload: Buffer.from(JSON.stringify({ status })),
      });
    for (const status of ['HANDED', 'LEFT', 'LAST']) await post(a, status);
    await post(b, 'OWN');
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
    expect(await standing(own[699] ?? 0)).toMatchObject({ state: 'lost', reason: 'BYTES_GONE' });
    expect(await standing(sending)).toMatchObject({ state: 'queued', answer_lost: 1 });
    expect((await claim(b)).map(({ id }) => id)).toEqual([only, sending]);
    // The agent that takes it over may find it missing.
    await b.markLost(only, 'Gone.', 8_000);
    expect(await standing(only)).toMatchObject({ state: 'lost' });
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

  it('pause and resume each other, across restarts', async () => {
    const [a, b] = [await place.open('a'), await place.open('b')];
    const heard: boolean[] = [];
    b.fleet.onSignal((signal) => {
      if (signal === 'agents') heard.push(b.fleet.isPaused());
    });
    await a.fleet.setPaused('b', 'ann');
    await vi.waitFor(() => expect(heard).toContain(true), 20_000);
    expect(a.fleet.isPaused()).toBe(false);
    expect(await a.fleet.agents()).toMatchObject([{ paused: null }, { paused: { by: 'ann' } }]);
    await b.close();
    const again = await place.open('b');
    expect(again.fleet.isPaused()).toBe(true);
    await again.fleet.setPaused('b', null);
    expect(again.fleet.isPaused()).toBe(false);
    await expect(a.fleet.setPaused('z', 'ann')).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
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
});
