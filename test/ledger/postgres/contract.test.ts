import { afterAll, afterEach, beforeEach, describe, vi } from 'vitest';
import type { BeginItem } from '../../../src/core/messages.ts';
import { openPostgresLedger } from '../../../src/ledger/openPostgres.ts';
import { LedgerCore, type Step } from '../../../src/ledger/ledger.ts';
import { PostgresEngine } from '../../../src/ledger/postgres/engine.ts';
import { describeLedgerContract } from '../../contract/ledger/contract.ts';
import { describeListingContract } from '../../contract/ledger/listings.ts';
import type { LedgerPlace } from '../../contract/ledger/support.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { clock } from '../sqlite/place.ts';
import { agentOptions, ask, emptyLedger } from '../support/agents.ts';

const EVERYTHING = `
SELECT query_to_xml(format('SELECT * FROM %s', oid::regclass), true, false, '')::text AS text FROM pg_class
 WHERE relnamespace = 'receiptd'::regnamespace AND relkind = 'r'`;

/** Requests are recorded at the times that the tests state, not at those of the database. */
function stateTimes(): void {
  const run = Reflect.get(LedgerCore.prototype, 'run') as (steps: readonly Step[]) => Promise<never>;
  const begin = Reflect.get(PostgresEngine.prototype, 'begin');
  let stated: number | undefined;
  vi.spyOn(LedgerCore.prototype, 'run').mockImplementation(function (this: LedgerCore, steps) {
    const items = steps.flatMap(([name, some]) =>
      name === 'begin' || name === 'end' || name === 'recover' ? (some as readonly BeginItem[]) : [],
    );
    stated = items.at(-1)?.at;
    return run.call(this, steps);
  });
  vi.spyOn(PostgresEngine.prototype, 'begin').mockImplementation(async function (this: PostgresEngine) {
    const head = await begin.call(this);
    return { ...head, now: stated ?? head.now };
  });
}

describe.skipIf(!needsPostgres())('on a real server', () => {
  let database: FreshDatabase | null = null;
  beforeEach(stateTimes);
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => database?.remove());

  const createPlace = async (): Promise<LedgerPlace> => {
    const { url } = (database ??= await freshDatabase());
    const options = agentOptions(url, 'one', { clock });
    return {
      open: (accountOf) => openPostgresLedger({ ...options, ...(accountOf && { accountOf }) }),
      stored: async () => (await ask<{ text: string }>(url, EVERYTHING)).map(({ text }) => text).join('\n'),
      remove: () => emptyLedger(url),
    };
  };
  describeLedgerContract('the PostgreSQL ledger', createPlace);
  describeListingContract('the PostgreSQL ledger', createPlace);
});
