import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { AdmitItem } from '../../src/core/messages.ts';
import { journalPathOf } from '../../src/ledger/sqlite/files.ts';
import { CHAIN, folderIdOf } from '../../src/ledger/entries.ts';
import { lastIn, chainIn, compareMoved, endMove, moveJournal } from '../../src/ledger/fleet/move.ts';
import type { Member } from '../../src/ledger/fleet/member.ts';
import { verifyPostgresLedger } from '../../src/ledger/fleet/verify.ts';
import { Connector } from '../../src/ledger/postgres/connection.ts';
import { TWIN } from '../../src/ledger/steps/fleet.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';
import { needsPostgres } from '../support/postgres.ts';
import {
  agentOptions,
  ask,
  databaseOfEachTest,
  openPostgres,
  openSqlite,
  type OpenFile,
} from './support/agents.ts';
import { History, sha } from './support/history.ts';
import { asOf, counted, stored, type Contents } from './support/rows.ts';

const TRANSACTIONS = 100;

describe.skipIf(!needsPostgres())('a ledger that moves to PostgreSQL', () => {
  const database = databaseOfEachTest();
  const endings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });

  /** A ledger in SQLite after a random history, at rest. */
  async function recorded(seed: number) {
    let history: History | null = null;
    const file = await openSqlite(() => history?.now ?? 0);
    endings.push(() => file.close());
    history = new History(seed, file.core, '');
    for (let i = 0; i < TRANSACTIONS; i += 1) {
      const steps = await history.steps();
      if (steps.length > 0) history.learn(steps, await file.core.run(steps));
    }
    await file.core.run([['recover', [{ at: history.now }]]]);
    await file.core.settle();
    return file;
  }

  const ENDPOINT = { baseUrl: 'https://service.example', uid: 'office' };
  const item = (content: string, name: string): AdmitItem => ({
    folder: { owner: '', path: '/scans' },
    path: `${name} ${content}.jpg`,
    size: 1,
    identity: '1',
    at: 1_000,
    endpoint: ENDPOINT,
    sha256: sha(content),
    type: 'jpeg',
    priority: 0,
    naming: [name],
  });

  /** A ledger with the same bytes, the same name, an image of its own, and one whose answer was lost under a name that others have. */
  async function scanned(of: string): Promise<OpenFile> {
    const file = await openSqlite();
    endings.push(() => file.close());
    await file.core.run([
      ['admit', [item('same', 'same'), item(`name ${of}`, 'name'), item(of, of), item(`sent ${of}`, 'sent')]],
    ]);
    const [document] = await file.core.engine.reader.each<{ id: number }>(
      `SELECT id FROM documents WHERE name = 'sent'`,
      null,
    );
    await file.core.run([['begin', [{ document: document?.id ?? 0, bytes: 1, at: 1_000 }]]]);
    return file;
  }

  async function open(url: string, journal: string, name = 'one') {
    const agent = await openPostgres(url, name, { moved: chainIn(journal) });
    endings.push(() => agent.close());
    return agent;
  }

  const end = (journal: string, agent: Member) =>
    endMove({ ledger: chainIn(journal).ledger, lastSeq: lastIn(journal).seq }, agent);

  async function differences(url: string, journal: string, agent: Member, name = 'one') {
    const connection = await new Connector(agentOptions(url).target).connect('comparing');
    const scratch = mkdtempSync(join(memoryDirectory(), 'receiptd-move-'));
    try {
      const of = { agent: agent.session.agent, name, lastSeq: lastIn(journal).seq };
      return await compareMoved(journal, connection, of, scratch);
    } finally {
      await connection.close();
      rmSync(scratch, { recursive: true });
    }
  }

  const textOf = async (url: string, agent: number): Promise<string> =>
    (
      await ask<{ text: string }>(
        url,
        `SELECT entry || E'\\t' || hash || E'\\t' || personal AS text FROM chain WHERE agent = $1 ORDER BY seq`,
        [agent],
      )
    )
      .map(({ text }) => `${text}\n`)
      .join('');

  async function findings(url: string): Promise<readonly unknown[]> {
    const { journal, ledger } = await verifyPostgresLedger(agentOptions(url).target, 'one', null);
    return [...journal.findings, ...ledger.findings];
  }

  it.each([
    [1, false],
    [2, false],
    [2, true],
  ])('has the same rows, counts and lines (%i, its journal was lost once: %s)', async (seed, isLost) => {
    const file = await recorded(seed);
    const { journal } = file;
    const core = isLost ? await file.loseJournal() : file.core;
    const before: Contents = asOf('one', await stored(core));
    const { url } = database;
    const agent = await open(url, journal);
    await moveJournal(journal, agent);
    const moved = await stored(agent.core);
    expect(moved).toEqual(before);
    expect(counted(moved)).toEqual(moved.counts);
    expect(moved.tables['folders']?.map(({ owner }) => owner)).toContain('agent:one');
    expect(await textOf(url, agent.session.agent)).toBe(readFileSync(journal, 'utf8'));
    expect(await differences(url, journal, agent)).toMatchObject({ misfits: [], differences: [], count: 0 });
    expect(await findings(url)).toEqual([]);
    expect(await moveJournal(journal, agent)).toBe(0);
    await end(journal, agent);
    expect(await differences(url, journal, agent)).toMatchObject({ misfits: [], differences: [], count: 0 });
    expect(await findings(url)).toEqual([]);
  });

  it('makes the same of its folders anew, and finds its files there', async () => {
    const { journal } = await scanned('one');
    const { url } = database;
    const agent = await open(url, journal);
    await moveJournal(journal, agent);
    await end(journal, agent);
    await ask(url, 'UPDATE tables SET version = 0');
    await agent.close();
    const again = await openPostgres(url, 'one');
    endings.push(() => again.close());
    const folder = { owner: 'agent:one', path: '/scans' };
    expect(await ask(url, 'SELECT id::float8 AS id, owner, path FROM folders')).toEqual([
      { id: folderIdOf(folder), ...folder },
    ]);
    const [[answer]] = await again.core.run([['admit', [{ ...item('same', 'same'), folder }]]]);
    expect(answer).toMatchObject({ kind: 'known', name: 'same' });
    expect(await findings(url)).toEqual([]);
  });

  it('goes on behind what was moved before', async () => {
    const { core, journal } = await recorded(3);
    const part = journalPathOf(journal.replace('.journal', '-part.db'));
    const text = readFileSync(journal, 'utf8');
    // The last commit of the part may be incomplete.
    writeFileSync(part, text.slice(0, text.indexOf('\n', text.length / 2) + 1));
    const { url } = database;
    const agent = await open(url, part);
    expect(await moveJournal(part, agent)).toBeGreaterThan(0);
    copyFileSync(journal, part);
    expect(await moveJournal(part, agent)).toBeGreaterThan(0);
    expect(await stored(agent.core)).toEqual(asOf('one', await stored(core)));
    expect(await findings(url)).toEqual([]);
  });

  it('keeps twins, fails those whose bytes are there, renames those never sent, and makes the same of them anew', async () => {
    const { url } = database;
    const { journal: one } = await scanned('one');
    const { journal: two } = await scanned('two');
    const first = await open(url, one);
    await moveJournal(one, first);
    expect(await end(one, first)).toEqual({ twins: 0, failed: 0, renamed: 0 });
    const agent = await open(url, two, 'two');
    await moveJournal(two, agent);
    expect(await differences(url, two, agent, 'two')).toMatchObject({ differences: [], count: 0 });
    expect(await end(two, agent)).toEqual({ twins: 3, failed: 1, renamed: 1 });
    const rows = () =>
      ask<object>(
        url,
        'SELECT id::float8 AS id, name, state, reason, twin = id AS "isTwin" FROM documents WHERE id > $1 ORDER BY id',
        [agent.session.agent * CHAIN],
      );
    const waits = { state: 'queued', reason: null, isTwin: false };
    const after = await rows();
    expect(after).toMatchObject([
      { name: 'same', state: 'failed', reason: TWIN, isTwin: true },
      { ...waits, name: `name-${sha('name two').slice(0, 16)}` },
      { ...waits, name: 'two' },
      // It may have arrived under this name.
      { name: 'sent', state: 'queued', reason: 'INTERRUPTED', isTwin: true },
    ]);
    expect(await differences(url, two, agent, 'two')).toMatchObject({ differences: [], count: 0 });
    expect(await findings(url)).toEqual([]);

    // Again, after somebody retried one: it is not failed anew.
    const [twin] = after as { id: number }[];
    await agent.core.run([['move', [{ documents: [twin?.id ?? 0], move: 'retry', at: 2_000 }]]]);
    expect(await moveJournal(two, agent)).toBe(0);
    expect(await end(two, agent)).toBeNull();
    expect((await rows())[0]).toMatchObject({ state: 'queued' });
    expect(await findings(url)).toEqual([]);
  });

  it('says what differs, but not of rows that another agent has changed meanwhile', async () => {
    const { journal } = await scanned('one');
    const { url } = database;
    const agent = await open(url, journal);
    await moveJournal(journal, agent);
    const other = await openPostgres(url, 'two');
    endings.push(() => other.close());
    const [lost, changed] = await ask<{ id: number }>(
      url,
      `SELECT id::float8 AS id FROM documents WHERE name IN ('same', 'one') ORDER BY id`,
    );
    const move = { move: 'fail', reason: 'R', message: 'm', at: 2_000 } as const;
    await other.core.run([['move', [{ documents: [changed?.id ?? 0], ...move }]]]);
    expect(await differences(url, journal, agent)).toMatchObject({ differences: [], count: 0 });
    await ask(url, `UPDATE documents SET name = 'other' WHERE id = $1`, [lost?.id]);
    await ask(url, 'DELETE FROM attempts');
    const { count, differences: found } = await differences(url, journal, agent);
    expect([count, found]).toMatchObject([
      2,
      [
        { is: 'rowDiffers', table: 'documents', id: Number(lost?.id) },
        { is: 'onlyInJournal', table: 'attempts' },
      ],
    ]);
  });

  it('refuses an agent that has another chain, and a journal that was made anew', async () => {
    const { journal } = await recorded(5);
    const { url } = database;
    await (await openPostgres(url)).close();
    await expect(open(url, journal)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    const agent = await open(url, journal, 'two');
    await moveJournal(journal, agent);
    const text = readFileSync(journal, 'utf8');
    const { core, journal: other } = await scanned('x');
    await core.idle();
    writeFileSync(journal, readFileSync(other, 'utf8'));
    await expect(moveJournal(journal, agent)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    writeFileSync(journal, text);
  });
});
