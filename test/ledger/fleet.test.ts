import { endpointId, type Lane } from '../../src/core/domain/document.ts';
import type { BeginAnswer } from '../../src/core/messages.ts';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { periodStart } from '../../src/core/domain/limits.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import { Pacer, sharedLimits } from '../../src/flow/limits/pacer.ts';
import type { Limits } from '../../src/core/domain/settings.ts';
import type { LedgerFleet } from '../../src/core/ports/fleet.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import { openPostgresLedger, type PostgresLedgerOptions } from '../../src/ledger/openPostgres.ts';
import { Client } from 'pg';
import type { Admission } from '../../src/core/ports/ledgerIntake.ts';
import { crossCheck } from '../../src/features/audit/accounting.ts';
import { verifyPostgresLedger } from '../../src/ledger/fleet/verify.ts';
import { systemClock } from '../../src/system/systemClock.ts';
import { ACCEPTANCE, admission, nextOf, OFFICE, seen } from '../contract/ledger/support.ts';
import { needsPostgres } from '../support/postgres.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { agentOptions, ask, databaseOfEachTest } from './support/agents.ts';
import { FrozenClock } from './support/frozenClock.ts';
import { begin, finish } from '../support/uploads.ts';

type Agent = Ledger & { readonly fleet: LedgerFleet };
const LEASE_MS = 1_500;

function imageIn(folder: string, path: string, content: string) {
  return admission('', content, { file: seen(path, 1, folder), at: 1_000 });
}

