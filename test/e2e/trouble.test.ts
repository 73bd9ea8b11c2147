import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, storedOnce, until } from './support/agent.ts';

const DOCUMENTS = 200;

test(
  'cut connections, lost answers and 503s delay documents, and fail none',
  { timeout: 240_000 },
  async () => {
    const site = await prepare({ delivery: { concurrency: 8 } }, { random: seeded(7) });
    const { sandbox } = site;
    sandbox.misbehave(
      { kind: 'cut', at: 'midBody', probability: 0.1 },
      { kind: 'cut', at: 'beforeBody', probability: 0.1 },
      { kind: 'lostAnswer', probability: 0.1 },
      { kind: 'status', status: 503, probability: 0.1 },
    );
    const agent = await site.start();
    for (let n = 0; n < DOCUMENTS; n += 1) {
      const image = await drawReceipt({ type: 'jpeg', seed: `trouble ${n}` });
      await writeFile(site.file('inbox', `scan ${n}.jpg`), image);
    }
    await until(
      async () => (await site.list('--state', 'accepted')).length === DOCUMENTS,
      'all to be accepted',
      180_000,
    );
    expect(await agent.stop()).toMatchObject({ status: 0 });

    const fired = sandbox.faults().map((rule) => rule.fired);
    expect(Math.min(...fired)).toBeGreaterThan(0);
    expect((await storedOnce(site)).size).toBe(DOCUMENTS);
    expect(sandbox.stats().repeatsWithOtherBytes).toBe(0);
    const rows = await site.list();
    expect(rows).toHaveLength(DOCUMENTS);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['accepted']));
    const repeated = sandbox.received().filter(({ tries }) => tries > 1);
    for (const { name } of repeated)
      expect(rows.find((row) => row.name === name)).toMatchObject({ answerLost: true });
  },
);

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x1_0000_0000;
  };
}
