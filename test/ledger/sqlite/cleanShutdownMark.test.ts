import { DatabaseSync } from '@photostructure/sqlite';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { SqliteWriter } from '../../../src/ledger/writer.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { cleanShutdownMarkOf } from '../../../src/ledger/sqlite/cleanShutdownMark.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { admission, hashOf, OFFICE, rowsOf } from '../../contract/ledger/support.ts';
import { compile } from '../../support/scripts.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { asOwnerOf } from '../../support/ordinaryUser.ts';
import { createPlace } from './place.ts';

const HOUR = 60 * 60_000;
const PAGE = 4_096;
const COUNT = 150;

let checker: Awaited<ReturnType<typeof compile>>;
beforeAll(async () => {
  checker = await compile('ledger/sqlite/checker.ts');
});

let place: Awaited<ReturnType<typeof createPlace>>;
let clock: FakeClock;
let stories: string[];
beforeEach(async () => {
  place = await createPlace();
  clock = new FakeClock();
  stories = [];
});
afterEach(() => place.remove());

function open(): Promise<Ledger> {
  const checkerPath = fileURLToPath(checker.url);
  return openSqliteLedger({
    path: place.path,
    clock,
    checkerPath,
    onMended: (told) => void stories.push(told),
  });
}

async function fill(count = COUNT): Promise<void> {
  const ledger = await open();
  await Promise.all(Array.from({ length: count }, (_, n) => ledger.admit(admission(`f${n}`, `${n}`))));
  await ledger.close();
}

const isMarked = () => fs.existsSync(cleanShutdownMarkOf(place.path));

/** Breaks pages so that a quick check notices, but opening alone does not. */
function breakPages(): void {
  const handle = fs.openSync(place.path, 'r+');
  const { size } = fs.fstatSync(handle);
  fs.writeSync(handle, Buffer.alloc(PAGE, 0x5a), 0, PAGE, size - 3 * PAGE);
  fs.closeSync(handle);
}

/** Breaks pages like a failing disk: the file's metadata stays the same. */
function rot(): void {
  const mark: { lookedAt: number } = JSON.parse(fs.readFileSync(cleanShutdownMarkOf(place.path), 'utf8'));
  breakPages();
  const { dev, ino, size, mtimeNs, ctimeNs } = fs.statSync(place.path, { bigint: true });
  const file = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  fs.writeFileSync(cleanShutdownMarkOf(place.path), JSON.stringify({ ...mark, file }));
}

async function knowsAll(ledger: Ledger): Promise<void> {
  const names = (await rowsOf(ledger)).map(({ name }) => name);
  expect(new Set(names)).toEqual(new Set(Array.from({ length: COUNT }, (_, n) => `doc-${n}`)));
}

it('a ledger can be closed even if its directory was closed to this user', async () => {
  await asOwnerOf(place.dir, async () => {
    const ledger = await open();
    await ledger.admit(admission('a', 'a'));
    fs.chmodSync(place.dir, 0o000);
    await expect(ledger.close().finally(() => fs.chmodSync(place.dir, 0o700))).resolves.toBeUndefined();
  });
});

describe('a ledger that ended cleanly', () => {
  it('is not checked at the start; the full check finds damage, and the next start repairs it', async () => {
    await fill();
    rot();
    const ledger = await open();
    expect(stories).toEqual([]);
    expect(await ledger.check()).not.toBeNull();
    await ledger.close();
    expect(isMarked()).toBe(false);
    const mended = await open();
    expect(stories).toEqual([expect.stringContaining('"checkFound"')]);
    await knowsAll(mended);
    await mended.close();
    expect(isMarked()).toBe(true);
  });

  const ELSEWHERE: [string, () => void][] = [
    ['was written to since', breakPages],
    [
      'is a copy that was put back',
      () => {
        breakPages();
        fs.copyFileSync(place.path, `${place.path}.copy`);
        fs.renameSync(`${place.path}.copy`, place.path);
      },
    ],
    [
      'has a WAL beside it',
      () => {
        rot();
        fs.writeFileSync(`${place.path}-wal`, 'x');
      },
    ],
    [
      'has an unreadable mark',
      () => {
        rot();
        fs.writeFileSync(cleanShutdownMarkOf(place.path), '{"lookedAt":');
      },
    ],
  ];

  it.each(ELSEWHERE)('is checked before anything else is done if it %s', async (_, change) => {
    await fill();
    change();
    const ledger = await open();
    expect(stories).toHaveLength(1);
    await knowsAll(ledger);
    await ledger.close();
  });

  it('is checked if its journal is ahead of it', async () => {
    await fill();
    const kept = fs.readFileSync(place.path);
    const ledger = await open();
    await ledger.admit(admission('late', 'late'));
    await ledger.close();
    fs.writeFileSync(place.path, kept);
    rot();
    const mended = await open();
    expect(stories).toEqual([expect.stringContaining('"ledgerRebuilt"')]);
    expect(await mended.bySha256(OFFICE, hashOf('late'))).not.toBeNull();
    await mended.close();
  });
});

it('the full check finds wrong counts of documents; the ledger is recreated, and no backup copies the wrong counts', async () => {
  await fill(3);
  const miscount = new DatabaseSync(place.path);
  miscount.exec('UPDATE counts SET n = 7');
  miscount.close();
  const ledger = await open();
  expect((await ledger.counts())[0]).toMatchObject({ count: 7 });
  await expect(ledger.backup(null)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
  expect(await ledger.check()).toBe('miscounted');
  await ledger.close();
  const mended = await open();
  expect((await mended.counts())[0]).toMatchObject({ count: 3 });
  expect(await mended.check()).toBeNull();
  await mended.close();
});

describe('the mark of a clean shutdown', () => {
  it('does not exist while the ledger is open, so that a kill leaves none', async () => {
    await fill(1);
    expect(isMarked()).toBe(true);
    const ledger = await open();
    expect(isMarked()).toBe(false);
    await ledger.close();
    expect(isMarked()).toBe(true);
  });

  it('is left for a day after the last check, however often the agent starts', async () => {
    await fill(1);
    for (let hours = 0; hours < 24; hours += 8) {
      const ledger = await open();
      await clock.advance(8 * HOUR);
      await ledger.close();
      expect(isMarked()).toBe(true);
    }
    const ledger = await open();
    await clock.advance(HOUR);
    await ledger.close();
    expect(isMarked()).toBe(false);
    await (await open()).close();
    expect(isMarked()).toBe(true);
  });

  it('is left after a longer run if a full check found nothing within a day', async () => {
    await fill(1);
    const ledger = await open();
    await clock.advance(30 * HOUR);
    expect(await ledger.check()).toBeNull();
    await clock.advance(20 * HOUR);
    await ledger.close();
    expect(isMarked()).toBe(true);
  });

  it('is not left if a concurrent reader keeps the WAL from being checkpointed', async () => {
    const ledger = await open();
    await ledger.admit(admission('a', 'a'));
    const reader = new DatabaseSync(place.path, { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM documents');
    await ledger.admit(admission('b', 'b'));
    await ledger.close();
    expect(isMarked()).toBe(false);
    reader.close();
  });
});

it('a ledger that could not be written at the end gets no mark', async () => {
  const writer = await SqliteWriter.open({ path: place.path, clock });
  writer.storage.met(new ReceiptdError({ code: 'LEDGER_WRITE_FAILED', message: 'The disk failed.' }));
  await writer.close();
  expect(isMarked()).toBe(false);
});
