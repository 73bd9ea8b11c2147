import fs from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectorySync } from '../../system/syncDirectory.ts';

/** Path of a ledger's journal, in the same directory. */
export function journalPathOf(ledger: string): string {
  return `${ledger.replace(/\.db$/, '')}.journal`;
}

/** Why the tables are made anew. */
export interface Rebuild {
  /** A message, in one line. */
  readonly because: string;
  /** Where the former ones are kept; null or left out: they are not set aside yet. */
  readonly aside?: string | null;
  /** Nobody's trouble: they have an older schema. */
  readonly isUpgrade?: boolean;
}

const UPGRADE = 'upgrade';

/** File that records why the next start makes the tables anew. */
export function damageMarkOf(ledger: string): string {
  return `${ledger}.damaged`;
}

/**
 * Records damage found while the ledger was in use for the next start, whose quick check may miss it. A mark that is there stays: it may name the tables
 * that are being replaced.
 */
export function markDamaged(ledger: string, message: string): void {
  try {
    fs.writeFileSync(damageMarkOf(ledger), `${message}\n`, { mode: 0o600, flag: 'wx' });
  } catch {
    // Then the next start finds it, or the next full check.
  }
}

/** The same, durably, before the tables are set aside: after a crash, nothing else says that the new ones are not whole. @throws system errors */
export function markForRebuild(ledger: string, { because, aside, isUpgrade }: Rebuild): void {
  const mark = damageMarkOf(ledger);
  const text = [because, aside, isUpgrade === true ? UPGRADE : ''].join('\n');
  fs.writeFileSync(`${mark}.new`, text, { mode: 0o600, flush: true });
  fs.renameSync(`${mark}.new`, mark);
  syncDirectorySync(dirname(mark));
}

export function readMark(ledger: string): Rebuild | null {
  const mark = damageMarkOf(ledger);
  if (!fs.existsSync(mark)) return null;
  const [because = '', aside = '', kind] = fs.readFileSync(mark, 'utf8').trim().split('\n');
  return { because, aside: fs.existsSync(aside) ? aside : null, isUpgrade: kind === UPGRADE };
}

/** Where a file would be kept now. */
export function asideOf(path: string, at: number): string {
  const stamp = new Date(at).toISOString().replaceAll(/[-:]/g, '').replace(/\.\d+/, '');
  let aside = `${path}.aside-${stamp}`;
  for (let n = 2; fs.existsSync(aside); n += 1) aside = `${path}.aside-${stamp}-${n}`;
  return aside;
}

/** Renames a file and SQLite's files beside it, to keep them. Returns the new path; null if there is no file. */
export function setAside(path: string, at: number): string | null {
  const parts = ['', '-wal', '-shm'].filter((suffix) => fs.existsSync(path + suffix));
  if (parts.length === 0) return null;
  const aside = asideOf(path, at);
  for (const suffix of parts) fs.renameSync(path + suffix, aside + suffix);
  syncDirectorySync(dirname(path));
  return aside;
}

export function syncFile(path: string): void {
  const handle = fs.openSync(path, 'r+');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
