import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import YAML from 'yaml';
import type { Command } from './measure.ts';

export const PROGRAM = fileURLToPath(new URL('../../../dist/receiptd.cjs', import.meta.url));
export const ENDPOINT = '11111111-2222-4333-8444-555555555555';

export interface Office {
  /** Directory of the configuration, the state and, unless `folder` is set, the watched folder. */
  readonly dir: string;
  readonly baseUrl: string;
  readonly folder?: string;
  readonly concurrency?: number;
  /** Further keys of the configuration. */
  readonly delivery?: Record<string, unknown>;
  readonly settings?: Record<string, unknown>;
  readonly folderSettings?: Record<string, unknown>;
}

/** Writes a configuration. @returns a function that builds `receiptd` commands with it */
export async function furnish(office: Office): Promise<(...args: string[]) => Command> {
  const { dir, baseUrl, concurrency = 8 } = office;
  const folder = office.folder ?? join(dir, 'scans');
  await mkdir(folder, { recursive: true });
  const config = join(dir, 'receiptd.yaml');
  const written = {
    service: { baseUrl },
    credentials: { store: 'environment' },
    endpoints: { office: { uid: ENDPOINT, concurrency } },
    folders: [{ path: folder, endpoint: 'office', ...office.folderSettings }],
    delivery: { concurrency, ...office.delivery },
    stateDir: join(dir, 'state'),
    ...office.settings,
  };
  await writeFile(config, YAML.stringify(written));
  const env = { ...process.env, RECEIPTD_CLIENT_ID: 'bench', RECEIPTD_CLIENT_SECRET: 'bench' };
  return (...args) => ({
    file: process.execPath,
    args: [PROGRAM, ...args, '--config', config],
    env,
    cwd: dir,
  });
}
