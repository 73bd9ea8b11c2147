import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AdmitItem } from '../../../src/core/messages.ts';
import { journalPathOf } from '../../../src/ledger/sqlite/files.ts';
import { CHAIN } from '../../../src/ledger/next/entries.ts';
import { chainIn, moveJournal, TWIN } from '../../../src/ledger/next/fleet/move.ts';
import { verifyPostgresLedger } from '../../../src/ledger/next/fleet/verify.ts';
import { freshDatabase, needsPostgres } from '../../support/postgres.ts';
import { agentOptions, ask, openPostgres, openSqlite } from './support/agents.ts';
import { History, sha } from './support/history.ts';
import { counted, stored, type Contents } from './support/rows.ts';

const TRANSACTIONS = 100;

describe.skipIf(!needsPostgres())('a ledger that moves to PostgreSQL', () => {
  const endings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });

  /** A ledger in SQLite after a random history, at rest. */
  async function recorded(seed: number) {
    let history: History | null = null;
    const file = await openSqlite(() => history?.now ?? 0);
    endings.push(() => file.close());
    history = new History(seed, file.core);
    for (let i = 0; i < TRANSACTIONS; i += 1) {
      const steps = await history.steps();
      if (steps.length > 0) history.learn(steps, await file.core.run(steps));
    }
    await file.core.run([['recover', [{ at: history.now }]]]);
    await file.core.settle();
    return file;
  }

  /** A ledger with the same bytes, the same name, and an image of its own. */
  async function scanned(of: string): Promise<string> {
    const file = await openSqlite();
    endings.push(() => file.close());
    const item = (content: string, name: string): AdmitItem => ({
      folder: { owner: `agent:${of}`, path: '/scans' },
      path: `${name}.jpg`,
      size: 1,
      identity: '1',
      at: 1_000,
      endpoint: { baseUrl: 'https://service.example', uid: 'office' },
      sha256: sha(content),
      type: 'jpeg',
      priority: 0,
      naming: [name],
    });
    await file.core.run([['admit', [item('same', 'same'), item(`name ${of}`, 'name'), item(of, of)]]]);
    return file.journal;
  }

  async function fresh(): Promise<string> {
    const database = await freshDatabase();
    endings.push(() => database.remove());
    return database.url;
  }

  async function open(url: string, journal: string, name = 'one') {
    const agent = await openPostgres(url, name, { moved: chainIn(journal) });
    endings.push(() => agent.close());
    return agent;
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
    const before: Contents = await stored(core);
    const url = await fresh();
    const agent = await open(url, journal);
    await moveJournal(journal, agent);
    const moved = await stored(agent.core);
    expect(moved).toEqual(before);
    expect(counted(moved)).toEqual(moved.counts);
    expect(await textOf(url, agent.member.session.agent)).toBe(readFileSync(journal, 'utf8'));
    expect(await findings(url)).toEqual([]);
    expect(await moveJournal(journal, agent)).toEqual({ moved: 0, failed: 0 });
  });

  it('goes on behind what was moved before', async () => {
    const { core, journal } = await recorded(3);
    const part = journalPathOf(journal.replace('.journal', '-part.db'));
    const text = readFileSync(journal, 'utf8');
    // The last commit of the part may be incomplete.
    writeFileSync(part, text.slice(0, text.indexOf('\n', text.length / 2) + 1));
    const url = await fresh();
    const agent = await open(url, part);
    vi.spyOn(agent.core, 'run').mockRejectedValueOnce(new Error('interrupted'));
    await expect(moveJournal(part, agent)).rejects.toThrow('interrupted');
    copyFileSync(journal, part);
    expect((await moveJournal(part, agent)).moved).toBeGreaterThan(0);
    expect(await stored(agent.core)).toEqual(await stored(core));
    expect(await findings(url)).toEqual([]);
  });

  it('keeps twins, fails those that wait, and makes the same of them anew', async () => {
    const url = await fresh();
    const [one, two] = [await scanned('one'), await scanned('two')];
    await moveJournal(one, await open(url, one));
    const agent = await open(url, two, 'two');
    expect(await moveJournal(two, agent)).toMatchObject({ failed: 2 });
    const rows = await ask<object>(
      url,
      'SELECT name, state, reason, twin = id AS "isTwin" FROM documents WHERE id > $1 ORDER BY id',
      [agent.member.session.agent * CHAIN],
    );
    const failed = { state: 'failed', reason: TWIN, isTwin: true };
    expect(rows).toEqual([
      { name: 'same', ...failed },
      { name: 'name', ...failed },
      { name: 'two', state: 'queued', reason: null, isTwin: false },
    ]);
    expect(await findings(url)).toEqual([]);
    expect(await moveJournal(two, agent)).toEqual({ moved: 0, failed: 0 });
  });

  it('refuses an agent that has another chain', async () => {
    const { journal } = await recorded(5);
    const url = await fresh();
    await (await openPostgres(url)).close();
    await expect(open(url, journal)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});
