import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sha256 } from '../../src/core/sha256.ts';
import { drawReceipt, withTrailer } from '../support/images.ts';
import { prepare } from './support/agent.ts';

test('a large image is read once and hashed once, outside the main thread', async () => {
  const site = await prepare();
  const bytes = withTrailer(await drawReceipt({ type: 'jpeg', seed: 'large' }), 400_000);
  await writeFile(site.file('inbox', 'large.jpg'), bytes);
  site.env = {
    ...site.env,
    NODE_OPTIONS: `--import=${new URL('support/tellWork.mjs', import.meta.url).href}`,
    E2E_WORK: site.file('work'),
  };
  expect(await site.once()).toMatchObject({ status: 0 });
  expect(site.sandbox.received().map((each) => each.sha256)).toEqual([sha256(bytes)]);
  const work = (await readFile(site.file('work'), 'utf8')).trim().split('\n');
  expect(work).toEqual([
    `read of ${bytes.length} in the other thread`,
    `hash of ${bytes.length} in the other thread`,
  ]);
});
