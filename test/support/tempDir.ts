import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new directory, removed when the test has finished, after what the test itself ends then. */
export function tempDir(name: string, where = tmpdir()): string {
  const dir = mkdtempSync(join(where, `receiptd-${name}-`));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}
