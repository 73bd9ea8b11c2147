import { mkdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { prepare, storedOnce, type Site } from './support/agent.ts';
import { dropReceipts, hasReceipts, receipts } from './support/receipts.ts';

describe.skipIf(!hasReceipts())('real receipts', () => {
  test('are each stored once, complete, under one name; a second run sends and hashes nothing', async () => {
    const site = await prepare();
    await dropReceipts(site.file('inbox'));
    const files = Object.entries(receipts());
    const distinct = new Set(files.map(([, { sha256 }]) => sha256));
    expect(files).toHaveLength(39);
    expect(distinct.size).toBe(38);

    const first = await countedRun(site);
    expect(await storedOnce(site)).toHaveProperty('size', 38);
    expect(new Set(site.sandbox.received().map(({ sha256 }) => sha256))).toEqual(distinct);
    expect(site.sandbox.stats()).toMatchObject({ stored: 38, repeats: 0 });
    const rows = await site.list();
    expect(rows.map(({ path }) => path).toSorted()).toEqual(
      files.map(([name]) => site.file('inbox', name)).toSorted(),
    );
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['PROCESSING']));

    // The only pair in the set: two files with the same bytes.
    const [duplicate, ...others] = rows.filter(({ state }) => state === 'duplicate');
    expect(others).toEqual([]);
    const original = rows.find(({ state, sha256 }) => state === 'accepted' && sha256 === duplicate?.sha256);
    expect(original?.name).toBe(duplicate?.name);
    const pair = files.filter(([, { sha256 }]) => sha256 === duplicate?.sha256);
    expect(pair.map(([name]) => site.file('inbox', name)).toSorted()).toEqual(
      [original?.path, duplicate?.path].toSorted(),
    );

    const requests = site.sandbox.stats().requests;
    const second = await countedRun(site);
    expect(site.sandbox.stats().requests).toEqual(requests);
    expect(await site.list()).toEqual(rows);
    // Beside what a run without files reads: the program and the ledger. Hashing an image would read it.
    const smallest = Math.min(...files.map(([, { bytes }]) => bytes));
    const total = files.reduce((sum, [, { bytes }]) => sum + bytes, 0);
    const without = await emptyRun(site);
    expect(first - without).toBeGreaterThan(0.9 * total);
    expect(second - without).toBeLessThan(smallest);
  });
});

/** Bytes read by a `run --once`, which must succeed. */
async function countedRun(site: Site): Promise<number> {
  site.env = {
    ...site.env,
    NODE_OPTIONS: `--import=${new URL('support/countReads.mjs', import.meta.url).href}`,
    E2E_READS: site.file('reads'),
  };
  expect(await site.once()).toMatchObject({ status: 0 });
  const text = await readFile(site.file('reads'), 'utf8');
  return Number(/^rchar: (\d+)$/m.exec(text)?.[1]);
}

async function emptyRun(site: Site): Promise<number> {
  await mkdir(site.file('empty'));
  await site.configure({ folders: [{ path: site.file('empty'), endpoint: 'office' }] });
  return countedRun(site);
}
