import { describeLedgerContract } from '../../contract/ledger/contract.ts';
import { describeListingContract } from '../../contract/ledger/listings.ts';
import { createPlace } from './place.ts';

// Elsewhere thread/contract.test.ts holds it, for a ledger without a thread as well: both are the same code. Wine can't run that.
if (process.platform === 'win32') describeLedgerContract('the SQLite ledger', createPlace);
describeListingContract('the SQLite ledger', createPlace);
