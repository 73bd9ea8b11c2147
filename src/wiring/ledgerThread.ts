/** Worker thread entry point: writes the ledger (ledger/thread). */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../system/systemClock.ts';
import { endOnRequest, serveLedger } from '../ledger/thread/serve.ts';

if (parentPort === null) throw new Error('this is a thread of receiptd, and nothing by itself');
endOnRequest(parentPort, workerData as Int32Array);
serveLedger(parentPort, systemClock);
