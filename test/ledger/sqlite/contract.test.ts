import { describeLedgerContract } from '../../contract/ledger.ts';
import { createPlace } from './place.ts';

describeLedgerContract('the SQLite ledger', createPlace);
