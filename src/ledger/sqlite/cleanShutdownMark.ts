import fs from 'node:fs';
import { dirname } from 'node:path';
import { ReceiptdError, saidBy } from '../../core/domain/errors.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';

/*
 * A clean shutdown leaves this mark for the next start: when the ledger was last checked and found sound, and which file
 * that applies to. The start then skips SQLite's quick check, which takes 3.1 s for 1,000,000 receipts while nobody watches
 * the folders. The full check a minute later finds what rotted meanwhile. The mark is removed while the agent runs, so that a
 * crash leaves none.
 */

/** Identifies the file: one that was written since, or a copy, does not match. */
interface SoundMark {
  readonly lookedAt: number;
  readonly file: string;
}

/** Checks are at most a day apart: an agent that only ever runs for seconds never reaches its full check. */
const HOLDS_MS = 24 * 60 * 60_000;

export function cleanShutdownMarkOf(ledger: string): string {
  return `${ledger}.sound`;
}

/**
 * Removes the mark, durably, before anything is written.
 * @returns when the present ledger was last checked; null without a mark that matches it
 * @throws ReceiptdError STATE_UNWRITABLE
 */
export function takeCleanShutdownMark(ledger: string): number | null {
  const path = cleanShutdownMarkOf(ledger);
  if (!fs.existsSync(path)) return null;
  const text = read(path);
  try {
    fs.rmSync(path);
    syncDirectorySync(dirname(path));
  } catch (error) {
    const why = saidBy(error);
    throw new ReceiptdError('STATE_UNWRITABLE.notRemovable', { path, ...why }, { cause: error });
  }
  const mark = parse(text);
  const log = fs.statSync(`${ledger}-wal`, { throwIfNoEntry: false });
  if (mark === null || (log && log.size > 0)) return null;
  return mark.file === fileOf(ledger) ? mark.lookedAt : null;
}

/** Call after a clean shutdown, with everything in the main file. Leaves no mark if the last check was too long ago. */
export function leaveCleanShutdownMark(ledger: string, lookedAt: number, now: number): void {
  // A check from the future was made while the clock was wrong.
  if (lookedAt > now || lookedAt < now - HOLDS_MS) return;
  try {
    const file = fileOf(ledger);
    if (file === null) return;
    fs.writeFileSync(cleanShutdownMarkOf(ledger), JSON.stringify({ lookedAt, file } satisfies SoundMark), {
      mode: 0o600,
    });
  } catch {
    // Then the next start checks the ledger.
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
