/**
 * What handles many at once does so in batches, which no caller may notice. Every operation on all of a ledger, with one more than a batch
 * and one more than two, against what it has to be.
 */
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { prepare, type Site } from '../e2e/support/agent.ts';
import { chosenOf } from '../support/everyCase.ts';
import { ACCEPTANCE, admission, FAILED, note, REFUSAL, seen, send } from '../contract/ledger/support.ts';

/** Batches have 20, 50, 100, 200, 500, 1,000, 2,000 or 5,000. */
const SIZES = chosenOf(
  [
    1, 19, 20, 21, 41, 99, 100, 101, 199, 200, 201, 401, 499, 500, 501, 999, 1_000, 1_001, 1_999, 2_000,
    2_001, 5_000, 10_001,
  ],
  (size) => size === 501,
);
/** In the paths of accepted documents, and in no name. */
const PERSONAL = 'of-jane-doe';
const AT_ONCE = 1_000;

/** `size` documents that were accepted, as many that failed, and as many files that are no images. */
async function filled(size: number): Promise<Site> {
  const site = await prepare();
  await mkdir(site.stateDir, { mode: 0o700 });
  const ledger = await openSqliteLedger({
    path: join(site.stateDir, 'ledger.db'),
    clock: { now: Date.now, monotonic: () => performance.now(), sleep: async () => {} },
  });
  const folder = site.file('inbox');
  const endpoint = { baseUrl: site.sandbox.url, uid: '11111111-2222-4333-8444-555555555555' };
  const all = Array.from({ length: size }, (_, n) => n);
  for (let start = 0; start < size; start += AT_ONCE)
    await Promise.all(
      all.slice(start, start + AT_ONCE).map(async (n) => {
        for (const [path, end] of [
          [`good-${n}-${PERSONAL}.jpg`, ACCEPTANCE],
          [`bad-${n}.jpg`, { ...REFUSAL, transition: FAILED }],
        ] as const) {
          const file = seen(path, 1, folder);
          const { document } = await ledger.admit(
            admission(path, path.slice(0, -4), { endpoint, file, naming: [`${path.slice(0, 3)}${n}`] }),
          );
          await send(ledger, document.id, end);
        }
        await ledger.note(seen(`none-${n}.txt`, 1, folder), note('rejected'));
      }),
    );
  await ledger.gone(
    folder,
    all.map((n) => `good-${n}-${PERSONAL}.jpg`),
    4_000,
  );
  await ledger.close();
  return site;
}

/** Rows of `list` by state. */
async function counts(site: Site, ...filters: string[]): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const { state } of await site.list(...filters)) counted[state] = (counted[state] ?? 0) + 1;
  return counted;
}

test.each(SIZES)('%i of each are handled like one', async (size) => {
  const site = await filled(size);
  const json = async (...args: string[]) =>
    JSON.parse(await site.quickMust(...args, '--json')) as Record<string, unknown>;
  const before = { accepted: size, failed: size, rejected: size };
  expect(await counts(site)).toEqual(before);
  expect(await counts(site, '--needs-person')).toEqual({ failed: size, rejected: size });

  expect(await json('dismiss', '--all')).toMatchObject({ dismissed: 2 * size });
  expect(await counts(site, '--needs-person')).toEqual({});
  expect(await json('dismiss', '--all', '--undo')).toMatchObject({ dismissed: 2 * size });
  expect(await counts(site, '--needs-person')).toEqual({ failed: size, rejected: size });

  expect(await json('retry', '--all')).toMatchObject({ queued: size });
  expect(await counts(site)).toEqual({ accepted: size, queued: size, rejected: size });

  const archive = site.file('backup.receiptd');
  await site.quickMust('backup', archive, '--yes');
  expect(await json('restore', archive, '--beside', site.file('beside'))).toMatchObject({
    documents: 2 * size,
  });

  expect(await json('erase', '--before', '2001-01-01', '--yes')).toMatchObject({ erased: size });
  for (const name of (await readdir(site.stateDir)).filter((each) => each.startsWith('ledger.')))
    expect([name, (await readFile(join(site.stateDir, name))).includes(PERSONAL)]).toEqual([name, false]);
  await site.quickMust('ledger', 'verify');
  expect(await counts(site)).toEqual({ accepted: size, queued: size, rejected: size });
});
