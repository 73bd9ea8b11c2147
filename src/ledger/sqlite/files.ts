import fs from 'node:fs';
import { dirname } from 'node:path';
import { syncDirectorySync } from '../../system/syncDirectory.ts';

/** Path of a ledger's journal, in the same directory. */
export function journalPathOf(ledger: string): string {
  return `${ledger.replace(/\.db$/, '')}.journal`;
}

/** File that records damage found while the ledger was in use, for the next start. */
export function damageMarkOf(ledger: string): string {
  return `${ledger}.damaged`;
}

/** Records the damage for the next start, whose quick check may miss it. */
export function markDamaged(ledger: string, message: string): void {
  try {
    fs.writeFileSync(damageMarkOf(ledger), `${message}\n`, { mode: 0o600 });
  } catch {
    // Then the next start finds it, or the next full check.
  }
}

/** The same, durably, before the tables are set aside: after a crash, nothing else says that the new ones are not whole. @throws system errors */
export function markForRebuild(ledger: string, because: string, aside: string): void {
  const mark = damageMarkOf(ledger);
  // What SQLite says of damage may have several lines.
  const text = `${because.replaceAll(/\s*\n\s*/g, '; ')}\n${aside}\n`;
  fs.writeFileSync(`${mark}.new`, text, { mode: 0o600, flush: true });
  fs.renameSync(`${mark}.new`, mark);
  syncDirectorySync(dirname(mark));
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
