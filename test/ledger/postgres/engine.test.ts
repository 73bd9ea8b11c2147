import { afterEach, describe, expect, it, vi } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { AdmitAnswer, AdmitItem, BeginAnswer, BeginItem, EndItem } from '../../../src/core/messages.ts';
import { CHAIN, endpointIdOf } from '../../../src/ledger/entries.ts';
import { LedgerCore } from '../../../src/ledger/ledger.ts';
import { SCHEMA_VERSION } from '../../../src/ledger/postgres/tables.ts';
import { Connector } from '../../../src/ledger/postgres/connection.ts';
import { PostgresEngine } from '../../../src/ledger/postgres/engine.ts';
import { Member, type MemberOptions } from '../../../src/ledger/fleet/member.ts';
import { periodStart } from '../../../src/core/domain/limits.ts';
import { SPAN_MS } from '../../../src/ledger/schema.ts';
import { isFault } from '../../../src/core/messages.ts';
import type { Step } from '../../../src/ledger/ledger.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { agentOptions, ask, databaseOfEachTest, openPostgres } from '../support/agents.ts';
import { connected } from './place.ts';
import { sha } from '../support/history.ts';
import { counted, stored } from '../support/rows.ts';

const OFFICE = { baseUrl: 'https://service.example', uid: 'office' };

function image(content: string, more: Partial<AdmitItem> = {}): AdmitItem {
  return {
    folder: { owner: 'share:scans', path: '' },
    path: `${content}.jpg`,
    size: 1,
    identity: '1',
    at: 1_000,
    endpoint: OFFICE,
    sha256: sha(content),
    type: 'jpeg',
    priority: 0,
    naming: [content, `${content}-2`],
    ...more,
  };
}

async function admit({ core }: Member, ...items: readonly AdmitItem[]): Promise<number[]> {
  const [answers] = await core.run([['admit', items]]);
  return answers.map((answer) => (answer as { document: number }).document);
}

const beginning = (document: number): BeginItem => ({ document, bytes: 1, at: 2_000 });

async function begin({ core }: Member, ...documents: readonly number[]): Promise<readonly BeginAnswer[]> {
  const [answers] = await core.run([
    ['begin', documents.map((document) => ({ document, bytes: 1, at: 2_000 }))],
  ]);
  return answers as readonly BeginAnswer[];
}

function accepted(attempt: number, document: number): EndItem {
  const next = { state: 'accepted', status: 'RECEIVED' } as const;
  return { attempt, document, outcome: 'accepted', http: 200, message: 'Thank you', next, at: 3_000 };
}

async function send(agent: Member, document: number): Promise<void> {
  const [begun] = await begin(agent, document);
  if (begun?.kind !== 'begun') throw new Error(`not begun: ${JSON.stringify(begun)}`);
  await agent.core.run([['end', [accepted(begun.attempt, document)]]]);
}

