/** The short form of `npm run campaign -- pages`. */
import { expect, it } from 'vitest';
import { compileTrials } from '../support/compiled.ts';

it('damaged files of pages give complete images or a reason, even if the reading process fails', async () => {
  const trial = await compileTrials();
  const ended = await trial('pages', '--seeds', '30', '--from', '0');
  expect(ended, ended.stdout).toMatchObject({ status: 0, stderr: '' });
  expect(ended.stdout).toMatch(/^pages: seeds 0 to 29 in .*; no breach\.$/m);
});
