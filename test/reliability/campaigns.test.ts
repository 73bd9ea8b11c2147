import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compiledSources } from '../support/compiled.ts';
import { CAMPAIGNS } from './campaigns.ts';

const ROOT = join(import.meta.dirname, '../..');

it('`npm run campaign` lists every campaign, and passes options to one and its exit status back', async () => {
  const folder = join(await compiledSources(), 'test/reliability');
  const campaign = (...args: string[]) =>
    spawnSync(process.execPath, [join(folder, 'campaign.js'), ...args], { encoding: 'utf8' });

  const unknown = campaign('sleep');
  expect(unknown).toMatchObject({ status: 2, stdout: '' });
  expect(unknown.stderr).toMatch(/^npm run campaign: there is no campaign called sleep\.$/m);
  for (const { name, folder: own, shortForm } of CAMPAIGNS) {
    expect(unknown.stderr).toMatch(new RegExp(`^  ${name} .*${shortForm.replaceAll('.', '\\.')}`, 'm'));
    for (const file of [join(ROOT, shortForm), join(folder, own, 'main.js')])
      expect(existsSync(file), file).toBe(true);
  }
  expect(campaign('simulate', '--seeds', 'many')).toMatchObject({
    status: 2,
    stderr:
      'npm run campaign -- simulate: --seeds many is not a whole number of at least 1. See npm run campaign -- simulate --help.\n',
  });
});
