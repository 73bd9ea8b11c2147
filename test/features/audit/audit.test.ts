import { appendFile, chmod, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { compareFolder, type Comparison } from '../../../src/features/audit/audit.ts';
import { fingerprint } from '../../../src/features/audit/fingerprint.ts';
import { addsUp, CATEGORIES, crossCheck, tally } from '../../../src/features/audit/accounting.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import { LIST_STATES, type LedgerReports } from '../../../src/core/ports/ledgerReports.ts';
import { asOwnerOf } from '../../support/ordinaryUser.ts';
import { SHOP } from '../../flow/sending.ts';
import { watchingPlace, type WatchingPlace } from '../../intake/watching.ts';
import { watched } from '../../intake/folder/fixture.ts';

const never = new AbortController().signal;
const RECURSIVE = {
  settings: { recursive: true, settle: { shortMs: 200, longMs: 400, patienceMs: 400 } },
};

function folderOf(
  place: WatchingPlace,
  more: { ignore?: string[]; recursive?: boolean } = {},
): WatchedFolder {
  return watched(place.scans, { archiveTo: join(place.dir, 'archive'), ...more });
}

/** Compares without a running agent. */
function compare(place: WatchingPlace, folder = folderOf(place)): Promise<Comparison> {
  return compareFolder({ folder, reports: place.ledger, clock: place.clock }, null, never);
}

async function mixedPlace(): Promise<WatchingPlace> {
  const place = await watchingPlace();
  const a = await place.drop('a.jpg');
  await place.drop('below/b.jpg');
  await writeFile(join(place.scans, 'copy of a.jpg'), a);
  await writeFile(join(place.scans, 'notes.txt'), 'bread and butter');
  await writeFile(join(place.scans, 'cut.jpg'), a.subarray(0, a.length - 100));
  await writeFile(Buffer.concat([Buffer.from(`${place.scans}/`), Buffer.from([0xff, 0xfe])]), a);
  await place.once(RECURSIVE);
  return place;
}

describe('a folder and its ledger', () => {
  it('agree on every file after a listing, whatever its state', async () => {
    const place = await mixedPlace();
    expect(Object.values(await place.states()).toSorted()).toEqual([
      'duplicate',
      'incomplete',
      'queued',
      'queued',
      'rejected',
      'unreadable',
    ]);
    expect(await compare(place)).toEqual({
      listed: 6,
      known: 6,
      excluded: 0,
      links: 0,
      unaccounted: [],
      notLookedAt: [],
    });
    // A file that comes and goes while they are compared.
    const real = folderOf(place);
    const folder: WatchedFolder = {
      ...real,
      async *list(under, signal) {
        await place.drop('brief.jpg');
        yield* real.list(under, signal);
        await rm(join(place.scans, 'brief.jpg'));
      },
    };
    expect(await compare(place, folder)).toMatchObject({ listed: 6, known: 6, unaccounted: [] });
  });

  it('differ in exactly the files that are new, changed, only touched, renamed, removed, or named with invalid bytes', async () => {
    const place = await mixedPlace();
    await place.drop('new.jpg');
    await appendFile(join(place.scans, 'below/b.jpg'), 'x');
    await utimes(join(place.scans, 'cut.jpg'), 1, 1);
    await rename(join(place.scans, 'copy of a.jpg'), join(place.scans, 'moved.jpg'));
    await rm(join(place.scans, 'a.jpg'));
    await writeFile(Buffer.concat([Buffer.from(`${place.scans}/bad-`), Buffer.from([0xff])]), 'x');
    const found = await compare(place);
    expect(found).toMatchObject({ listed: 7, known: 2, excluded: 0, notLookedAt: [] });
    expect(found.unaccounted.map(({ path, problem }) => [path, problem])).toEqual([
      ['a.jpg', 'missing'],
      ['bad-%FF', 'unknown'],
      ['below/b.jpg', 'changed'],
      ['copy of a.jpg', 'missing'],
      ['cut.jpg', 'changed'],
      ['moved.jpg', 'unknown'],
      ['new.jpg', 'unknown'],
    ]);
    const [a, , b, copy, cut] = found.unaccounted;
    // Either of two equal files may come first and become the document.
    expect([a?.state, copy?.state].toSorted()).toEqual(['duplicate', 'queued']);
    expect(a?.name).toBe(copy?.name);
    expect([b?.state, cut?.state]).toEqual(['queued', 'incomplete']);
    expect(b?.name).toMatch(/^b-[0-9a-f]{12}$/);

    await place.once(RECURSIVE);
    expect(await compare(place)).toMatchObject({ listed: 7, known: 7, unaccounted: [] });
  });

  it('are not compared for files that the patterns now exclude, which the audit counts; a missing folder is named', async () => {
    const place = await mixedPlace();
    const counted = { listed: 5, excluded: 1, unaccounted: [] };
    expect(await compare(place, folderOf(place, { ignore: ['*.txt'] }))).toMatchObject(counted);
    expect(await compare(place, folderOf(place, { recursive: false }))).toMatchObject(counted);
    await rename(place.scans, join(place.dir, 'away'));
    const found = await compare(place);
    expect(found).toMatchObject({ listed: 0, unaccounted: [] });
    expect(found.notLookedAt).toMatchObject([{ path: '', fact: { is: 'missing', folder: place.scans } }]);
  });
});

it.each([
  ['runs, for the files that it takes in', true, { known: 1, unaccounted: [] }, -1],
  ['takes in nothing, no longer than asked', false, { known: 0, unaccounted: [{ path: 'late.jpg' }] }, 0],
])('an audit waits for an agent that %s', async (_, isTakingIn, expected, ends) => {
  const place = await watchingPlace();
  if (isTakingIn) await place.start().watching();
  await place.drop('late.jpg');
  let found: Comparison | undefined;
  const deps = { folder: folderOf(place), reports: place.ledger, clock: place.clock };
  const comparing = compareFolder(deps, 15_000, never).then((comparison) => (found = comparison));
  const from = place.clock.monotonic();
  await place.clock.advanceUntil(() => found !== undefined);
  expect(await comparing).toMatchObject({ listed: 1, ...expected });
  // To the millisecond, unless the agent took it in before.
  expect(Math.sign(place.clock.monotonic() - from - 15_000)).toBe(ends);
});

it('an audit that is stopped looks at no more files, and has no result', async () => {
  const place = await watchingPlace();
  for (let n = 0; n < 80; n += 1) await writeFile(join(place.scans, `${n}.jpg`), '');
  const stop = new AbortController();
  const real = folderOf(place);
  let looks = 0;
  const stat: WatchedFolder['stat'] = (path) => {
    looks += 1;
    stop.abort(new Error('stopped'));
    return real.stat(path);
  };
  const deps = { folder: { ...real, stat }, reports: place.ledger, clock: place.clock };
  await expect(compareFolder(deps, null, stop.signal)).rejects.toThrow('stopped');
  expect(looks).toBeLessThan(80);
});

describe("an audit that can't read everything", () => {
  it('reports a folder that is replaced while it is listed', async () => {
    const place = await mixedPlace();
    const real = folderOf(place);
    const folder: WatchedFolder = {
      ...real,
      async *list(under, signal) {
        for await (const batch of real.list(under, signal)) {
          if (batch.dir === '') {
            await rename(place.scans, join(place.dir, 'away'));
            await mkdir(place.scans);
          }
          yield batch;
        }
      },
    };
    const found = await compare(place, folder);
    expect(found).toMatchObject({ unaccounted: [], notLookedAt: [{ path: '' }] });
    expect(found.notLookedAt[0]?.message).toContain('ESTALE');
  });

  it('reports an unreadable subfolder, and compares the rest', async () => {
    const place = await mixedPlace();
    await place.drop('new.jpg');
    const below = join(place.scans, 'below');
    await chmod(below, 0);
    const found = await asOwnerOf(place.dir, () => compare(place));
    await chmod(below, 0o700);
    expect(found.notLookedAt).toMatchObject([{ path: 'below' }]);
    expect(found.unaccounted).toMatchObject([{ path: 'new.jpg', problem: 'unknown' }]);
    expect(found).toMatchObject({ listed: 6, known: 5 });
  });
});

describe('a tally', () => {
  it('puts every state into one category, and adds up to what was seen', () => {
    const counts = LIST_STATES.map((state, index) => ({ folder: '/a', state, count: 10 ** index }));
    const total = tally(counts);
    expect(total.seen).toBe(1_111_111_111_111);
    expect(CATEGORIES.reduce((sum, category) => sum + total.by[category], 0)).toBe(total.seen);
    expect(addsUp(total)).toBe(true);
  });

  it('does not add up with an unknown state', () => {
    const counts = [{ folder: '/a', state: 'vanished' as 'lost', count: 2 }];
    expect(addsUp(tally(counts))).toBe(false);
  });
});

describe('a ledger that is counted twice', () => {
  const check = (place: WatchingPlace, reports: LedgerReports = place.ledger) =>
    crossCheck(reports, { sleep: async () => {} }, never);

  it('agrees with itself, even after files were removed, restored and sent to another endpoint', async () => {
    const place = await mixedPlace();
    await rm(join(place.scans, 'a.jpg'));
    await place.once(RECURSIVE);
    await place.drop('a.jpg');
    await place.once(RECURSIVE);
    const [row] = (await place.rows()).filter(({ path }) => path.endsWith('b.jpg'));
    await place.ledger.admitElsewhere(row?.documentId ?? 0, SHOP, 1);
    expect(await check(place)).toEqual({ documents: 3, sentElsewhere: 1, settled: true, differences: [] });
  });

  it('disagrees if a document has lost its file', async () => {
    const place = await mixedPlace();
    const db = new DatabaseSync(join(place.dir, 'ledger.db'));
    db.exec(`DELETE FROM files WHERE name = 'b.jpg'`);
    db.close();
    const { differences } = await check(place);
    expect(differences).toEqual([
      { is: 'noFile', name: expect.stringMatching(/^b-[0-9a-f]{12}$/), state: 'queued' },
    ]);
  });

  it('disagrees if one count has a file that the other lacks', async () => {
    const place = await mixedPlace();
    const reports: LedgerReports = {
      ...place.ledger,
      seenCounts: async (since, until) =>
        (await place.ledger.seenCounts(since, until)).filter(({ state }) => state !== 'rejected'),
    };
    const { differences } = await check(place, reports);
    expect(differences).toEqual([
      { is: 'countsDiffer', folder: place.scans, state: 'rejected', one: 0, other: 1 },
    ]);
    // It is counted again if it changes between two reads, and proves nothing if it keeps changing.
    let reads = 0;
    const restless = (until: number): LedgerReports => ({
      ...place.ledger,
      counts: async () => {
        reads += 1;
        if (reads < until) await writeOne(place, reads);
        return place.ledger.counts();
      },
    });
    expect(await check(place, restless(5))).toMatchObject({ settled: true, differences: [] });
    expect(await check(place, restless(Infinity))).toMatchObject({ settled: false, differences: [] });
  });
});

async function writeOne({ ledger, scans }: WatchingPlace, round: number): Promise<void> {
  await ledger.note(
    {
      folder: scans,
      path: `round-${round}`,
      identity: { size: round, mtimeNs: 1n, ctimeNs: 1n, inode: BigInt(round) },
    },
    { verdict: 'rejected', reason: 'EMPTY', message: 'x', sha256: null, policy: null, at: round },
  );
}

it('fingerprints of files differ for each path, size, time and inode, among 30,000', () => {
  const seen = new Set<number>();
  for (let n = 0; n < 30_000; n += 1) {
    const identity = {
      size: 1000 + (n % 3),
      mtimeNs: 1_700_000_000_000_000_000n + BigInt(n % 7),
      ctimeNs: 1n,
      inode: BigInt(n % 1000),
    };
    seen.add(fingerprint(`SCAN${n}.jpg`, identity));
  }
  expect(seen.size).toBe(30_000);
  const one = { size: 1, mtimeNs: 2n, ctimeNs: 3n, inode: 4n };
  const variants = [
    fingerprint('a', one),
    fingerprint('b', one),
    fingerprint('a', { ...one, size: 2 }),
    fingerprint('a', { ...one, mtimeNs: 3n }),
    fingerprint('a', { ...one, ctimeNs: 4n }),
    fingerprint('a', { ...one, inode: 5n }),
  ];
  expect(new Set(variants).size).toBe(variants.length);
  expect(variants.every(Number.isSafeInteger)).toBe(true);
});
