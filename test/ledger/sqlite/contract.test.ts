import { describeLedgerContract } from '../../contract/ledger.ts';
import { describeListingContract } from '../../contract/listings.ts';
import { describePagesContract } from '../../contract/pages.ts';
import { createPlace } from './place.ts';

describeLedgerContract('the SQLite ledger', createPlace);
describeListingContract('the SQLite ledger', createPlace);
describePagesContract('the SQLite ledger', createPlace);
