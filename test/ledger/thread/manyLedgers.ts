/** A program: one thread that writes many ledgers, each over its own port. */
import { parentPort, type MessagePort } from 'node:worker_threads';
import { systemClock } from '../../../src/system/systemClock.ts';
import { serveLedger } from '../../../src/ledger/thread/serve.ts';

parentPort?.on('message', (port: MessagePort) => serveLedger(port, systemClock));
