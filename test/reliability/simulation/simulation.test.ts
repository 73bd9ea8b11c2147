import { expect, test } from 'vitest';
import { compileTrials } from '../support/compiled.ts';

test('the first 13 seeds break no promise', async () => {
  const run = await compileTrials();
  const all = await run('simulation', '--seeds', '13', '--from', '1');
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
