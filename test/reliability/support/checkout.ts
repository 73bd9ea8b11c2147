import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MARK = 'test/reliability/kill/preload.cjs';

/** Resolves a path in the checkout, from the sources and from compiled code. */
export function inCheckout(path: string): string {
  return join(checkout(), path);
}

/** The binary of the same build, or `dist` when run from the sources, which Node 20 cannot do. */
export function binary(): string {
  const compiled = fileURLToPath(new URL('../../../src/receiptd.cjs', import.meta.url));
  const path = existsSync(compiled) ? compiled : inCheckout('dist/receiptd.cjs');
  if (!existsSync(path)) throw new Error(`${path} is missing: npm run build`);
  return path;
}

function checkout(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); dir !== dirname(dir); dir = dirname(dir)) {
    if (existsSync(join(dir, MARK))) return dir;
  }
  // npm runs scripts in the checkout.
  if (existsSync(join(process.cwd(), MARK))) return process.cwd();
  throw new Error('Start it in the checkout, with npm run.');
}
