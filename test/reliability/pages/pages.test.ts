/** The short form of `npm run campaign -- pages`. */
import { expect, it } from 'vitest';
import { compileTrials } from '../support/compiled.ts';

it('damaged files of pages end with whole images or a reason, whatever becomes of the process that reads them', async () => {
  const trial = await compileTrials();
  // Others each day.
  const from = Math.floor(Date.now() / 86_400_000) * 100;
  const ended = await trial('pages', '--files', '30', '--from', String(from));
  expect(ended, ended.stdout).toMatchObject({ status: 0, stderr: '' });
  expect(ended.stdout).toMatch(/30 files in .* 0 breaches\./);
});
