import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { memoryDirectory } from '../../support/memoryDirectory.ts';

export async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(memoryDirectory(), 'receiptd-credentials-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
