import { existsSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { requirement } from '../../support/requires.ts';

const FOLDER = fileURLToPath(new URL('../../../../shared/receipts', import.meta.url));
const MANIFEST = z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() }));

/** For `describe.skipIf(!hasReceipts())`. */
export function hasReceipts(): boolean {
  return requirement(
    'The folder of real receipts',
    existsSync(join(FOLDER, 'manifest.json')),
    'it belongs beside the checkout, as ../shared/receipts',
  );
}

/** The photographed receipts, by file name, as their manifest describes them. */
export function receipts(): z.infer<typeof MANIFEST> {
  return MANIFEST.parse(JSON.parse(readFileSync(join(FOLDER, 'manifest.json'), 'utf8')));
}

/** Copies all of them to a folder. */
export async function dropReceipts(into: string): Promise<void> {
  for (const name of Object.keys(receipts())) await copyFile(join(FOLDER, name), join(into, name));
}

/** The path of one of them. */
export function receiptFile(name: string): string {
  return join(FOLDER, name);
}
