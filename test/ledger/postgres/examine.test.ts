import { describe, expect, it, onTestFinished } from 'vitest';
import { findingsAbout } from '../../../src/wiring/checkLedger.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { Connector } from '../../../src/ledger/postgres/connection.ts';
import { examineLedger, type LedgerFacts } from '../../../src/ledger/postgres/examine.ts';
import { prepareTables } from '../../../src/ledger/postgres/tables.ts';
import { freshDatabase, needsPostgres } from '../../support/postgres.ts';

const LEDGER = {
  kind: 'postgres',
  url: 'postgres://receiptd@db.example.com/receiptd?sslmode=verify-full',
  passwordFile: null,
  ca: null,
  agent: null,
  lease: 15_000,
} as const;
const FACTS: LedgerFacts = { server: '17.1', isEncrypted: true, clockAheadMs: 0, lacks: [] };

const found = (facts: Partial<LedgerFacts>) => findingsAbout(LEDGER, { ...FACTS, ...facts });

describe('the report on a shared ledger', () => {
  it('names its location, without a user, and how secure the connection is', () => {
    for (const isEncrypted of [true, false, null])
      expect(found({ isEncrypted })).toEqual([
        {
          level: 'ok',
          subject: 'ledger',
          fact: {
            is: 'ledgerShared',
            database: 'receiptd',
            hosts: ['db.example.com'],
            server: '17.1',
            isEncrypted,
          },
        },
      ]);
  });

  it('warns of a clock that differs from the database’s by more than five seconds, in either direction', () => {
    expect(found({ clockAheadMs: 5_000 })).toHaveLength(1);
    for (const clockAheadMs of [7_000, -7_000])
      expect(found({ clockAheadMs })[1]).toMatchObject({
        level: 'warn',
        fact: { is: 'databaseClock', ms: 7_000, isBehind: clockAheadMs > 0 },
      });
  });

  it('names rights that the role lacks', () => {
    const lacks = ['INSERT on documents'];
    expect(found({ lacks })).toMatchObject([{ level: 'fail', fact: { is: 'privileges', lacks } }]);
  });
});

describe.skipIf(!needsPostgres())('examining a shared ledger', () => {
  async function database() {
    const fresh = await freshDatabase();
    onTestFinished(() => fresh.remove());
    const target = (url: string) => ({ url, passwordFile: null, caFile: null });
    return { ...fresh, target };
  }

  it('reports that there is none yet, and creates none', async () => {
    const { url, target } = await database();
    for (const _ of [1, 2])
      await expect(examineLedger(target(url), systemClock)).rejects.toMatchObject({ code: 'LEDGER_MISSING' });
  });

  it('finds the server, the clock, and every right of its owner', async () => {
    const { url, target } = await database();
    const connection = await new Connector(target(url)).connect('test');
    await prepareTables(connection, 'here');
    await connection.close();
    const facts = await examineLedger(target(url), systemClock);
    expect(facts).toMatchObject({ server: expect.stringMatching(/^\d+/), lacks: [] });
    // One machine, one clock.
    expect(Math.abs(facts.clockAheadMs)).toBeLessThan(5_000);
    const ahead = { now: () => Date.now() + 3_600_000 };
    expect((await examineLedger(target(url), ahead)).clockAheadMs).toBeLessThan(-3_000_000);
  });

  it('finds the rights that a read-only role lacks', async () => {
    const { url, name, target } = await database();
    const owner = await new Connector(target(url)).connect('test');
    await prepareTables(owner, 'here');
    await owner.exec(`CREATE ROLE looker_${name} LOGIN; GRANT USAGE ON SCHEMA receiptd TO looker_${name};
      GRANT SELECT ON ALL TABLES IN SCHEMA receiptd TO looker_${name}`);
    onTestFinished(async () => {
      await owner.exec(`DROP OWNED BY looker_${name}; DROP ROLE looker_${name}`);
      await owner.close();
    });
    const other = new URL(url);
    other.username = `looker_${name}`;
    const { lacks } = await examineLedger(target(other.href), systemClock);
    expect(lacks).toContain('INSERT on documents');
    expect(lacks).not.toContain('SELECT on agents');
  });
});
