import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compiledSources } from '../support/compiled.ts';
import { CAMPAIGNS } from './campaigns.ts';

const ROOT = join(import.meta.dirname, '../..');

async function campaign(...args: string[]) {
  const main = join(await compiledSources(), 'test/reliability/campaign.js');
  return spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
}

it('`npm run campaign` lists every campaign, each with an existing short form', async () => {
  const { status, stdout } = await campaign();
  expect(status).toBe(0);
  for (const { name, shortForm } of CAMPAIGNS) {
    expect(stdout).toMatch(new RegExp(`^  ${name} .*${shortForm.replaceAll('.', '\\.')}`, 'm'));
    expect(existsSync(join(ROOT, shortForm)), shortForm).toBe(true);
  }
});

it('passes options to the campaign, and its exit status back', async () => {
  const build = await compiledSources();
  for (const { folder } of CAMPAIGNS)
    expect(existsSync(join(build, 'test/reliability', folder, 'main.js')), folder).toBe(true);
  const { status, stdout } = await campaign('simulate', '--help');
  expect(status).toBe(0);
  expect(stdout).toContain('npm run campaign -- simulate [options]\n');
  const refused = await campaign('simulate', '--seeds', 'many');
  expect(refused).toMatchObject({
    status: 2,
    stderr:
      'npm run campaign -- simulate: --seeds many is not a whole number of at least 1. See npm run campaign -- simulate --help.\n',
  });
});

it('lists the campaigns if the name is unknown', async () => {
  const { status, stdout, stderr } = await campaign('sleep');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^npm run campaign: there is no campaign called sleep\.\n[^]* simulate /);
});
