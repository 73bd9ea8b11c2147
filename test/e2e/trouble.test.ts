import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../src/sandbox/server.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, storedOnce, until } from './support/agent.ts';

const DOCUMENTS = 100;
const FAULTS: readonly FaultRule[] = [
  { kind: 'cut', at: 'midBody', probability: 0.1 },
  { kind: 'cut', at: 'beforeBody', probability: 0.1 },
  { kind: 'lostAnswer', probability: 0.1 },
  { kind: 'status', status: 503, probability: 0.1 },
];
/** The fate of ten requests in turn, as a number in FAULTS: frequent faults, but never enough in a row for long waits. */
const FATES = [null, 0, null, 3, null, null, 2, null, 1, null];

test('cut connections, lost answers and 503s delay documents, and fail none', async () => {
  const site = await prepare({ delivery: { concurrency: 8 } }, { random: dealt(FATES, FAULTS.length) });
  const { sandbox } = site;
  sandbox.misbehave(...FAULTS);
  const agent = await site.quickStart();
  for (let n = 0; n < DOCUMENTS; n += 1) {
    const image = await drawReceipt({ type: 'jpeg', seed: `trouble ${n}` });
    await writeFile(site.file('inbox', `scan ${n}.jpg`), image);
  }
  await until(() => sandbox.stats().stored === DOCUMENTS, 'all to be stored', 180_000);
  await until(
    async () => (await site.list('--state', 'accepted')).length === DOCUMENTS,
    'all to be accepted',
    180_000,
  );
  expect(await agent.stop()).toMatchObject({ status: 0 });

  const fired = sandbox.faults().map((rule) => rule.fired);
  expect(Math.min(...fired)).toBeGreaterThanOrEqual(DOCUMENTS / 10);
  expect((await storedOnce(site)).size).toBe(DOCUMENTS);
  expect(sandbox.stats().repeatsWithOtherBytes).toBe(0);
  const rows = await site.list();
  expect(rows).toHaveLength(DOCUMENTS);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['accepted']));
  const repeated = sandbox.received().filter(({ tries }) => tries > 1);
  for (const { name } of repeated)
    expect(rows.find((row) => row.name === name)).toMatchObject({ answerLost: true });
});

/** Counts with which the sandbox, which applies each rule in turn, gives every request its fate. */
function dealt(fates: readonly (number | null)[], rules: number): () => number {
  let request = 0;
  let rule = 0;
  return () => {
    const fires = fates[request % fates.length] === rule;
    rule += 1;
    if (fires || rule === rules) {
      request += 1;
      rule = 0;
    }
    return fires ? 0 : 0.999;
  };
}
