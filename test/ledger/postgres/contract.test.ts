import { afterAll, describe } from 'vitest';
import { describeLedgerContract } from '../../contract/ledger/contract.ts';
import { describeListingContract } from '../../contract/ledger/listings.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { placesInTurn } from './place.ts';

describe.skipIf(!needsPostgres())('on a real server', () => {
  const places = placesInTurn();
  afterAll(() => places.remove());
  describeLedgerContract('the PostgreSQL ledger', () => places.create());
  describeListingContract('the PostgreSQL ledger', () => places.create());
});
