import { expect, test } from 'vitest';
import { hasTurn } from '../../support/turns.ts';
import { compileTrials } from '../support/compiled.ts';

const SEEDS = 13;
/** Number of days with seeds of their own. */
const DAYS = 8;
const turns = Array.from({ length: DAYS }, (_, at) => at).filter((at) => hasTurn(at, DAYS));

test.each(turns.map((at) => 1 + at * SEEDS))('the 13 seeds from %i break no promise', async (from) => {
  const run = await compileTrials();
  const all = await run('simulation', '--seeds', String(SEEDS), '--from', String(from));
  expect(all.stdout.split('\n').slice(-30).join('\n')).toContain('all promises held');
  expect(all).toMatchObject({ status: 0, stderr: '' });
});

test('one seed always tells the same story', async () => {
  const run = await compileTrials();
  const first = await run('simulation', '--seeds', '1', '--from', '17');
  const again = await run('simulation', '--seeds', '1', '--from', '17');
  const storyOf = (text: string): string[] => text.split('\n').slice(0, -2);
  expect(storyOf(first.stdout).length).toBeGreaterThan(30);
  expect(storyOf(again.stdout)).toEqual(storyOf(first.stdout));
});
