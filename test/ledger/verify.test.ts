import { DatabaseSync } from '@photostructure/sqlite';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createJournal } from '../../src/ledger/journal/journal.ts';
import type { KeptHead } from '../../src/ledger/journal/verify.ts';
import { compareWithJournal } from '../../src/ledger/sqlite/compare.ts';
import { CHAIN } from '../../src/ledger/entries.ts';
import { verifyPostgresLedger } from '../../src/ledger/fleet/verify.ts';
import type { LedgerCore } from '../../src/ledger/ledger.ts';
import { freshDatabase, needsPostgres } from '../support/postgres.ts';
import { agentOptions, ask, openPostgres, openSqlite } from './support/agents.ts';
import { History } from './support/history.ts';

const TRANSACTIONS = 60;

async function work(core: LedgerCore, seed: number): Promise<void> {
  const history = new History(seed, core);
  for (let i = 0; i < TRANSACTIONS; i += 1) {
    const steps = await history.steps();
    if (steps.length > 0) history.learn(steps, await core.run(steps));
  }
}

const CHANGES = [
  ["UPDATE documents SET name = 'other' WHERE id = ID", { is: 'rowDiffers', table: 'documents' }],
  ['DELETE FROM documents WHERE id = ID', { is: 'onlyInJournal', table: 'documents' }],
  ['UPDATE documents SET id = 5 WHERE id = ID', { is: 'onlyInLedger', table: 'documents', id: 5 }],
  ['UPDATE counts SET n = n + 1', { is: 'miscounted' }],
  ['UPDATE requests SET n = n + 1', { is: 'miscounted' }],
] as const;

/** Rows that a change names are those with this id, unless it says another one. */
const foundAt = (finding: (typeof CHANGES)[number][1], id: number) =>
  'table' in finding ? { id, ...finding } : finding;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

describe('a ledger in SQLite, compared with its journal', () => {
  async function filled(seed = 1) {
    const file = await openSqlite();
    endings.push(() => file.close());
    await work(file.core, seed);
    return file;
  }

  it.each([1, 2, 3, 4])('is clean if nobody touched it, also while it is open (%i)', async (seed) => {
    const { path, journal } = await filled(seed);
    expect((await compareWithJournal(path, journal)).findings).toEqual([]);
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith('.verify'))).toEqual([]);
  });

  it.each(CHANGES)('finds: %s', async (change, finding) => {
    const { path, journal } = await filled();
    const db = new DatabaseSync(path);
    const { id } = db.prepare('SELECT max(id) AS id FROM documents').get() as { id: number };
    db.exec(change.replace('ID', `${id}`));
    db.close();
    expect((await compareWithJournal(path, journal)).findings).toContainEqual(foundAt(finding, id));
  });

  // On Windows, the damaged copy stays open until it is collected, and the test's directory can't be removed.
  it.skipIf(process.platform === 'win32')('is called damaged by its own name, in one line', async () => {
    const { path: whole, journal } = await filled();
    const path = `${dirname(whole)}/copy.db`;
    const db = new DatabaseSync(whole);
    db.exec(`VACUUM INTO '${path}'`);
    db.close();
    const bytes = readFileSync(path);
    for (let page = 4_096; page < bytes.length; page += 4_096) bytes.fill(0xff, page, page + 64);
    writeFileSync(path, bytes);
    await expect(compareWithJournal(path, journal)).rejects.toMatchObject({
      code: 'LEDGER_DAMAGED',
      message: expect.stringMatching(/^The ledger \S+copy\.db is damaged: [^*\n]+\.$/),
    });
  });

  it('refuses a journal of the format before', async () => {
    const { path } = await filled();
    const journal = `${path}.older`;
    createJournal(
      journal,
      { kind: 'begun', at: 1, facts: { ledger: 'older', because: 'Made.' } },
      null,
    ).close();
    await expect(compareWithJournal(path, journal)).rejects.toMatchObject({ code: 'LEDGER_OLDER' });
  });
});

