/** The short form of `npm run campaign -- simulate`. */
import { expect, test } from 'vitest';
import { compileTrials } from '../support/compiled.ts';

test('the first 13 seeds break no promise', async () => {
  const run = await compileTrials();
  // Each worker loads the whole agent, which takes longer than the seeds.
  const all = await run('simulation', '--seeds', '13', '--from', '1', '--workers', '1');
  expect(all.stdout.split('\n').slice(-30).join('\n')).toMatch(
    /^simulate: seeds 1 to 13 in .*; no breach\.$/m,
  );
  expect(all).toMatchObject({ status: 0, stderr: '' });
});

test('one seed always tells the same story', async () => {
  const run = await compileTrials();
  const tell = async (): Promise<string[]> => {
    const { stdout } = await run('simulation', '--seeds', '1', '--from', '17');
    return stdout.split('\n').slice(0, -2);
  };
  const [first, again] = await Promise.all([tell(), tell()]);
  expect(first.length).toBeGreaterThan(30);
  expect(again).toEqual(first);
});
