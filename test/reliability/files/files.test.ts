/** The short form of the file campaign; `npm run campaign -- files` is the long one. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { compiledSources } from '../../support/compiled.ts';
import { requirement } from '../../support/requires.ts';
import { chosenOf } from '../../support/everyCase.ts';
import { PLACES, whyNot } from './places.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

let build: string;
beforeAll(async () => {
  build = await compiledSources();
});

/** A tmpfs differs from a disk in little. */
const CHOSEN = chosenOf(PLACES, (place) => place !== 'tmpfs');

describe.concurrent.each(CHOSEN)('random operations on files (%s)', (place) => {
  const missing = whyNot(place);
  it.skipIf(!requirement(`The place "${place}"`, missing === null, missing ?? ''))(
    'end with every image sent once, nothing else sent, and no other files changed',
    async () => {
      const main = join(build, 'test/reliability/files/main.js');
      const args = ['--seeds', '1', '--from', '1', '--operations', '30', `--${place}`];
      // A breach exits with 1, and its story is in the error.
      const { stdout } = await run(process.execPath, [main, ...args], {
        cwd: ROOT,
        maxBuffer: 64 * 1024 * 1024,
      });
      expect(stdout).toMatch(/^files: seeds 1 to 1 in .*; no breach\.$/m);
    },
  );
});
