import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerUpkeep } from '../../core/ports/ledger.ts';
import { backupName, backupsIn, backupTime, backupTo, pruneBackups } from './backup.ts';
import { journalPathOf, markDamaged } from './files.ts';
import type { Store } from './store.ts';

export interface Keeping {
  readonly clock: Clock;
  readonly backupsDir: string;
  readonly checkerPath?: string;
  /** Called with the start time of a full check that found nothing; null if it found damage. */
  readonly onLooked?: (soundAt: number | null) => void;
}

export function createUpkeep(
  store: Store,
  { clock, backupsDir, checkerPath, onLooked = () => {} }: Keeping,
): LedgerUpkeep {
  const files = [store.path, journalPathOf(store.path)];
  const inodes = files.map(inodeOf);
  return {
    async isInPlace() {
      return files.every((file, index) => inodeOf(file) === inodes[index]);
    },

    backup: createBackup(store, { clock, backupsDir }),

    async lastBackup() {
      try {
        // A backup from the future was made while the clock was wrong.
        const newest = backupsIn(backupsDir).find((path) => backupTime(path) <= clock.now());
        return newest === undefined ? null : backupTime(newest);
      } catch (error) {
        // Listing errors are ignored here: the next backup reports them.
        if (systemCode(error) === undefined) throw error;
        return null;
      }
    },

    async pruneBackups(keep) {
      pruneBackups(backupsDir, keep, clock.now());
    },

    async check(signal) {
      const began = clock.now();
      const verdict = await lookThrough(checkerPath ?? checkerBeside(), store.path, signal);
      if (verdict === 'ok') {
        onLooked(began);
        return null;
      }
      onLooked(null);
      markDamaged(store.path, `A full check of the ledger found: ${verdict}.`);
      return verdict;
    },
  };
}

export function createBackup(
  store: Store,
  { clock, backupsDir }: Pick<Keeping, 'clock' | 'backupsDir'>,
): LedgerUpkeep['backup'] {
  return async (target) => {
    const file = target ?? join(backupsDir, backupName(clock.now()));
    return { file, head: await store.use((db) => backupTo(db, file)) };
  };
}

/** Null if the file does not exist. */
function inodeOf(file: string): bigint | null {
  return fs.statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

function checkerBeside(): string {
  return fileURLToPath(new URL(`./checker${extname(import.meta.url)}`, import.meta.url));
}

/** Runs in a separate process: the check takes seconds and would block everything else. */
async function lookThrough(checker: string, path: string, signal: AbortSignal | undefined): Promise<string> {
  const child = spawn(process.execPath, [checker, path], {
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
    ...(signal && { signal }),
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (status === 0) return output.trim();
  throw new ReceiptdError('LEDGER_WRITE_FAILED.notChecked', { path });
}
