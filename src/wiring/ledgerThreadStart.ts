import { fileURLToPath } from 'node:url';
import { WriterLink } from '../ledger/thread/link.ts';

/** Beside the program's other files. */
export const LEDGER_THREAD = fileURLToPath(new URL('./ledgerThread.js', import.meta.url));

/** Starts loading the thread's program; the ledger is opened later, on request. */
export const startLedgerThread = (): WriterLink => new WriterLink(LEDGER_THREAD);
