import fs from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, ReceiptdError } from '../../core/domain/errors.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';

/*
 * What a clean end says to the next start (decisions/0032): when the ledger was last looked through and sound, and which
 * file that is said of. There is none while a run is open, so that one that was killed leaves none.
 */

/** A file that anybody has written since is another one; so is a copy of it. */
interface SoundMark {
  readonly lookedAt: number;
  readonly file: string;
}

/** Looks are a day apart at most: an agent that lives for seconds only never gets to its full check. */
const HOLDS_MS = 24 * 60 * 60_000;

export function cleanShutdownMarkOf(ledger: string): string {
  return `${ledger}.sound`;
}

/**
 * Takes the mark away, durably, before anything is written. @throws ReceiptdError STATE_UNWRITABLE. @returns when the ledger, as it lies there, was looked
 * through; null where a mark that says so is missing.
 */
export function takeCleanShutdownMark(ledger: string): number | null {
  const path = cleanShutdownMarkOf(ledger);
  if (!fs.existsSync(path)) return null;
  const text = read(path);
  try {
    fs.rmSync(path);
    syncDirectorySync(dirname(path));
  } catch (error) {
    const why = messageOf(error);
    throw new ReceiptdError('STATE_UNWRITABLE', `${path} can't be removed: ${why}.`, {
      hint: 'Check the permissions of its directory.',
      cause: error,
    });
  }
  const mark = parse(text);
  const log = fs.statSync(`${ledger}-wal`, { throwIfNoEntry: false });
  if (mark === null || (log && log.size > 0)) return null;
  return mark.file === fileOf(ledger) ? mark.lookedAt : null;
}

/** After a clean end, with everything in the one file. Leaves none where the last look was too long ago. */
export function leaveCleanShutdownMark(ledger: string, lookedAt: number, now: number): void {
  // A look from the future was made by a clock that was wrong.
  if (lookedAt > now || lookedAt < now - HOLDS_MS) return;
  const file = fileOf(ledger);
  if (file === null) return;
  try {
    fs.writeFileSync(cleanShutdownMarkOf(ledger), JSON.stringify({ lookedAt, file } satisfies SoundMark), {
      mode: 0o600,
    });
  } catch {
    // Then the next start looks through the ledger.
  }
}

function read(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function parse(text: string): SoundMark | null {
  try {
    const { lookedAt, file } = JSON.parse(text) as Partial<SoundMark>;
    return typeof lookedAt === 'number' && typeof file === 'string' ? { lookedAt, file } : null;
  } catch {
    return null;
  }
}

function fileOf(ledger: string): string | null {
  const found = fs.statSync(ledger, { bigint: true, throwIfNoEntry: false });
  if (!found) return null;
  return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}
