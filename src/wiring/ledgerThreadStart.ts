import { fileURLToPath } from 'node:url';
import { WriterLink } from '../ledger/sqlite/thread/link.ts';

/** Beside the program's other files. */
export const LEDGER_THREAD = fileURLToPath(new URL('./ledgerThread.js', import.meta.url));

/** It loads its program, and opens the ledger that it is told of later. */
export const startLedgerThread = (): WriterLink => new WriterLink(LEDGER_THREAD);
