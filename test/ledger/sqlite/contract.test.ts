import { describeLedgerContract } from '../../contract/ledger/contract.ts';
import { describeListingContract } from '../../contract/ledger/listings.ts';
import { createPlace } from './place.ts';

// Other systems run thread/contract.test.ts, which covers the same code. Wine can't run it.
if (process.platform === 'win32') describeLedgerContract('the SQLite ledger', createPlace);
describeListingContract('the SQLite ledger', createPlace);
