/** The short form of the file campaign; `npm run campaign -- files` is the long one. */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requirement } from '../../support/requires.ts';
import { whyNot } from './places.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'receiptd-compiled-'));
  // Rounds run as an ordinary user where the tests run as root.
  await chmod(dir, 0o755);
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'), 'junction');
  await copyFile(join(ROOT, 'package.json'), join(dir, 'package.json'));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = ['-p', join(ROOT, 'tsconfig.trials.json'), '--noCheck', '--outDir', join(dir, 'build')];
  await run(process.execPath, [compiler, ...args]);
}, 60_000);
afterAll(() => rm(dir, { recursive: true, force: true }));

const ROUNDS = { local: 4, tmpfs: 4, polled: 2 } as const;

describe.concurrent.each(['local', 'tmpfs', 'polled'] as const)(
  'random operations on files (%s)',
  (place) => {
    const missing = whyNot(place);
    it.skipIf(!requirement(`The place "${place}"`, missing === null, missing ?? ''))(
      'end with every image sent once, nothing else sent, and nothing changed that is not the agent’s',
      async () => {
        const main = join(dir, 'build/test/reliability/files/main.js');
        const args = ['--rounds', String(ROUNDS[place]), '--from', '1', '--operations', '30', `--${place}`];
        // A breach exits with 1, and its story is in the error.
        const { stdout } = await run(process.execPath, [main, ...args], {
          cwd: ROOT,
          maxBuffer: 64 * 1024 * 1024,
        });
        expect(stdout).toContain(`${place}: ${ROUNDS[place]} rounds, ${ROUNDS[place]} clean`);
      },
      120_000,
    );
  },
);
