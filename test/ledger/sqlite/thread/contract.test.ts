import { describeLedgerContract } from '../../../contract/ledger.ts';
import { createThreadPlace } from './place.ts';

// Lists are read beside the thread, by what the contract of the SQLite ledger already holds.
describeLedgerContract('the SQLite ledger that a thread writes', createThreadPlace);
