import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AdmitItem, BeginAnswer, EndItem } from '../../../src/core/messages.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { chainLines } from '../../../src/ledger/postgres/chain.ts';
import { OwnChain } from '../../../src/ledger/postgres/ownChain.ts';
import { TWIN } from '../../../src/ledger/steps/fleet.ts';
import type { Member, MemberOptions } from '../../../src/ledger/fleet/member.ts';
import { verifyPostgresLedger } from '../../../src/ledger/fleet/verify.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { logTexts } from '../../../src/texts/en/log.ts';
import { compile, runScript } from '../../support/scripts.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { freshDatabase, needsPostgres } from '../../support/postgres.ts';
import { agentOptions, ask, databaseOfEachTest, openPostgres } from '../support/agents.ts';
import { sha } from '../support/history.ts';
import { stored } from '../support/rows.ts';

const OFFICE = { baseUrl: 'https://service.example', uid: 'office' };
const NUMBER = 40 * 1024;

/** Pauses before another try, and between looks at what others have brought back, are short. */
const BRISK: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  sleep: (ms, signal) => systemClock.sleep(ms / 60, signal),
};
/** A minute in each second: agents wait for others up to 15 seconds. */
const HASTY: Clock = { ...BRISK, monotonic: () => 60 * systemClock.monotonic() };

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
    naming: { parts: [{ width: 1 }], hash: sha(content), maxBytes: 255 },
    ...more,
  };
}

async function admit({ core }: Member, ...items: readonly AdmitItem[]): Promise<number[]> {
  const [answers] = await core.run([['admit', items]]);
  return answers.map((answer) => (answer as { document: number }).document);
}

async function begin(agent: Member, document: number): Promise<number> {
  const [[answer] = []] = await agent.run([['begin', [{ document, bytes: 1, at: 2_000 }]]]);
  const begun = answer as BeginAnswer;
  if (begun.kind !== 'begun') throw new Error(`not begun: ${JSON.stringify(begun)}`);
  return begun.attempt;
}

function accepted(attempt: number, document: number): EndItem {
  const next = { state: 'accepted', status: 'RECEIVED' } as const;
  return { attempt, document, outcome: 'accepted', http: 200, message: 'Thank you', next, at: 3_000 };
}

async function end(agent: Member, attempt: number, document: number, isAccepted = true): Promise<void> {
  const item: EndItem = isAccepted
    ? accepted(attempt, document)
    : {
        attempt,
        document,
        outcome: 'trouble',
        http: 503,
        message: 'Later',
        next: { state: 'queued' },
        at: 3_000,
      };
  await agent.run([['end', [item]]]);
}

async function send(agent: Member, document: number, isAccepted = true): Promise<void> {
  await end(agent, await begin(agent, document), document, isAccepted);
}

const NUMBERED = [
  ['agents', 'id'],
  ['chain', 'ord'],
  ['erasures', 'id'],
] as const;
const EACH_TABLE = `FOR each IN SELECT relname FROM pg_class WHERE relnamespace = 'receiptd'::regnamespace AND relkind = 'r' LOOP`;
/** As of one moment, heartbeats included. */
const KEEP = `BEGIN ISOLATION LEVEL REPEATABLE READ;
DO $$ DECLARE each text; BEGIN
  DROP SCHEMA IF EXISTS kept CASCADE;
  CREATE SCHEMA kept;
  ${EACH_TABLE} EXECUTE format('CREATE TABLE kept.%I AS TABLE receiptd.%1$I', each); END LOOP;
END $$;
${NUMBERED.map(([table, column]) => `CREATE TABLE kept.number_of_${table} AS TABLE receiptd.${table}_${column}_seq;`).join('\n')}
COMMIT`;
const END_OTHERS = `PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();`;
/** Agents that connect again meanwhile wait for the locks, which are taken all or none: an agent might wait for one and hold another. */
const RESTORE = `DO $$ DECLARE each text; BEGIN
  LOOP
    BEGIN
      ${END_OTHERS}
      ${EACH_TABLE} EXECUTE format('LOCK TABLE receiptd.%I NOWAIT', each); END LOOP;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.01);
    END;
  END LOOP;
  ${END_OTHERS}
  ${EACH_TABLE}
    EXECUTE format('DELETE FROM receiptd.%I', each);
    EXECUTE format('INSERT INTO receiptd.%I OVERRIDING SYSTEM VALUE TABLE kept.%1$I', each);
  END LOOP;
  ${NUMBERED.map(([table, column]) => `PERFORM setval('receiptd.${table}_${column}_seq', last_value, is_called) FROM kept.number_of_${table};`).join('\n  ')}
END $$`;

