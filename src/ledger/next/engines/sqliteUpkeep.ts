import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, ReceiptdError, systemCode } from '../../../core/domain/errors.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { JournalHead } from '../../../core/ports/journal.ts';
import type { LedgerUpkeep } from '../../../core/ports/ledger.ts';
import { backupsIn, backupTime, pruneBackups } from '../../sqlite/backup.ts';
import { journalPathOf, markDamaged } from '../../sqlite/files.ts';
import type { Runner } from '../runner.ts';
import { MISCOUNTED } from './compare.ts';
import { headOf, SCHEMA_VERSION, Statements } from './sqlite.ts';
import { openForReading, pragma, versionOf } from './sqliteFiles.ts';

export interface Upkeep {
  readonly path: string;
  readonly clock: Clock;
  readonly backupsDir: string;
  readonly checkerPath: string | undefined;
  readonly runner: Pick<Runner, 'backup' | 'looked'>;
}

export function createUpkeep({ path, clock, backupsDir, checkerPath, runner }: Upkeep): LedgerUpkeep {
  const files = [path, journalPathOf(path)];
  const inodes = files.map(inodeOf);
  return {
    isInPlace: async () => files.every((file, index) => inodeOf(file) === inodes[index]),

    backup: (target) => runner.backup(target),

    async lastBackup() {
      try {
        // A backup from the future was made while the clock was wrong.
        const newest = backupsIn(backupsDir).find((file) => backupTime(file) <= clock.now());
        return newest === undefined ? null : backupTime(newest);
      } catch (error) {
        // The next backup reports why they can't be listed.
        if (systemCode(error) === undefined) throw error;
        return null;
      }
    },

    pruneBackups: async (keep) => pruneBackups(backupsDir, keep, clock.now()),

    async check(signal) {
      const began = clock.now();
      const verdict = await runChecker(checkerPath ?? checkerBeside(), path, signal);
      runner.looked(verdict === 'ok' ? began : null);
      if (verdict === 'ok') return null;
      markDamaged(path, `A full check of the ledger found: ${verdict}.`);
      return verdict;
    },
  };
}

/** Null if the file does not exist. */
function inodeOf(file: string): bigint | null {
  return fs.statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

function checkerBeside(): string {
  return fileURLToPath(new URL(`./sqliteChecker${extname(import.meta.url)}`, import.meta.url));
}

/** In a process of its own: a check takes seconds and would block everything else. */
async function runChecker(checker: string, path: string, signal: AbortSignal | undefined): Promise<string> {
  const child = spawn(process.execPath, [checker, path], {
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    ...(signal && { signal }),
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const status = await new Promise<number | null>((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
  });
  if (status === 0) return output.trim();
  throw new ReceiptdError('LEDGER_WRITE_FAILED.notChecked', { path });
}

/** Damage of the file, in one line; null if there is none. */
export function damageOf(statements: Statements): string | null {
  const verdict = String(pragma(statements.db, 'integrity_check(1)')[0]);
  if (verdict === 'ok') return null;
  return verdict
    .replace(/^\*\*\* in database \S+ \*\*\*\n/, '')
    .trimEnd()
    .replaceAll('\n', '; ');
}

/** What is wrong with the tables as a whole, in one line; null if they are sound. */
export function flawOf(statements: Statements): string | null {
  const damage = damageOf(statements);
  if (damage !== null) return damage;
  return statements.each(MISCOUNTED, null).length > 0 ? 'the document counts are wrong' : null;
}

/**
 * Checks a backup, and returns the journal's head in it. One of an older schema is not counted: its tables are made anew when it is restored.
 * @throws ReceiptdError BACKUP_FAILED if it is not a complete ledger
 */
export function checkBackup(path: string): JournalHead {
  const bad = (why: string, cause?: unknown): ReceiptdError =>
    new ReceiptdError('BACKUP_FAILED.notValid', { path, detail: why }, { cause });
  try {
    const statements = new Statements(openForReading(path, { anyVersion: true }));
    try {
      const isLatest = versionOf(statements.db, path) === SCHEMA_VERSION;
      const flaw = isLatest ? flawOf(statements) : null;
      if (flaw !== null) throw bad(flaw);
      const { ledger, seq, hash } = headOf(statements);
      return { ledger, seq, hash };
    } finally {
      statements.forget();
      statements.db.close();
    }
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'BACKUP_FAILED') throw error;
    throw bad(messageOf(error).replace(/\.$/, ''), error);
  }
}