describe.skipIf(!needsPostgres())('agents that share a ledger', () => {
  const database = databaseOfEachTest();
  const open = new Set<Agent>();

  afterEach(async () => {
    await Promise.all([...open].map((agent) => agent.close()));
    open.clear();
  });

  /** Has the shared folder `/mnt/<name>`. */
  async function join(name: string, more: Partial<PostgresLedgerOptions> = {}): Promise<Agent> {
    const shares = new Map([[`/mnt/${name}`, 'scans']]);
    const ledger = await openPostgresLedger({ ...agentOptions(database.url, name, { shares }), ...more });
    if (ledger.fleet === null) throw new Error('a shared ledger has a fleet');
    const agent = { ...ledger, fleet: ledger.fleet };
    open.add(agent);
    return agent;
  }

  /** In their order in the queue: what another agent may watch is looked up first, and the images that come with it overtake each other. */
  async function admitted(
    agent: Agent,
    count: number,
    folder = `/mnt/${agent.fleet.agent}`,
  ): Promise<number[]> {
    const images = Array.from({ length: count }, (_, n) =>
      imageIn(folder, `${folder} ${n}.jpg`, `${folder} ${n}`),
    );
    const ids = await Promise.all(images.map(async (image) => (await agent.admit(image)).document.id));
    return ids.toSorted((x, y) => x - y);
  }

  /** Each agent takes its own share first. */
  async function allNext(agent: Agent, now: number): Promise<number[]> {
    const ids: number[] = [];
    for (const { id } of await nextOf(agent, 1_000, { now })) ids.push(id);
    return ids.toSorted((x, y) => x - y);
  }

  /** What becomes of beginnings under limits that the agents share. */
  async function begun(
    agent: Agent,
    ids: readonly number[],
    limits: Omit<Limits, 'concurrency'>,
    lane: Lane = 'fresh',
    clock: Pick<Clock, 'now'> = systemClock,
  ) {
    const shared = sharedLimits({ concurrency: 1, ...limits }, lane);
    const begins = ids.map((document) => ({ document, bytes: 1, at: clock.now(), ...shared }));
    const recorded = await agent.record(() => ({ ends: [], begins }));
    return (recorded.begun.answers ?? []) as readonly BeginAnswer[];
  }

  const standing = async (id: number) =>
    (
      await ask<object>(database.url, 'SELECT state, reason, answer_lost::int FROM documents WHERE id = $1', [
        id,
      ])
    )[0];
  const kill = (name: string) =>
    ask(database.url, `UPDATE agents SET lease_until = 1 WHERE name = $1`, [name]);

  const endAll = () =>
    ask(
      database.url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );

  it('cannot be renamed if they have folders of their own', async () => {
    const instance = randomUUID();
    const a = await join('a', { instance });
    await a.admit(imageIn('/scans', 'x.jpg', 'x'));
    await (await join('copy', { instance })).close();
    await a.close();
    await expect(join('b', { instance })).rejects.toMatchObject({ code: 'AGENT_RENAMED' });
    expect(await ask(database.url, `SELECT name FROM agents WHERE name = 'b'`)).toEqual([]);
    await join('b');
    expect(await nextOf(await join('a', { instance }))).toMatchObject([{ path: 'x.jpg' }]);
  });

  it('are listed with their waiting documents, uploads, leads and holds', async () => {
    const [a, b] = [await join('a', { version: '1.2.3' }), await join('b')];
    const [id = 0] = await admitted(a, 3);
    await begin(b, id, 2_000, 1);
    await a.fleet.lead('/mnt/a');
    const hold = { scope: 'service', key: OFFICE.baseUrl, reason: 'R', message: 'm' } as const;
    await a.putHold({ ...hold, since: 1, until: null, demandedUntil: null });
    const [first, second] = await b.fleet.agents();
    expect(first).toMatchObject({
      name: 'a',
      version: '1.2.3',
      state: 'running',
      queued: 2,
      uploading: 0,
      paused: null,
    });
    expect(first).toMatchObject({ leads: ['scans'], holds: [hold] });
    expect(Math.abs((first?.lastSeenAt ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(second).toMatchObject({ name: 'b', queued: 0, uploading: 1, holds: [] });
  });

  it('begin each document once, and start with different ones', async () => {
    const agents = await Promise.all(['a', 'b', 'c'].map((name) => join(name, { leaseMs: LEASE_MS })));
    const [first] = agents;
    if (first === undefined) throw new Error('no agent');
    const documents = await admitted(first, 60);
    // Each knows of the others with its next heartbeat.
    await vi.waitFor(async () => {
      const firsts = await Promise.all(
        agents.map(async (agent) => (await nextOf(agent, 60)).find((each) => agent.fleet.isTurn(each))?.id),
      );
      expect(new Set(firsts).size).toBe(3);
    }, 20_000);
    const begun = await Promise.all(
      agents.map(async (agent) => {
        const own: number[] = [];
        for (;;) {
          const next = await nextOf(agent, 8);
          if (next.length === 0) return own;
          const attempts = await Promise.allSettled(next.map(({ id }) => begin(agent, id, 2_000, 1)));
          for (const [i, attempt] of attempts.entries()) {
            if (attempt.status === 'fulfilled') {
              own.push(next[i]?.id ?? 0);
              await finish(agent, attempt.value, ACCEPTANCE);
            }
          }
        }
      }),
    );
    expect(begun.flat().toSorted((x, y) => x - y)).toEqual(documents.toSorted((x, y) => x - y));
  });

  it('take over from one that went silent, refuse its late writes, and let it resume', async () => {
    const clock = new FrozenClock();
    const [a, b] = [await join('a', { leaseMs: LEASE_MS, clock }), await join('b', { leaseMs: LEASE_MS })];
    const [id = 0] = await admitted(a, 1);
    const attempt = await begin(a, id, 2_000, 1);
    expect(a.fleet.isLeased(attempt)).toBe(true);
    await vi.waitFor(
      async () =>
        expect(await standing(id)).toEqual({ state: 'queued', reason: 'INTERRUPTED', answer_lost: 1 }),
      20_000,
    );
    expect(a.fleet.isLeased(attempt)).toBe(false);
    expect(await b.fleet.agents()).toMatchObject([{ state: 'silent' }, { state: 'running' }]);
    await expect(finish(a, attempt, ACCEPTANCE)).rejects.toMatchObject({ code: 'AGENT_FENCED' });
    clock.thaw();
    await vi.waitFor(
      async () => expect(await a.fleet.agents()).toMatchObject([{ state: 'running' }, {}]),
      20_000,
    );
    expect(a.fleet.isLeased(attempt)).toBe(false);
    await vi.waitFor(() => expect(a.fleet.isLeased()).toBe(true), 20_000);
    expect(await begin(a, id, 4_000, 1)).toBeGreaterThan(attempt);
  });

  it('come back at once although another one is silent', async () => {
    const log = new RecordedLog();
    const [a, b] = [await join('a', { clock: new FrozenClock() }), await join('b', { log })];
    const [id = 0] = await admitted(a, 1);
    await begin(a, id, 2_000, 1);
    await kill('a');
    await endAll();
    await vi.waitFor(() => expect(b.storage.trouble()).not.toBeNull(), 20_000);
    await vi.waitFor(async () => expect(await standing(id)).toMatchObject({ state: 'queued' }), 20_000);
    expect(log.lines.filter(({ level }) => level === 'error').map(({ level }) => level)).toEqual(['error']);
  });

  it('take over to the end what an agent was killed in the middle of taking over', async () => {
    const a = await join('a', { clock: new FrozenClock() });
    const [sent = 0, missing = 0] = await admitted(a, 2);
    await a.fleet.lead('/mnt/a');
    await begin(a, sent, 2_000, 1);
    const first = await join('b', { clock: new FrozenClock() });
    await first.markLost(missing, 'Not there.', 2_000);
    // It has taken over the request, and was killed before others may look for what only the silent agent had.
    await kill('a');
    await first.recover(3_000);
    await ask(
      database.url,
      `UPDATE agents SET epoch = epoch + 1, taken_by = (SELECT id FROM agents WHERE name = 'b') WHERE name = 'a'`,
    );
    const waits = (agent: Agent) => allNext(agent, Date.now() + 60_000);
    const log = new RecordedLog();
    const c = await join('c', { leaseMs: LEASE_MS, log });
    await vi.waitFor(() => expect(c.fleet.silence(0, 60_000)).resolves.toMatchObject({}), 20_000);
    expect(log.said('Took over')).toEqual([]);
    await kill('b');
    await vi.waitFor(() => expect(log.said('Took over').length).toBeGreaterThanOrEqual(2), 20_000);
    expect(await standing(sent)).toMatchObject({ state: 'queued' });
    expect(await waits(c)).toEqual([sent, missing]);
    expect(await ask(database.url, 'SELECT folder FROM leads')).toEqual([]);
    expect(
      await ask(database.url, `SELECT lease_until, taken_by FROM agents WHERE name IN ('a', 'b')`),
    ).toEqual([
      { lease_until: null, taken_by: null },
      { lease_until: null, taken_by: null },
    ]);
  });

  it('end only leads of sessions that are over', async () => {
    const a = await join('a');
    const own = async () => ask<object>(database.url, 'SELECT epoch::int FROM leads');
    await a.fleet.lead('/mnt/a');
    const [lead] = await own();
    // A session of the same agent that is over: what it does late leaves the lead alone.
    await ask(database.url, 'UPDATE leads SET epoch = epoch + 1');
    await a.fleet.endLead('/mnt/a');
    expect(await own()).toHaveLength(1);
    await ask(database.url, 'UPDATE leads SET epoch = epoch - 1');
    expect(await own()).toEqual([lead]);
    await a.close();
    expect(await own()).toEqual([]);
  });

  it('lose a lead that the server lost', async () => {
    const [a, b] = [await join('a'), await join('b')];
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
    await ask(database.url, 'DELETE FROM leads');
    expect(await b.fleet.lead('/mnt/b')).toBe(true);
    await endAll();
    await vi.waitFor(async () => expect(await a.fleet.lead('/mnt/a')).toBe(false), 20_000);
  });

  it('take over even if one stopped in the middle of a request, and let another state directory have its name', async () => {
    const [a, b] = [await join('a', { leaseMs: LEASE_MS }), await join('b', { leaseMs: LEASE_MS })];
    const [id = 0] = await admitted(a, 1);
    await begin(a, id, 2_000, 1);
    await a.close();
    await vi.waitFor(async () => expect(await standing(id)).toMatchObject({ state: 'queued' }), 20_000);
    expect(await b.fleet.agents()).toMatchObject([{ state: 'stopped' }, { state: 'running' }]);
    expect(await (await join('a')).fleet.agents()).toMatchObject([
      { state: 'running' },
      { state: 'running' },
    ]);
  });

  it('are next again with what another was sending when it went silent', async () => {
    const [a, b] = [await join('a', { clock: new FrozenClock() }), await join('b', { leaseMs: LEASE_MS })];
    const [id = 0] = await admitted(a, 1);
    expect(await nextOf(b)).toHaveLength(1);
    const attempt = await begin(a, id, 2_000, 1);
    await expect(begin(b, id, 2_000, 1)).rejects.toMatchObject({ code: 'DOCUMENT_TAKEN' });
    await expect(finish(b, attempt, ACCEPTANCE)).rejects.toMatchObject({ code: 'DOCUMENT_STATE' });
    expect(await standing(id)).toMatchObject({ state: 'uploading' });
    await kill('a');
    await vi.waitFor(async () => expect(await nextOf(b)).toMatchObject([{ id }]), 20_000);
  });

  it('record a deferred image as a former file if the leader knows a newer file at its path by then', async () => {
    const [leader, late] = [await join('a'), await join('b')];
    await leader.fleet.lead('/mnt/a');
    const changed = (folder: string, path: string, content: string, ctimeNs: bigint): Admission => {
      const image = imageIn(folder, path, content);
      return { ...image, file: { ...image.file, identity: { ...image.file.identity, ctimeNs } } };
    };
    const known = async (path: string) => {
      const file = await leader.known({ folder: '/mnt/a', path });
      return file && { verdict: file.verdict, ctimeNs: file.identity.ctimeNs };
    };
    const filesOf = async (id: number) =>
      (await leader.detail(id))?.files.map(({ verdict, path, goneAt }) => [verdict, path, goneAt !== null]);
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
    const verified = await verifyPostgresLedger(agentOptions(database.url).target, 'b', null);
    expect(verified).toMatchObject({ journal: { findings: [] }, ledger: { findings: [] } });
    expect((await crossCheck(leader, systemClock, new AbortController().signal)).differences).toEqual([]);
  });

  it('send only what lies in folders that they reach', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const [own = 0] = await admitted(a, 1, '/scans');
    const shared = await admitted(a, 2);
    expect(await allNext(b, 2_000)).toEqual(shared);
    expect(await allNext(a, 2_000)).toEqual([own, ...shared]);
  });

  it('leave the work of one that is back alone', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const [id = 0] = await admitted(a, 1);
    await begin(a, id, 2_000, 1);
    await b.recover(3_000);
    expect(await standing(id)).toMatchObject({ state: 'uploading' });
  });

  it('are notified about folders that they reach, and no others', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const c = await join('c', { shares: new Map([['/mnt/c', 'other']]) });
    const [heard, unheard]: [string[], string[]] = [[], []];
    b.fleet.onSignal((signal) => heard.push(signal));
    c.fleet.onSignal((signal) => unheard.push(signal));
    await a.admit(imageIn('/mnt/a', 'shared.jpg', 'shared'));
    await a.fleet.lead('/mnt/a');
    await vi.waitFor(() => expect(heard).toEqual(['queue', 'agents']), 20_000);
    await a.close();
    await vi.waitFor(() => expect(heard.toSorted()).toEqual(['agents', 'agents', 'queue', 'queue']), 20_000);
    // Sent after those, and to all agents.
    const hold = { scope: 'service', key: OFFICE.baseUrl, reason: 'R', message: 'm' } as const;
    await b.putHold({ ...hold, since: 1, until: null, demandedUntil: null }, 1_000);
    await vi.waitFor(() => expect(unheard).toEqual(['holds']), 20_000);
  });

  it('lead a shared folder one at a time, and their own folders always', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const signals: string[] = [];
    b.fleet.onSignal((signal) => signals.push(signal));
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
    expect(await b.fleet.lead('/mnt/b')).toBe(false);
    expect(await b.fleet.lead('/own')).toBe(true);
    await b.fleet.endLead('/mnt/b');
    expect(await b.fleet.lead('/mnt/b')).toBe(false);
    signals.length = 0;
    await a.fleet.endLead('/mnt/a');
    await vi.waitFor(() => expect(signals).toContain('agents'), 20_000);
    expect(await b.fleet.lead('/mnt/b')).toBe(true);
    await b.close();
    expect(await a.fleet.lead('/mnt/a')).toBe(true);
  });

  it('return documents whose bytes they cannot find; only the admitting agent marks them lost', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const [id = 0] = await admitted(a, 1);
    expect(await nextOf(b)).toHaveLength(1);
    await b.markLost(id, 'Not there.', 2_000);
    expect(await standing(id)).toMatchObject({ state: 'queued', reason: 'BYTES_ELSEWHERE' });
    expect(await b.fleet.waitingFor('a')).toBe(1);
    expect(await nextOf(b, 10, { now: 2_000_000 })).toEqual([]);
    expect(await nextOf(a)).toMatchObject([{ id }]);
    await a.markLost(id, 'Gone.', 3_000);
    expect(await standing(id)).toMatchObject({ state: 'lost', reason: 'BYTES_GONE' });
  });

  it('search for bytes at intervals while the admitting agent is not running, and leave them to it once it is back', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const [given = 0, later = 0] = await admitted(a, 2);
    expect(await allNext(b, 2_000)).toEqual([given, later]);
    await b.markLost(given, 'Not there.', 2_000);
    await a.close();
    const now = Date.now();
    await b.markLost(later, 'Not there.', now);
    expect(await nextOf(b, 10, { now: now + 60_000 })).toMatchObject([{ id: given }]);
    expect((await nextOf(b, 10, { now: now + 602_001 })).map(({ id }) => id)).toContain(later);
    const back = await join('a');
    expect(await nextOf(b, 10, { now: now + 602_001 })).toEqual([]);
    expect(await allNext(back, now + 60_000)).toEqual([given, later]);
  });

  it('send an image that they have, even if the agent that admitted it lost it or is gone', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const { document } = await a.admit(imageIn('/scans/a', 'x.jpg', 'x'));
    await a.markLost(document.id, 'Gone.', 2_000);
    const again = await b.admit(imageIn('/scans/b', 'again.jpg', 'x'));
    expect(again).toMatchObject({ kind: 'requeued', document: { id: document.id, name: document.name } });
    expect(await nextOf(b)).toMatchObject([{ id: document.id, folder: '/scans/b', path: 'again.jpg' }]);
    const queued = (await b.counts()).filter(({ state }) => state === 'queued');
    expect(queued).toMatchObject([{ folder: '/scans/b', count: 1 }]);
  });

  it('pause and resume each other, across restarts', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const heard: boolean[] = [];
    b.fleet.onSignal((signal) => {
      if (signal === 'agents') heard.push(b.fleet.isPaused());
    });
    await a.fleet.setPaused('b', 'ann');
    await vi.waitFor(() => expect(heard).toContain(true), 20_000);
    expect(a.fleet.isPaused()).toBe(false);
    expect(await a.fleet.agents()).toMatchObject([{ paused: null }, { paused: { by: 'ann' } }]);
    await b.close();
    const again = await join('b');
    expect(again.fleet.isPaused()).toBe(true);
    await again.fleet.setPaused('b', null);
    expect(again.fleet.isPaused()).toBe(false);
    await expect(a.fleet.setPaused('z', 'ann')).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
  });

  it.each([
    ['service', OFFICE.baseUrl],
    ['endpoint', endpointId(OFFICE)],
  ] as const)('begin no request while another has found the %s on hold', async (scope, key) => {
    const [a, b] = [await join('a'), await join('b')];
    const [first = 0, second = 0] = await admitted(a, 2);
    const since = Date.now();
    const hold = { scope, key, reason: 'R', message: 'm', since } as const;
    await a.putHold({ ...hold, until: since + 60_000, demandedUntil: null }, 60_000);
    await expect(begin(b, first, 2_000, 1)).rejects.toThrow('the document is held');
    expect(await b.holds()).toMatchObject([{ agent: 'a' }]);
    expect((await b.detail(first))?.attempts).toEqual([]);
    await begin(a, first, 2_000, 1);
    await b.fleet.endHolds();
    await begin(b, second, 2_000, 1);
    expect(await standing(second)).toMatchObject({ state: 'uploading' });
  });

  it('share a hold for the time that its agent states, and only if that shares it', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const since = Date.now();
    const why = { reason: 'R', message: 'm', since };
    const demandedUntil = since + 60_000;
    const key = endpointId(OFFICE);
    const own = { scope: 'endpoint', key, ...why, until: since + 90_000, demandedUntil } as const;
    await a.putHold({
      scope: 'service',
      key: OFFICE.baseUrl,
      ...why,
      until: since + 60_000,
      demandedUntil: null,
    });
    await a.putHold(own, 60_000);
    const [{ leftMs = 0, ...first } = { leftMs: 0 }, ...more] = await b.holds();
    expect(first).toMatchObject({ scope: 'endpoint', key, ...why, demandedUntil, agent: 'a' });
    expect(more).toEqual([]);
    expect(leftMs).toBeGreaterThan(50_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    expect(await a.holds()).toHaveLength(2);
    // What b found to be over was its own.
    await b.clearHold('endpoint', key);
    expect(await b.holds()).toHaveLength(1);
    // Once the shared time is over, another agent may try; b finds that the hold has ended.
    await a.putHold(own, 0);
    expect((await b.holds()).map(({ leftMs: left = 1 }) => left <= 0)).toEqual([true]);
    await b.clearHold('endpoint', key);
    expect(await b.holds()).toEqual([]);
    expect(await a.holds()).toHaveLength(2);
    // If the trouble lasts for a, it is a's own from then on. A wait that the service asks for stays shared.
    await a.putHold({ ...own, demandedUntil: null }, 60_000);
    expect(await b.holds()).toEqual([]);
    await a.putHold(own, 60_000);
    expect(await b.holds()).toHaveLength(1);
    await b.fleet.endHolds();
    expect([await a.holds(), await b.holds()]).toEqual([[], []]);
  });

  it('leave a share of a long window to fresh scans', async () => {
    const a = await join('a');
    const ids = await admitted(a, 11);
    const limits = { rate: { count: 10, intervalMs: 60_000 }, perDay: null, perMonth: null };
    for (const id of ids.slice(0, 9)) await begin(a, id, Date.now(), 1);
    const kindOf = async (lane: Lane, n: number) => (await begun(a, [ids[n] ?? 0], limits, lane))[0]?.kind;
    expect(await kindOf('backlog', 9)).toBe('limited');
    expect(await kindOf('fresh', 9)).toBe('begun');
    expect(await kindOf('fresh', 10)).toBe('limited');
  });

  it('apply rates and budgets together', async () => {
    const [a, b] = [await join('a'), await join('b')];
    const ids = await admitted(a, 8);
    const limits = { rate: { count: 3, intervalMs: 60_000 }, perDay: null, perMonth: null };
    const answers = await Promise.all([begun(a, ids.slice(0, 4), limits), begun(b, ids.slice(2, 6), limits)]);
    expect(answers.flat().filter(({ kind }) => kind === 'begun')).toHaveLength(3);
    expect(answers.flat().filter(({ kind }) => kind === 'limited')).not.toEqual([]);
    const budget = { rate: null, perDay: 3, perMonth: null };
    expect(await begun(b, ids.slice(6, 7), budget)).toEqual([
      { kind: 'limited', waitMs: expect.any(Number) as number },
    ]);
    expect(await begun(b, ids.slice(6, 7), { ...budget, perDay: 4 })).toMatchObject([{ kind: 'begun' }]);
  });

  it('count budgets by the days of the ledger, however far the clock of one is ahead', async () => {
    const midnight = periodStart('day', Date.now(), 1);
    const aheadMs = midnight + 6 * 3_600_000 - Date.now();
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    const [a, b] = [await join('a'), await join('b', { clock })];
    const ids = await admitted(a, 6);
    const limits = { rate: null, perDay: 3, perMonth: null };
    const own = { ...limits, concurrency: 1 };
    const pacerOf = (agent: Agent, its: Clock) =>
      Pacer.create({
        clock: its,
        ledger: agent,
        overall: { ...own, perDay: null },
        endpoints: [{ key: OFFICE, alias: 'office', limits: own }],
      });
    expect(await begun(b, ids.slice(0, 2), limits, 'fresh', clock)).toMatchObject([
      { kind: 'begun' },
      { kind: 'begun' },
    ]);
    expect((await pacerOf(b, clock)).delay(OFFICE, 'fresh').ms).toBe(0);
    expect((await begun(a, ids.slice(2, 4), limits)).map(({ kind }) => kind)).toEqual(['begun', 'limited']);
    const [limited] = await begun(b, ids.slice(4), limits, 'fresh', clock);
    const untilMidnight = midnight - Date.now();
    expect(limited).toMatchObject({ kind: 'limited' });
    expect(limited?.kind === 'limited' && limited.waitMs).toBeGreaterThan(untilMidnight - 60_000);
    expect(limited?.kind === 'limited' && limited.waitMs).toBeLessThan(untilMidnight + 60_000);
    for (const [agent, its] of [
      [a, systemClock],
      [b, clock],
    ] as const) {
      const { ms, budget } = (await pacerOf(agent, its)).delay(OFFICE, 'fresh');
      expect(budget).toBe(true);
      expect(Math.abs(ms - untilMidnight)).toBeLessThan(60_000);
    }
  });

  it('know which agents are silent, what waits for each of them alone, and which agent reports it', async () => {
    const [a, b] = [await join('a', { leaseMs: LEASE_MS }), await join('b', { leaseMs: LEASE_MS })];
    const [id = 0] = await admitted(
      await join('gone', { clock: new FrozenClock(), leaseMs: 200 }),
      1,
      '/own',
    );
    await vi.waitFor(async () => {
      expect(await a.fleet.silence(0, 60_000)).toMatchObject({ isFirst: true, agents: [{ name: 'gone' }] });
      expect(await b.fleet.silence(0, 60_000)).toMatchObject({ isFirst: false, agents: [{ name: 'gone' }] });
    }, 20_000);
    expect(await a.fleet.waitingFor('gone')).toBe(1);
    expect(await a.fleet.missingFor([id])).toEqual(['gone']);
    expect((await a.fleet.silence(60_000, 90_000)).agents).toEqual([]);
  });

  it('retire a lost agent: its documents are lost or taken over, and its results handed on', async () => {
    const [a, b] = [await join('a', { clock: new FrozenClock() }), await join('b')];
    const own = await admitted(a, 20, '/scans');
    const [only = 0, sending = 0] = await admitted(a, 2);
    await b.markLost(only, 'Not there.', 2_000);
    const post = async (agent: Agent, status: string): Promise<void> => {
      const of = { baseUrl: OFFICE.baseUrl, uid: OFFICE.uid, name: 'unknown' };
      await agent.recordResult({
        at: 6_000,
        ...of,
        status,
        payload: Buffer.from(JSON.stringify({ status })),
      });
    };
    const received = (agent: Agent, after: number | null = null) =>
      agent.results({ of: 'received', order: 'oldest', after, limit: 9 });
    for (const status of ['HANDED', 'LEFT', 'LAST']) await post(a, status);
    await post(b, 'OWN');
    await a.fleet.handed((await received(a))[0]?.turn ?? 0);
    await begin(a, sending, 2_000, 1);
    await expect(b.fleet.retire('a', 7_000)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(b.fleet.retire('b', 7_000)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(b.fleet.retire('nobody', 7_000)).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
    await kill('a');
    const handedBefore = await b.lastResult();
    expect(await b.fleet.retire('a', 7_000)).toEqual({ lost: 20, passedOn: 2, results: 2 });
    expect(await b.fleet.retire('a', 7_000)).toMatchObject({ lost: 0, results: 0 });
    expect(await standing(own[19] ?? 0)).toMatchObject({ state: 'lost', reason: 'BYTES_GONE' });
    expect(await standing(sending)).toMatchObject({ state: 'queued', answer_lost: 1 });
    expect(await allNext(b, Date.now() + 1_000)).toEqual([only, sending]);
    // The agent that takes it over may find it missing.
    await b.markLost(only, 'Gone.', 8_000);
    expect(await standing(only)).toMatchObject({ state: 'lost' });
    const turns = await received(b, handedBefore);
    expect(turns.map(({ status }) => status)).toEqual(['LEFT', 'LAST']);
    expect(await b.lastResult()).toBe(turns[1]?.turn);
    expect((await received(b)).map(({ status }) => status)).toEqual(['OWN', 'LEFT', 'LAST']);
    expect((await b.fleet.agents()).map(({ name }) => name)).toEqual(['b']);
    await expect(a.recordAct({ at: 1, kind: 'retry', by: 'x', detail: '' })).rejects.toMatchObject({
      code: 'AGENT_FENCED',
    });
  });

  it('notice requests that the database has and this process does not', async () => {
    const a = await join('a');
    const [known = 0, forgotten = 0] = await admitted(a, 2);
    const attempt = await begin(a, known, 2_000, 1);
    // As if the old server had lost the end of a request.
    await ask(database.url, `UPDATE documents SET state = 'uploading', attempt = $2 WHERE id = $1`, [
      forgotten,
      attempt + 1,
    ]);
    await endAll();
    await vi.waitFor(
      async () => expect(await standing(forgotten)).toMatchObject({ state: 'queued', reason: 'INTERRUPTED' }),
      20_000,
    );
    expect(await standing(known)).toMatchObject({ state: 'uploading' });
  });

  it('keep their lease while one of their transactions waits for another agent', async () => {
    const a = await join('a', { leaseMs: LEASE_MS, clock: systemClock });
    const [id = 0] = await admitted(a, 1);
    const lastSeen = async (): Promise<number> => (await a.fleet.agents())[0]?.lastSeenAt ?? 0;
    const blocker = new Client({ connectionString: database.url });
    await blocker.connect();
    try {
      await blocker.query('BEGIN; SELECT FROM receiptd.documents FOR UPDATE');
      const begun = begin(a, id, 2_000, 1);
      const from = await lastSeen();
      await vi.waitFor(async () => expect(await lastSeen()).toBeGreaterThan(from + 2 * LEASE_MS), 20_000);
      expect(a.fleet.isLeased()).toBe(true);
      await blocker.query('COMMIT');
      await begun;
    } finally {
      await blocker.end();
    }
  });
});
