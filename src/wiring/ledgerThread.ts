/** Worker thread entry point: writes the ledger (ledger/sqlite/thread). */
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../system/systemClock.ts';
import { serveLedger } from '../ledger/sqlite/thread/serve.ts';

if (parentPort === null) throw new Error('this is a thread of receiptd, and nothing by itself');
serveLedger(parentPort, systemClock);
