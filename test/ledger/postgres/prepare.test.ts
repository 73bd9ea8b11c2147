import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareShared } from '../../../src/wiring/sharedLedger/prepare.ts';
import { openPostgresLedger } from '../../../src/ledger/postgres/open.ts';
import { admission } from '../../contract/ledger/support.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { agentOptions, ask, prepared, removeWithRole, roleOf, targetOf, urlAs } from './place.ts';

describe.skipIf(!needsPostgres())('preparing a shared ledger', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    await removeWithRole(database);
  });

  it('lets agents work, but not change the past or the schema', async () => {
    const url = await prepared(database);
    const ledger = await openPostgresLedger(agentOptions(url));
    const { document } = await ledger.admit(admission('a.jpg', 'a'));
    await ledger.markLost(document.id, 'gone', 2_000);
    // Personal data can be erased, in the history too.
    expect(await ledger.erase([document.id], 3_000)).toBe(1);
    await ledger.close();
    const forbidden = [
      'DROP TABLE documents',
      'TRUNCATE documents',
      'DELETE FROM documents',
      'DELETE FROM attempts',
      'DELETE FROM sightings',
      'DELETE FROM results',
      'DELETE FROM acts',
      `UPDATE acts SET by = 'nobody'`,
      'DELETE FROM history',
      `UPDATE history SET entry = '{}'`,
      `DELETE FROM history_rest`,
      'ALTER TABLE documents ADD COLUMN more text',
      'CREATE TABLE receiptd.more (id integer)',
      'DELETE FROM archives',
      `UPDATE migrations SET version = 1`,
      'DROP SCHEMA receiptd CASCADE',
    ];
    for (const text of forbidden) await expect(ask(url, text), text).rejects.toMatchObject({ code: '42501' });
  });

  it('is reserved for the owner, and can be repeated', async () => {
    const url = await prepared(database);
    expect(await prepareShared(targetOf(database.url), null)).toMatchObject({ roles: [roleOf(database)] });
    await expect(prepareShared(targetOf(url), null)).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
  });

  it('refuses a role that would keep every right, and a missing one', async () => {
    await expect(prepareShared(targetOf(database.url), 'postgres')).rejects.toMatchObject({
      code: 'ROLE_UNFIT',
    });
    await expect(prepareShared(targetOf(database.url), 'no"body')).rejects.toMatchObject({
      code: 'ROLE_UNFIT',
    });
  });

  it('gives a hint if agents may not create the schema', async () => {
    const role = roleOf(database);
    await ask(database.url, `CREATE ROLE ${role} LOGIN`);
    const refused = openPostgresLedger(agentOptions(urlAs(database, role)));
    await expect(refused).rejects.toMatchObject({ code: 'LEDGER_OLDER' });
    await expect(refused).rejects.toThrow(/not prepared yet/);
  });
});