describe.skipIf(!needsPostgres())('a database that went back', () => {
  const database = databaseOfEachTest();
  let dir: string;
  const agents: Member[] = [];
  const stories: string[] = [];
  const instances = new Map<string, string>();

  const open = async (name: string, more: Partial<MemberOptions> = {}): Promise<Member> => {
    const instance = instances.get(name) ?? randomUUID();
    instances.set(name, instance);
    const agent = await openPostgres(database.url, name, {
      instance,
      memoryPath: join(dir, `${name}.journal`),
      random: () => 0,
      clock: BRISK,
      leaseMs: 5_000,
      shares: new Map([['/mnt', 'scans']]),
      onWentBack: (story) => stories.push(`${name}: ${story}`),
      ...more,
    });
    agents.push(agent);
    return agent;
  };
  const works = (...of: readonly Member[]): Promise<unknown> =>
    Promise.all(
      of.map(({ core }) =>
        vi.waitFor(() => core.run([['position', [{}]]]), { timeout: 40_000, interval: 50 }),
      ),
    );
  const close = (): Promise<unknown> => Promise.all(agents.splice(0).map((agent) => agent.close()));
  const findings = async (): Promise<readonly unknown[]> => {
    const { journal, ledger } = await verifyPostgresLedger(agentOptions(database.url).target, 'a', null);
    return [...journal.findings, ...ledger.findings];
  };
  const documents = (): Promise<{ path: string; name: string; state: string; attempts: string }[]> =>
    ask(database.url, 'SELECT path, name, state, attempts FROM documents ORDER BY path');

  const everything = (): Promise<unknown> =>
    Promise.all([
      ask(
        database.url,
        'SELECT id, endpoint_id, folder_id, name, path, sha256, state, attempt, attempts, answered, twin FROM documents ORDER BY id',
      ),
      ask(database.url, 'SELECT * FROM attempts ORDER BY id'),
      ask(database.url, 'SELECT * FROM files ORDER BY id'),
      ask(database.url, 'SELECT * FROM endpoints ORDER BY id'),
      ask(
        database.url,
        'SELECT endpoint_id, folder_id, state, sum(n)::int AS n FROM counts GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3',
      ),
    ]);

  beforeEach(() => {
    stories.length = 0;
    instances.clear();
    dir = mkdtempSync(join(memoryDirectory(), 'receiptd-chain-'));
  });
  afterEach(async () => {
    await close();
    rmSync(dir, { recursive: true });
  });

  it('is brought forward by its agents, which lose nothing, and goes on', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const [before = 0] = await admit(a, image('before'), image('waiting'));
    await ask(database.url, KEEP);
    await works(a, b);
    const [first = 0, second = 0] = await admit(a, image('first'), image('second'), image('third'));
    await send(a, before);
    // Each has entries about the other's.
    await send(b, second);
    await send(b, first, false);
    const [ofB = 0] = await admit(b, image('of b'), image('of b too'));
    await send(a, ofB);
    await send(a, first);
    const [sending = 0] = await admit(a, image('under way'));
    const underWay = await begin(b, sending);
    const rows = await everything();

    await ask(database.url, RESTORE);
    await vi.waitUntil(() => stories.length === 2, { timeout: 40_000 });
    await works(a, b);
    expect(stories.toSorted()).toEqual([
      expect.stringMatching(/^a: \{"is":"wentBack",.*"from":\d+,"to":\d+,"isWhole":true,"keptAs":null\}$/),
      expect.stringMatching(/^b: \{"is":"wentBack",.*"isWhole":true,/),
    ]);
    expect(await everything()).toEqual(rows);
    expect(await findings()).toEqual([]);

    // Numbers go on, what was under way ends, and nothing is told twice.
    await admit(b, image('new'));
    await end(b, underWay, sending);
    expect(await documents()).toMatchObject([
      { path: 'before.jpg', name: '1', state: 'accepted' },
      { path: 'first.jpg', name: '3', state: 'accepted', attempts: '2' },
      { path: 'new.jpg', name: '9', state: 'queued' },
      { path: 'of b too.jpg', name: '7', state: 'queued' },
      { path: 'of b.jpg', name: '6', state: 'accepted' },
      { path: 'second.jpg', name: '4', state: 'accepted', attempts: '1' },
      { path: 'third.jpg', name: '5', state: 'queued' },
      { path: 'under way.jpg', name: '8', state: 'accepted' },
      { path: 'waiting.jpg', name: '2', state: 'queued' },
    ]);
    await close();
    const [againA] = [await open('a'), await open('b')];
    expect(stories).toHaveLength(2);
    // The tables are the same if they are made of the chains anew.
    const now = await stored(againA.core);
    await close();
    await ask(database.url, 'UPDATE tables SET version = 0');
    expect(await stored((await open('a')).core)).toEqual(now);
  });

  it('is brought forward if it does not know its agents any more, and after a line that was cut off', async () => {
    await (await open('c')).close();
    await ask(database.url, KEEP);
    const [a, b] = [await open('a'), await open('b')];
    const [x = 0] = await admit(a, image('x'));
    await send(b, x);
    await close();
    appendFileSync(join(dir, 'a.journal'), '{"seq":99,"at');
    await ask(database.url, RESTORE);
    // Started first, it waits for the other's.
    const [again] = await Promise.all([open('b'), open('a')]);
    await works(again);
    expect(stories).toHaveLength(2);
    expect(await documents()).toMatchObject([{ name: '1', state: 'accepted', attempts: '1' }]);
    expect(await findings()).toEqual([]);
    await admit(await open('d'), image('y'));
    expect(await findings()).toEqual([]);
  });

  it('is brought forward as a whole by an agent that is killed again and again while it does so', async () => {
    const [a, b] = [await open('a'), await open('b')];
    await ask(database.url, KEEP);
    await works(a, b);
    const [MANY, AT_ONCE] = [400, 100];
    for (let n = 0; n < MANY; n += AT_ONCE) {
      const batch = (of: string): AdmitItem[] =>
        Array.from({ length: AT_ONCE }, (_, i) => image(`${of} ${n + i}`));
      const [ofA, ofB] = [await admit(a, ...batch('a')), await admit(b, ...batch('b'))];
      // Each sends what the other has named.
      for (const [{ core }, ids] of [
        [a, ofB],
        [b, ofA],
      ] as const) {
        const [begun] = await core.run([
          ['begin', ids.map((document) => ({ document, bytes: 1, at: 2_000 }))],
        ]);
        const ends = begun.map((answer, i) => accepted((answer as { attempt: number }).attempt, ids[i] ?? 0));
        await core.run([['end', ends]]);
      }
    }
    const rows = await everything();
    await close();
    await ask(database.url, RESTORE);
    const { url } = await compile('ledger/fleet/member.ts');
    const { url: clock } = await compile('system/systemClock.ts');
    const { random: _, clock: __, log: ___, ...plain } = agentOptions(database.url, 'a');
    const code = `
      import { Member } from '${url}';
      import { systemClock } from '${clock}';
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const options = ${JSON.stringify({ ...plain, instance: instances.get('a'), memoryPath: join(dir, 'a.journal') })};
      await new Member({ ...options, shares: new Map(), random: () => 0, clock: systemClock, log }).start();
      console.log('started');`;
    const other = open('b');
    const seq = async (): Promise<number> =>
      Number((await ask<{ seq: string }>(database.url, `SELECT seq FROM agents WHERE name = 'a'`))[0]?.seq);
    for (let times = 0; times < 2; times += 1) {
      const before = await seq();
      const script = runScript(code);
      await vi.waitUntil(async () => (await seq()) > before, { timeout: 60_000, interval: 1 });
      await script.kill();
      expect(await seq()).toBeLessThan(2 * MANY);
    }
    const again = await open('a');
    await works(again, await other);
    expect(await everything()).toEqual(rows);
    expect(await findings()).toEqual([]);
    const [named] = await ask<object>(
      database.url,
      `SELECT count(DISTINCT name)::int AS names, count(*) FILTER (WHERE state = 'accepted' AND attempts = 1)::int AS accepted FROM documents`,
    );
    expect(named).toEqual({ names: 2 * MANY, accepted: 2 * MANY });
  }, 90_000);

  it('lacks what was lost with an agent that is gone, and what others did with that', async () => {
    const [a, b] = [await open('a'), await open('b')];
    await ask(database.url, KEEP);
    await works(a, b);
    const [x = 0] = await admit(b, image('x'));
    await admit(b, image('other'));
    await send(a, x);
    const [y = 0] = await admit(a, image('y'));
    await send(b, y);
    // A copy of the same bytes.
    await admit(a, image('x', { path: 'copy.jpg' }));
    await close();
    rmSync(join(dir, 'b.journal'));
    await ask(database.url, RESTORE);
    await open('a', { clock: HASTY });
    expect(await findings()).toEqual([]);
    expect(await documents()).toMatchObject([{ path: 'y.jpg', state: 'queued' }]);
    // Numbers of the agent that is gone are given to other bytes: nothing of before is about those.
    await close();
    const c = await open('a');
    expect(await admit(c, image('x', { path: 'copy.jpg' }), image('x'))).toHaveLength(2);
    expect(await findings()).toEqual([]);
  });

  it('never takes what was recorded about a lost document for another one of its number', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const [seen = 0] = await admit(b, image('seen'));
    await ask(database.url, KEEP);
    await works(a, b);
    const [x = 0, y = 0] = await admit(b, image('x'), image('y'));
    await send(a, x);
    const posted = { status: 'DONE', encoding: 'utf8', payload: '{}', sha256: sha('{}'), size: 2 } as const;
    const because = { reason: 'R', message: 'm' };
    await a.core.run([
      ['result', [{ ...OFFICE, name: '2', ...posted, at: 4_000 }]],
      ['dispose', [{ file: x, step: 'done', how: 'deleted', at: 4_000 }]],
      ['move', [{ move: 'fail', documents: [y], ...because, at: 4_000 }]],
      ['dismiss', [{ documents: [y], files: [], isUndo: false, by: 'ann', at: 4_000 }]],
    ]);
    const [erased] = await a.core.run([['erase', [{ documents: [x], at: 5_000 }]]]);
    expect(erased).toEqual([{ count: 1 }]);
    await close();
    rmSync(join(dir, 'b.journal'));
    await ask(database.url, RESTORE);
    await ask(database.url, `UPDATE agents SET running = false WHERE name = 'a'`);
    const again = await open('b');
    expect(await admit(again, image('z'), image('other'))).toEqual([x, y]);
    const rows = () =>
      Promise.all([
        ask(database.url, 'SELECT * FROM documents ORDER BY id'),
        ask(database.url, 'SELECT * FROM files ORDER BY id'),
      ]);
    const before = await rows();
    await open('a');
    expect(await rows()).toEqual(before);
    expect(await findings()).toEqual([]);
    expect(seen).not.toBe(x);
  });

  it('gives no name twice: the same image fails as a twin, and another one that was never sent gets a new name', async () => {
    const [a] = [await open('a'), await open('b')];
    await ask(database.url, KEEP);
    await works(a);
    await admit(a, image('x'), image('y'));
    await close();
    await ask(database.url, RESTORE);
    await ask(database.url, `UPDATE agents SET running = false`);
    const b = await open('b');
    // Another image of the same number, and the same image.
    await admit(b, image('z', { path: 'x.jpg' }), image('y'));
    await open('a');
    expect(await ask(database.url, `SELECT name, path, state, reason FROM documents ORDER BY id`)).toEqual([
      { name: `1-${sha('x').slice(0, 16)}`, path: 'x.jpg', state: 'queued', reason: null },
      { name: '2', path: 'y.jpg', state: 'failed', reason: TWIN },
      { name: '1', path: 'x.jpg', state: 'queued', reason: null },
      { name: '2', path: 'y.jpg', state: 'queued', reason: null },
    ]);
    expect(await findings()).toEqual([]);
  });

  it('is told once if an agent does not remember enough, and what it remembers is kept', async () => {
    const a = await open('a');
    await ask(database.url, KEEP);
    await works(a);
    await admit(a, image('x'));
    await admit(a, image('y'));
    await close();
    const path = join(dir, 'a.journal');
    const lines = readFileSync(path, 'utf8').split('\n');
    // The files were begun anew meanwhile.
    writeFileSync(path, [lines[0], ...lines.slice(-3)].join('\n'));
    await ask(database.url, RESTORE);
    await open('a');
    expect(stories).toEqual([expect.stringMatching(/^a: .*"isWhole":false,"keptAs":".*a-\d+\.journal"\}$/)]);
    expect(readdirSync(dir).filter((name) => /^a-\d+\.journal$/.test(name))).toHaveLength(1);
    expect(await findings()).toMatchObject([
      { is: 'ofAgent', agent: 'a', finding: { is: 'entrySays', because: { is: 'wentBack' } } },
    ]);
    await close();
    const again = await open('a');
    await admit(again, image('z'));
    expect(stories).toHaveLength(1);
  });

  it('has no personal data in its agents’ files after an erasure by one of them', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const [x = 0] = await admit(a, image('secret', { naming: ['n'] }));
    await send(b, x);
    const text = (): string =>
      readdirSync(dir)
        .map((name) => readFileSync(join(dir, name), 'utf8'))
        .join('');
    expect(text()).toContain('secret.jpg');
    await a.core.run([['erase', [{ documents: [x], at: 5_000 }]]]);
    await a.blanked();
    await b.close();
    agents.splice(agents.indexOf(b), 1);
    await (await open('b')).blanked();
    expect(text()).not.toContain('secret.jpg');
    expect(text()).not.toContain('Thank you');
    expect(await ask(database.url, 'SELECT FROM erasures')).toEqual([]);
    // What is blank can be brought forward, too.
    await ask(database.url, KEEP);
    await ask(database.url, RESTORE);
    expect(await findings()).toEqual([]);
  });

  it('is told once as long as a file of its agents can’t be rid of what was erased', async () => {
    const log = new RecordedLog();
    const [a, b] = [await open('a'), await open('b', { log, leaseMs: 500 })];
    const [x = 0] = await admit(b, image('secret'));
    await send(b, x);
    const file = join(dir, 'b.journal');
    renameSync(file, `${file}.moved`);
    mkdirSync(file);
    await a.core.run([['erase', [{ documents: [x], at: 5_000 }]]]);
    const said = (): readonly string[] => log.lines.map(({ message }) => message);
    await vi.waitUntil(() => said().length > 0, { timeout: 60_000 });
    let beats = 0;
    b.listen({ back() {}, told() {}, beat: async () => void (beats += 1) });
    await vi.waitUntil(() => beats > 2, { timeout: 60_000 });
    rmdirSync(file);
    renameSync(`${file}.moved`, file);
    await vi.waitUntil(() => !readFileSync(file, 'utf8').includes('secret.jpg'), { timeout: 60_000 });
    expect(said()).toEqual([logTexts.chainNotBlanked]);
  });

  it('is nothing that happens to another database', async () => {
    const a = await open('a');
    await admit(a, image('x'));
    await close();
    const other = await freshDatabase();
    cleanUp(() => other.remove());
    await admit(await open('a', { target: agentOptions(other.url).target }), image('x'));
    await close();
    expect(stories).toEqual([]);
  });
});

