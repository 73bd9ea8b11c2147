/**
 * A directory in memory, where a sync is free, for files that tests sync often, such as ledgers. Falls back to `tmpdir()` if
 * `/dev/shm` is missing or too small. The end-to-end tests and the campaigns cover real disks.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'rcpt-';
const VARIABLE = 'RECEIPTD_TEST_MEMORY';
/** Containers often have only 64 MB. */
const LEAST_BYTES = 1_000_000_000;
const DAY_MS = 86_400_000;

/** Vitest's global set-up: the directory of this run. */
export default function setup(): () => void {
  if (process.env[VARIABLE] !== undefined || !hasRoom()) return () => {};
  removeLeftovers();
  const dir = mkdtempSync(join(MEMORY, PREFIX));
  // Some tests drop to an ordinary user.
  chmodSync(dir, 0o1777);
  process.env[VARIABLE] = dir;
  return () => {
    const left = readdirSync(dir);
    rmSync(dir, { recursive: true, force: true });
    if (process.env['RECEIPTD_NO_LEFTOVERS'] !== '1' || left.length === 0) return;
    console.error(`Tests left behind in memory: ${left.join(', ')}`);
    process.exitCode = 1;
  };
}

/** The directory of this run, or `tmpdir()`. */
export function memoryDirectory(): string {
  return process.env[VARIABLE] ?? tmpdir();
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > LEAST_BYTES;
  } catch {
    return false;
  }
}

/** Removes directories of runs that were killed. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY).filter((each) => each.startsWith(PREFIX))) {
    const dir = join(MEMORY, name);
    if (Date.now() - statSync(dir).mtimeMs > DAY_MS) rmSync(dir, { recursive: true, force: true });
  }
}
