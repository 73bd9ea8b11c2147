import { describeLedgerContract } from '../../../contract/ledger.ts';
import { describeListingContract } from '../../../contract/listings.ts';
import { createThreadPlace } from './place.ts';

describeLedgerContract('the SQLite ledger that a thread writes', createThreadPlace);
describeListingContract('the SQLite ledger that a thread writes', createThreadPlace);
