import { stat } from 'node:fs/promises';
import type { Config } from '../../config/config.ts';
import type { Finding } from '../../core/domain/finding.ts';
import { withReports } from '../../ledger/configured/reports.ts';
import { endOfEntry } from '../../ledger/journal/read.ts';
import { openForReading } from '../../ledger/sqlite/tables.ts';
import { storeFailure } from '../../ledger/sqlite/failure.ts';
import { journalPathOf } from '../../ledger/sqlite/files.ts';
import { openSqliteReports } from '../../ledger/sqlite/openReports.ts';
import { mayExist } from '../../system/mayExist.ts';
import { ledgerPath } from '../../state-dir/stateFiles.ts';

/** Bytes. Checking a larger ledger takes too long here; `ledger verify` does it. */
const LARGE_LEDGER = 500_000_000;

/** @throws the reason why the ledger can't be read */
export function ledgerFinding(config: Config | null, stateDir: string): Promise<Finding> {
  if (config?.ledger.kind === 'postgres') return sharedLedger(config);
  return ownLedger(stateDir).catch((error: unknown) => Promise.reject(asFailure(error, stateDir)));
}

async function sharedLedger(config: Config): Promise<Finding> {
  return withReports(config, async (reports) => {
    const documents = (await reports.documentCounts()).reduce((sum, each) => sum + each.count, 0);
    return { level: 'ok', subject: 'ledger', fact: { is: 'ledgerReadable', documents } };
  });
}

async function ownLedger(stateDir: string): Promise<Finding> {
  const subject = 'ledger';
  const path = ledgerPath({ stateDir });
  if (!mayExist(path) && !mayExist(journalPathOf(path)) && mayExist(stateDir)) {
    return { level: 'warn', subject, fact: { is: 'ledgerMissing' } };
  }
  await refuseOddFiles(stateDir);
  const db = openForReading(path, { anyVersion: true });
  try {
    const { size } = await stat(path);
    if (size <= LARGE_LEDGER) {
      const [row]: Record<string, unknown>[] = db.prepare('PRAGMA quick_check(1)').all();
      const verdict = Object.values(row ?? {})[0];
      if (verdict !== 'ok')
        return { level: 'fail', subject, fact: { is: 'ledgerDamaged', verdict: String(verdict) } };
    }
  } finally {
    db.close();
  }
  const reports = await openSqliteReports({ path });
  try {
    const head = await reports.head();
    if (head !== null && endOfEntry(journalPathOf(path), head) === null)
      return { level: 'fail', subject, fact: { is: 'journalBehind' } };
    const documents = (await reports.documentCounts()).reduce((sum, each) => sum + each.count, 0);
    return { level: 'ok', subject, fact: { is: 'ledgerSound', documents } };
  } finally {
    await reports.close();
  }
}

/** SQLite would block the process forever on a FIFO. @throws if a file is not a regular one */
export async function refuseOddFiles(stateDir: string): Promise<void> {
  const path = ledgerPath({ stateDir });
  for (const file of [path, `${path}-wal`, `${path}-shm`, journalPathOf(path)]) {
    const about = await stat(file).catch(() => null);
    if (about !== null && !about.isFile()) throw new Error(`${file} is not a regular file`);
  }
}

/** Turns an SQLite error into our own message. */
function asFailure(error: unknown, stateDir: string): Error {
  const failure = storeFailure(error, ledgerPath({ stateDir }), 'read');
  return failure instanceof Error ? failure : new Error(String(failure));
}
