import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerUpkeep } from '../../core/ports/ledger.ts';
import { backupsIn, backupTime, pruneBackups } from './backup.ts';
import { journalPathOf, markDamaged } from './files.ts';
import type { Runner } from '../runner.ts';
import { toMessage } from '../../core/domain/why.ts';

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
      markDamaged(path, toMessage({ is: 'checkFound', detail: verdict }));
      return verdict;
    },
  };
}

/** Null if the file does not exist. */
function inodeOf(file: string): bigint | null {
  return fs.statSync(file, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

function checkerBeside(): string {
  return fileURLToPath(new URL(`./checker${extname(import.meta.url)}`, import.meta.url));
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
