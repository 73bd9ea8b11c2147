/** The short form of the file campaign; `npm run campaign -- files` is the long one. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { compiledSources } from '../../support/compiled.ts';
import { requirement } from '../../support/requires.ts';
import { whyNot } from './places.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

let build: string;
beforeAll(async () => {
  build = await compiledSources();
});

const ROUNDS = { local: 1, tmpfs: 1, polled: 1 } as const;

describe.concurrent.each(['local', 'tmpfs', 'polled'] as const)(
  'random operations on files (%s)',
  (place) => {
    const missing = whyNot(place);
    it.skipIf(!requirement(`The place "${place}"`, missing === null, missing ?? ''))(
      'end with every image sent once, nothing else sent, and nothing changed that is not the agent’s',
      async () => {
        const main = join(build, 'test/reliability/files/main.js');
        const args = ['--rounds', String(ROUNDS[place]), '--from', '1', '--operations', '30', `--${place}`];
        // A breach exits with 1, and its story is in the error.
        const { stdout } = await run(process.execPath, [main, ...args], {
          cwd: ROOT,
          maxBuffer: 64 * 1024 * 1024,
        });
        expect(stdout).toContain(`${place}: ${ROUNDS[place]} rounds, ${ROUNDS[place]} clean`);
      },
    );
  },
);