describe.skipIf(!needsPostgres())('a ledger in PostgreSQL', () => {
  const database = databaseOfEachTest();
  const agents: Member[] = [];
  const open = async (name?: string, more?: Partial<MemberOptions>): Promise<Member> => {
    const agent = await openPostgres(database.url, name, more);
    agents.push(agent);
    return agent;
  };

  afterEach(async () => void (await Promise.all(agents.splice(0).map((agent) => agent.close()))));

  it('refuses everything of an agent that was fenced, which goes on in a new session', async () => {
    const agent = await open();
    await admit(agent, image('a'));
    const { epoch } = agent.session;
    await ask(database.url, 'UPDATE agents SET epoch = epoch + 1, lease_until = NULL');
    await expect(admit(agent, image('b'))).rejects.toMatchObject({ code: 'AGENT_FENCED' });
    await vi.waitFor(() => admit(agent, image('b')), 10_000);
    expect(agent.session.epoch).toBe(epoch + 2);
    expect(await ask(database.url, 'SELECT name FROM documents ORDER BY name')).toEqual([
      { name: 'a' },
      { name: 'b' },
    ]);
  });

  it('tells after a commit whose answer was lost whether it took place, and repeats it if not', async () => {
    const agent = await open();
    await admit(agent, image('first'));
    for (const [name, isDone] of [
      ['done', true],
      ['undone', false],
    ] as const) {
      await vi.waitFor(() => expect(agent.trouble()).toBeNull(), 20_000);
      const { connection } = agent;
      const commit = connection.commit.bind(connection);
      connection.commit = async () => {
        if (isDone) await commit();
        connection.destroy();
        throw new ReceiptdError('LEDGER_UNREACHABLE.lost', { where: 'here' });
      };
      const [document] = await admit(agent, image(name));
      expect(
        await ask(database.url, 'SELECT id::float8 AS id FROM documents WHERE name = $1', [name]),
      ).toEqual([{ id: document }]);
    }
    const [row] = await ask<{ seq: string; lines: string }>(
      database.url,
      'SELECT seq, (SELECT count(*) FROM chain) AS lines FROM agents',
    );
    expect(row?.lines).toBe(row?.seq);
  });

  it('fails with a commit whose answer was lost along with the only connection that it may use', async () => {
    const agent = await open();
    const only = await new Connector(agentOptions(database.url).target).connect('test');
    only.commit = async () => {
      only.destroy();
      throw new ReceiptdError('LEDGER_UNREACHABLE.lost', { where: 'here' });
    };
    const core = new LedgerCore(new PostgresEngine(agent, agent.core.engine.reader, only));
    await expect(core.run([['admit', [image('x')]]])).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
  });

  it('takes a bad row out of its batch, and does the rest', async () => {
    const agent = await open();
    const items = Array.from({ length: 9 }, (_, n) => image(`${n}`));
    const bad = { ...image('bad'), size: 1.5 };
    const worse = { ...image('worse'), naming: null as never };
    const [answers] = await agent.core.run([
      ['admit', [...items.slice(0, 4), bad, ...items.slice(4), worse]],
    ]);
    expect(answers.map((answer) => isFault(answer))).toEqual(
      [...items.slice(0, 4), true, ...items.slice(4), true].map((each) => each === true),
    );
    expect(await ask(database.url, 'SELECT count(*)::int AS n FROM documents')).toEqual([{ n: 9 }]);
  });

  it('gives two agents that name at once the same bytes one name, and one name to one of them', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const batch = (of: string) =>
      Array.from({ length: 20 }, (_, n) =>
        n % 2 === 0
          ? image(`same ${n}`, { path: `${of}${n}`, naming: [`same ${n}`, `same ${n} again`] })
          : image(`${of} ${n}`, { path: `${of}${n}`, naming: [`name ${n}`, `name ${n} of ${of}`] }),
      );
    for (let round = 0; round < 3; round += 1) {
      const [ofA, ofB] = await Promise.all(
        [a, b].map(async ({ core }, i) => (await core.run([['admit', batch(i === 0 ? 'a' : 'b')]]))[0]),
      );
      const kinds = (answers: typeof ofA): Set<string> =>
        new Set((answers as readonly AdmitAnswer[]).map(({ kind }) => kind));
      expect(new Set([...kinds(ofA), ...kinds(ofB)])).toEqual(
        new Set(round === 0 ? ['queued', 'duplicate'] : ['known']),
      );
    }
    expect(
      await ask(
        database.url,
        'SELECT count(*)::int AS n, count(DISTINCT name)::int AS names, count(DISTINCT sha256)::int AS bytes FROM documents',
      ),
    ).toEqual([{ n: 30, names: 30, bytes: 30 }]);
  });

  it.each(['a step', 'steps'])(
    'locks endpoints in one order, in which no agent waits for another: %s',
    async (of) => {
      const agent = await open();
      const endpoints = ['one', 'two'].map((uid) => ({ ...OFFICE, uid }));
      const [first, last] = endpoints.toSorted((x, y) => endpointIdOf(x) - endpointIdOf(y));
      const images = (content: string) =>
        [last, first].map((endpoint, n) => image(`${content} ${n}`, { ...(endpoint && { endpoint }) }));
      const documents = await admit(agent, ...images('old'));
      const items = images('new');
      const steps: Step[] =
        of === 'a step'
          ? [['admit', items]]
          : [...items.map((item): Step => ['admit', [item]]), ['begin', documents.map(beginning)]];
      const [blocker, other] = [await connected(database.url), await connected(database.url)];
      const LOCK = 'SELECT FROM endpoints WHERE uid = $1 FOR UPDATE NOWAIT';
      try {
        await blocker.query('BEGIN');
        await blocker.query(LOCK, [first?.uid]);
        const done = agent.core.run(steps);
        await vi.waitUntil(
          async () =>
            (
              await other.query(
                `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
              )
            ).rowCount === 1,
          { timeout: 60_000 },
        );
        // Throws if the agent has it.
        await other.query(LOCK, [last?.uid]);
        await blocker.query('COMMIT');
        expect((await done).flat().some(isFault)).toBe(false);
      } finally {
        await Promise.all([blocker.end(), other.end()]);
      }
    },
  );

  it('lets agents share a budget, in which what was not sent does not count', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const documents = await admit(a, ...Array.from({ length: 5 }, (_, n) => image(`${n}`)));
    const today = periodStart('day', Date.UTC(2026, 2, 14));
    const budgets = [{ period: 'day', count: 2 }] as const;
    let now = today;
    for (const { engine } of [a.core, b.core]) {
      const begin = engine.begin.bind(engine);
      engine.begin = async () => ({ ...(await begin()), now });
    }
    const send = async ({ core }: Member, ids: readonly number[], at: number) => {
      now = at;
      return (
        await core.run([['begin', ids.map((document) => ({ document, bytes: 1, at: 2_000, budgets }))]])
      )[0];
    };
    const untilTomorrow = periodStart('day', today, 1) - today;
    const [yesterday = 0, ...others] = documents;
    await send(a, [yesterday], today - 1);
    const answers = [
      ...(await send(a, others.slice(0, 1), today)),
      ...(await send(b, others.slice(1, 3), today + 2_000)),
    ];
    expect(answers).toMatchObject([
      { kind: 'begun' },
      { kind: 'begun' },
      { kind: 'limited', waitMs: untilTomorrow - 2_000 },
    ]);
    const { attempt = 0 } = answers[1] as Partial<Extract<BeginAnswer, { kind: 'begun' }>>;
    const [, document = 0] = others;
    const next = { state: 'queued', due: 0 } as const;
    const end = {
      attempt,
      document,
      outcome: 'notSent',
      http: null,
      message: 'No.',
      next,
      at: today,
    } as const;
    await b.core.run([['end', [end]]]);
    expect(await send(a, others.slice(2), today + 3_000)).toMatchObject([
      { kind: 'begun' },
      { kind: 'limited' },
    ]);
    // However many there were.
    expect(await ask(database.url, 'SELECT span::float8, n::int FROM requests ORDER BY span')).toEqual([
      { span: today - SPAN_MS, n: 1 },
      { span: today, n: 2 },
    ]);
  });

  it('makes its tables anew from the chains of all agents, while others wait', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const [one = 0, two = 0] = await admit(a, image('1'), image('2'), image('3'));
    const [four = 0] = await admit(b, image('4'), image('1', { path: 'other.jpg' }));
    await send(b, one);
    await send(a, four);
    await begin(a, two);
    await b.core.run([['recover', [{ at: 4_000, base: a.session.agent * CHAIN }]]]);
    const before = await stored(a.core);
    await Promise.all(agents.splice(0).map((agent) => agent.close()));
    await ask(database.url, 'UPDATE tables SET version = 0');
    const [again, other] = await Promise.all([open('a'), open('c')]);
    expect(await stored(again.core)).toEqual(before);
    expect(counted(before)).toEqual(before.counts);
    await admit(other, image('5'));
    expect(await ask(database.url, 'SELECT version, behind FROM tables')).toEqual([
      { version: SCHEMA_VERSION, behind: null },
    ]);
  });

  it('goes on where making the tables anew was interrupted', async () => {
    const agent = await open();
    for (let n = 0; n < 5; n += 1) await admit(agent, image(`${n}`));
    const before = await stored(agent.core);
    await agent.close();
    const { rows, ord } = (
      await ask<{ rows: string; ord: string }>(
        database.url,
        `SELECT count(*) AS rows, (SELECT ord FROM chain WHERE seq = 6) AS ord FROM documents WHERE id % ${CHAIN} > 6`,
      )
    )[0] as { rows: string; ord: string };
    expect(Number(rows)).toBeGreaterThan(0);
    // As if it had come so far.
    await ask(database.url, `UPDATE tables SET behind = ${ord}`);
    for (const table of ['documents', 'files'])
      await ask(database.url, `DELETE FROM ${table} WHERE id % ${CHAIN} > 6`);
    await ask(database.url, `UPDATE counts SET n = n - ${rows} WHERE state = 'queued'`);
    const again = await open('two');
    expect(await stored(again.core)).toEqual(before);
    await admit(again, image('next'));
  });

  it('refuses to start on tables of a newer version, and to go on with them', async () => {
    const agent = await open();
    await ask(database.url, 'UPDATE tables SET version = 99');
    // The heartbeat may notice it first; then the ledger is away.
    const refused = await admit(agent, image('a')).catch((error: unknown) => (error as ReceiptdError).code);
    expect(['LEDGER_NEWER', 'LEDGER_UNREACHABLE']).toContain(refused);
    expect(await ask(database.url, 'SELECT id FROM documents')).toEqual([]);
    await expect(open('two')).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
  });

  it('lets no agent read tables that a newer version makes anew', async () => {
    const agent = await open('a', { leaseMs: 1_500 });
    await admit(agent, image('a'));
    const count = () =>
      agent.read((sql) => sql.get<{ n: number }>('SELECT count(*)::int AS n FROM documents'));
    expect(await count()).toEqual({ n: 1 });
    await ask(database.url, 'UPDATE tables SET version = 99, behind = 0; DELETE FROM documents');
    await vi.waitFor(() => expect(count()).rejects.toMatchObject({ code: 'LEDGER_NEWER' }), 20_000);
    expect(agent.trouble()).not.toBeNull();
  });

  it('notices tables that were emptied while it ran, waits for who makes them anew, and says why', async () => {
    const log = new RecordedLog();
    const agent = await open('a', { leaseMs: 1_500, log });
    await admit(agent, image('a'), image('b'));
    const before = await stored(agent.core);
    const other = await connected(database.url);
    await other.query('SELECT pg_advisory_lock(7267340)');
    await other.query(
      `UPDATE tables SET behind = 0; DELETE FROM documents; DELETE FROM files; DELETE FROM counts;
       DELETE FROM endpoints; DELETE FROM folders`,
    );
    await vi.waitFor(() => expect(agent.trouble()).not.toBeNull(), 20_000);
    await expect(agent.read((sql) => sql.get('SELECT 1'))).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
    });
    expect(JSON.stringify(log.said("The ledger can't be reached"))).toContain('made anew');
    await other.end();
    await vi.waitFor(() => expect(agent.trouble()).toBeNull(), 20_000);
    expect(await stored(agent.core)).toEqual(before);
  });

  it('is closed at once while another agent makes the tables anew', async () => {
    const agent = await open('a');
    await agent.close();
    const other = await connected(database.url);
    try {
      await other.query('SELECT pg_advisory_lock(7267340); UPDATE tables SET behind = 0');
      const waiting = new Member(agentOptions(database.url, 'b'));
      const started = waiting.start().catch((error: unknown) => error);
      await vi.waitFor(async () => {
        const [row] = await ask<{ n: number }>(
          database.url,
          `SELECT count(*)::int AS n FROM agents WHERE name = 'b'`,
        );
        expect(row?.n).toBe(1);
      }, 20_000);
      await waiting.close();
      await started;
    } finally {
      await other.end();
    }
  });

  it('connects again by itself, with the same session', async () => {
    const agent = await open();
    const { session } = agent;
    await ask(
      database.url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await vi.waitFor(() => admit(agent, image('a')), 10_000);
    expect(agent.session).toEqual(session);
  });

  it('waits for a database that is away when it starts', async () => {
    const url = new URL(database.url);
    const away = await openPostgres(url.href.replace(url.port, '1'));
    agents.push(away);
    expect(away.trouble()).toMatchObject({ code: 'LEDGER_UNREACHABLE' });
    await expect(admit(away, image('a'))).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
  });

  it('refuses a second agent of the same name while the first one runs', async () => {
    await open('a');
    await expect(open('a')).rejects.toMatchObject({ code: 'AGENT_NAME_TAKEN' });
  });
});
