import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareShared } from '../../../src/wiring/sharedLedger/prepare.ts';
import type { Member } from '../../../src/ledger/fleet/member.ts';
import { Connector } from '../../../src/ledger/postgres/connection.ts';
import { prepareTables, requireTables, SCHEMA_VERSION } from '../../../src/ledger/postgres/tables.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { openPostgres } from '../support/agents.ts';
import { ask } from '../support/agents.ts';
import { prepared, removeWithRole, roleOf, targetOf, urlAs } from './place.ts';

const item = {
  folder: { owner: 'agent:one', path: '/scans' },
  path: 'a.jpg',
  size: 1,
  identity: '1',
  at: 1_000,
  endpoint: { baseUrl: 'https://service.example', uid: 'office' },
  sha256: 'a'.repeat(64),
  type: 'jpeg',
  priority: 0,
  naming: ['a'],
} as const;

describe.skipIf(!needsPostgres())('the tables of a shared ledger', () => {
  let database: FreshDatabase;
  const open: Member[] = [];
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((agent) => agent.close()));
    await removeWithRole(database);
  });

  async function opened(name: string, url = database.url): Promise<Member> {
    const agent = await openPostgres(url, name);
    open.push(agent);
    return agent;
  }

  const admit = async (agent: Member, name = 'a') => {
    const [[answer]] = await agent.core.run([
      ['admit', [{ ...item, sha256: name.repeat(64), naming: [name], path: `${name}.jpg` }]],
    ]);
    return answer as { readonly document: number; readonly name: string };
  };

  async function connected() {
    return new Connector(targetOf(database.url)).connect('a test');
  }

  it('let agents work under a role of theirs, but not change the past or the schema', async () => {
    const url = await prepared(database);
    const agent = await opened('one', url);
    const { document } = await admit(agent);
    await agent.core.run([
      ['move', [{ documents: [document], move: 'lose', message: 'gone', filesBefore: null, at: 2_000 }]],
    ]);
    // Personal data can be erased, in the chain too.
    expect(await agent.core.run([['erase', [{ documents: [document], at: 3_000 }]]])).toEqual([
      [{ count: 1 }],
    ]);
    const forbidden = [
      'DROP TABLE documents',
      'TRUNCATE documents',
      ...['endpoints', 'folders', 'documents', 'files', 'attempts', 'holds', 'results', 'counts'].map(
        (table) => `DELETE FROM ${table}`,
      ),
      'DELETE FROM agents',
      'DELETE FROM chain',
      `UPDATE chain SET entry = '{}'`,
      `UPDATE chain SET hash = ''`,
      'ALTER TABLE documents ADD COLUMN more text',
      'CREATE TABLE receiptd.more (id integer)',
      'DELETE FROM archives',
      `INSERT INTO archives VALUES (1, 1, '', 1, 1, '')`,
      'UPDATE tables SET version = 1',
      'DROP SCHEMA receiptd CASCADE',
    ];
    for (const text of forbidden) await expect(ask(url, text), text).rejects.toMatchObject({ code: '42501' });
  });

  it('are prepared by their owner alone, again and again', async () => {
    const url = await prepared(database);
    expect(await prepareShared(targetOf(database.url), null)).toMatchObject({ roles: [roleOf(database)] });
    await expect(prepareShared(targetOf(url), null)).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
  });

  it('are not prepared for a role that would keep every right, or that is missing', async () => {
    for (const role of ['postgres', 'no"body'])
      await expect(prepareShared(targetOf(database.url), role)).rejects.toMatchObject({ code: 'ROLE_UNFIT' });
  });

  it('are made anew by an owner, and filled under the role of the agents', async () => {
    const url = await prepared(database);
    const agent = await opened('one', url);
    await admit(agent);
    // Before: an agent whose heartbeat finds them older would leave its lease.
    await agent.close();
    await ask(database.url, 'UPDATE tables SET version = 0');
    await expect(opened('one', url)).rejects.toMatchObject({ code: 'LEDGER_OLDER' });
    const owner = await connected();
    await prepareTables(owner, 'here');
    expect(await ask(url, 'SELECT name FROM documents')).toEqual([]);
    await expect(requireTables(owner, 'here')).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' });
    await opened('one', url);
    expect(await ask(url, 'SELECT name FROM documents')).toEqual([{ name: 'a' }]);
    await requireTables(owner, 'here');
    await owner.close();
  });

  it('are refused with a hint where agents may not make them', async () => {
    const role = roleOf(database);
    await ask(database.url, `CREATE ROLE ${role} LOGIN`);
    await expect(opened('one', urlAs(database, role))).rejects.toMatchObject({
      code: 'LEDGER_OLDER',
      message: expect.stringMatching(/not prepared yet/) as string,
      hint: 'Run `receiptd ledger prepare` with a role that owns the schema.',
    });
    expect(await ask(database.url, `SELECT FROM pg_namespace WHERE nspname = 'receiptd'`)).toEqual([]);
  });

  it('are made once by agents that start together, and all of them work', async () => {
    const agents = await Promise.all(['one', 'two', 'three', 'four'].map((name) => opened(name)));
    const names = ['a', 'b', 'c', 'd'];
    const admitted = await Promise.all(agents.map((agent, n) => admit(agent, names[n])));
    expect(admitted.map(({ name }) => name)).toEqual(names);
    expect(agents.map((agent) => agent.trouble())).toEqual([null, null, null, null]);
    expect(await ask(database.url, 'SELECT version FROM tables')).toEqual([{ version: SCHEMA_VERSION }]);
  });

  it('are made completely or not at all', async () => {
    const connection = await connected();
    // Makes it fail after some tables.
    await connection.exec('CREATE SCHEMA receiptd; CREATE TABLE receiptd.leads (id integer)');
    await expect(prepareTables(connection, 'here')).rejects.toThrow(/already exists/);
    await expect(requireTables(connection, 'here')).rejects.toMatchObject({ code: 'LEDGER_MISSING' });
    await connection.exec('DROP TABLE receiptd.leads');
    await prepareTables(connection, 'here');
    await requireTables(connection, 'here');
    await connection.close();
  });

  it('of a newer receiptd are not touched', async () => {
    await (await opened('one')).close();
    await ask(database.url, 'UPDATE tables SET version = 1000');
    await expect(opened('two')).rejects.toMatchObject({
      code: 'LEDGER_NEWER',
      message: expect.stringContaining('has version 1000; this receiptd knows ') as string,
    });
    expect(await ask(database.url, 'SELECT name FROM agents')).toEqual([{ name: 'one' }]);
  });
});
