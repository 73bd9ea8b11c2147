import { realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Finding } from '../core/domain/finding.ts';

/** Warns about several installs: the first in PATH is the one that runs, so upgrading another has no effect. */
export async function checkInstalls(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<Finding[]> {
  const places = new Map<string, string>();
  const name = platform === 'win32' ? 'receiptd.cmd' : 'receiptd';
  for (const dir of (env['PATH'] ?? env['Path'] ?? '').split(delimiter)) {
    const place = join(dir, name);
    const real = dir === '' ? null : await realpath(place).catch(() => null);
    if (real !== null && !places.has(real)) places.set(real, place);
  }
  const [first, ...others] = places.values();
  if (first === undefined || others.length === 0) return [];
  return [{ level: 'warn', subject: 'install', fact: { is: 'install', places: [first, ...others] } }];
}
