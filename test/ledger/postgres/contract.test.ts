import { afterAll, describe } from 'vitest';
import { openPostgresLedger } from '../../../src/ledger/adapter/openPostgres.ts';
import { describeLedgerContract } from '../../contract/ledger/contract.ts';
import { describeListingContract } from '../../contract/ledger/listings.ts';
import type { LedgerPlace } from '../../contract/ledger/support.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { clock } from '../sqlite/place.ts';
import { agentOptions, ask, emptyLedger } from '../support/agents.ts';

const EVERYTHING = `
SELECT query_to_xml(format('SELECT * FROM %s', oid::regclass), true, false, '')::text AS text FROM pg_class
 WHERE relnamespace = 'receiptd'::regnamespace AND relkind = 'r'`;

describe.skipIf(!needsPostgres())('on a real server', () => {
  let database: FreshDatabase | null = null;
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