describe.skipIf(!needsPostgres())('a ledger in PostgreSQL, verified', () => {
  /** Of two agents. */
  async function filled() {
    const database = await freshDatabase();
    endings.push(() => database.remove());
    const { url } = database;
    for (const name of ['one', 'two']) {
      const agent = await openPostgres(url, name);
      endings.push(() => agent.close());
      await work(agent.core, name.length);
    }
    const [row] = await ask<{ id: string }>(url, 'SELECT max(id) AS id FROM documents');
    return { url, id: Number(row?.id) };
  }
  const verified = (url: string, kept: KeptHead | null = null) =>
    verifyPostgresLedger(agentOptions(url).target, 'one', kept);

  it('is clean if nobody touched it, also while its agents run', async () => {
    const { url } = await filled();
    const { journal, ledger } = await verified(url);
    expect([...journal.findings, ...ledger.findings]).toEqual([]);
    const [row] = await ask<object>(
      url,
      `SELECT (SELECT count(*)::int FROM chain) AS entries, (SELECT count(*)::int FROM documents) AS documents`,
    );
    expect({ entries: journal.entries, documents: ledger.documents }).toEqual(row);
    const [head] = await ask(url, `SELECT ledger, seq::int, hash FROM agents WHERE name = 'one'`);
    expect(ledger.head).toEqual(head);
  });

  it.each(CHANGES)('finds: %s', async (change, finding) => {
    const { url, id } = await filled();
    await ask(url, change.replace('ID', `${id}`));
    const { journal, ledger } = await verified(url);
    expect(journal.findings).toEqual([]);
    expect(ledger.findings).toContainEqual(foundAt(finding, id));
  });

  it('finds lines of a chain that were changed or removed, and rows that they made', async () => {
    const { url } = await filled();
    const [row] = await ask<{ id: string }>(url, 'SELECT min(id) AS id FROM documents');
    const id = Number(row?.id);
    const [agent, seq] = [Math.floor(id / CHAIN), id % CHAIN];
    await ask(
      url,
      `UPDATE chain SET entry = replace(entry, '"name":"', '"name":"x') WHERE agent = ${agent} AND seq = ${seq}`,
    );
    const changed = await verified(url);
    expect(changed.journal.findings).toContainEqual(expect.objectContaining({ seq }));
    expect(changed.ledger.findings).toContainEqual({ is: 'rowDiffers', table: 'documents', id });
    await ask(url, `DELETE FROM chain WHERE agent = ${agent} AND seq = ${seq}`);
    const removed = await verified(url);
    expect(removed.journal.findings).toContainEqual(expect.objectContaining({ seq: seq + 1 }));
    expect(removed.ledger.findings).toContainEqual({ is: 'onlyInLedger', table: 'documents', id });
  });

  it('finds that a chain lacks its end, or a head that was kept', async () => {
    const { url } = await filled();
    const { head } = (await verified(url)).ledger;
    if (head === null) throw new Error('no head');
    expect((await verified(url, head)).journal.findings).toEqual([]);
    await ask(
      url,
      `DELETE FROM chain WHERE seq = ${head.seq} AND agent = (SELECT id FROM agents WHERE name = 'one')`,
    );
    const { journal, ledger } = await verified(url, head);
    expect(journal.findings).not.toEqual([]);
    expect(ledger.findings).toContainEqual(
      expect.objectContaining({
        is: 'ofAgent',
        agent: 'one',
        finding: expect.objectContaining({ is: 'lastOfChain', seq: head.seq }),
      }),
    );
    const unknown = await verified(url, { ...head, ledger: 'elsewhere' });
    expect(unknown.ledger.findings).toContainEqual({ is: 'keptOfNoAgent', ledger: 'elsewhere' });
  });

  it('refuses a database without a ledger, and tables of another version', async () => {
    const database = await freshDatabase();
    endings.push(() => database.remove());
    const { url } = database;
    await expect(verified(url)).rejects.toMatchObject({ code: 'LEDGER_MISSING' });
    await (await openPostgres(url)).close();
    await ask(url, 'UPDATE tables SET version = 0');
    await expect(verified(url)).rejects.toMatchObject({ code: 'LEDGER_OLDER' });
    await ask(url, 'UPDATE tables SET version = 1, behind = 7');
    await expect(verified(url)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
  });
});
