import { describeLedgerContract } from '../../../contract/ledger.ts';
import { createThreadPlace } from './place.ts';

describeLedgerContract('the SQLite ledger that a thread writes', createThreadPlace);