describe('an agent’s own chain', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(memoryDirectory(), 'receiptd-chain-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const of = { agent: 'a', number: 1, chain: 'c', where: 'here' };
  const append = (own: OwnChain, times: number): void => {
    for (let n = 0; n < times; n += 1) {
      const head = own.end() ?? { seq: 0, hash: '0'.repeat(64) };
      const entries = [1, 2].map(() => ({
        entry: { kind: 'act', act: 'x', by: 'y', detail: 'z'.repeat(NUMBER) } as const,
        at: 1,
      }));
      const { rows, head: next } = chainLines(entries, head, 1);
      own.append(
        rows.map(({ entry, hash, personal }) => `${entry}\t${hash}\t${personal}\n`),
        next,
      );
    }
  };

  it('reaches back over two files of a limited size', () => {
    const path = join(dir, 'own');
    const own = new OwnChain(path, new RecordedLog(), 10 * NUMBER);
    own.begin(of, { seq: 0, hash: '0'.repeat(64) });
    append(own, 30);
    own.close();
    const heads = new OwnChain(path, new RecordedLog()).heads();
    expect(heads.at(-1)?.seq).toBe(60);
    expect(heads.length).toBeGreaterThan(10);
    expect(heads.length).toBeLessThan(40);
    expect(readdirSync(dir)).toHaveLength(2);
  });

  it('goes on behind a commit that was cut off, and keeps what could not be written', () => {
    const log = new RecordedLog();
    const path = join(dir, 'missing', 'own');
    const own = new OwnChain(path, log);
    own.begin(of, { seq: 0, hash: '0'.repeat(64) });
    append(own, 2);
    expect(log.lines).toHaveLength(1);
    const again = new OwnChain(join(dir, 'own'), log);
    again.begin(of, { seq: 0, hash: '0'.repeat(64) });
    append(again, 2);
    again.close();
    const text = readFileSync(again.path, 'utf8');
    writeFileSync(again.path, text.slice(0, -10));
    const third = new OwnChain(again.path, log);
    const end = third.end();
    expect(end?.seq).toBe(2);
    third.begin(of, end as never);
    append(third, 1);
    expect(third.heads().map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    third.close();
  });
});
