/** Starts of a ledger whose two files are in any state: what either of them, or a backup, knows is known again. */
import type * as sqliteModule from '@photostructure/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import fs from 'node:fs';

import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { JournalHead } from '../../../src/core/ports/journal.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { createJournal, readJournal } from '../../../src/ledger/journal/journal.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { openSqliteReports } from '../../../src/ledger/sqlite/openReports.ts';
import { SCHEMA_VERSION } from '../../../src/ledger/sqlite/tables.ts';
import { compareWithJournal } from '../../../src/ledger/sqlite/compare.ts';
import { adoptLedger } from '../../../src/ledger/sqlite/adopt.ts';
import { checkBackup } from '../../../src/ledger/sqlite/backup.ts';
import { chainIn } from '../../../src/ledger/fleet/move.ts';
import {
  ACCEPTANCE,
  admission,
  hashOf,
  hold,
  naming,
  nextOf,
  note,
  OFFICE,
  REFUSAL,
  rowsOf,
  seen,
  send,
} from '../../contract/ledger/support.ts';
import { chosenOf } from '../../support/everyCase.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { begin, finish } from '../../support/uploads.ts';

/** What is called instead of each `exec` of SQLite. */
const watched = vi.hoisted(() => ({ exec: (_text: string, exec: () => void): void => exec() }));
vi.mock('@photostructure/sqlite', async (original) => {
  const sqlite = await original<typeof sqliteModule>();
  class Watched extends sqlite.DatabaseSync {
    override exec(text: string): void {
      watched.exec(text, () => super.exec(text));
    }
  }
  return { ...sqlite, DatabaseSync: Watched };
});

const clock: Clock = { now: () => 10_000, monotonic: () => 0, sleep: async () => {} };

let root: string;
let backedUp: JournalHead;
let dir: string;
let path: string;
let journal: string;
const stories: string[] = [];

const kept = (name: string): string => join(root, 'kept', name);

function open(at = path): Promise<Ledger> {
  return openSqliteLedger({ path: at, clock, onMended: (story) => void stories.push(story) });
}

async function using<T>(work: (ledger: Ledger) => Promise<T>, at = path): Promise<T> {
  const ledger = await open(at);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** Names and states of all documents. */
async function statesIn(ledger: Ledger): Promise<Record<string, string>> {
  const rows = await rowsOf(ledger);
  return Object.fromEntries(
    rows
      .flatMap(({ name, state }) =>
        name === null || state === 'duplicate' ? [] : ([[name, state]] as const),
      )
      .sort(),
  );
}

const EARLY = {
  'doc-1': 'queued',
  'doc-a': 'accepted',
  'doc-b': 'failed',
  'doc-c': 'lost',
  'doc-m': 'accepted',
};
const ALL = { ...EARLY, 'doc-2': 'uploading', 'doc-f': 'accepted', 'doc-1': 'accepted' };
/** What `doc-m` brought is lost, and nothing else. */
const { 'doc-m': _m, ...BUT_M } = ALL;

async function early(ledger: Ledger): Promise<void> {
  const ids = [];
  for (const content of ['m', 'a', 'b', 'c'])
    ids.push((await ledger.admit(admission(`${content}.jpg`, content))).document.id);
  await ledger.admit(admission('d.jpg', 'd', { naming: naming('doc-{seq}', 'd') }));
  await send(ledger, ids[0]!);
  await send(ledger, ids[1]!);
  await send(ledger, ids[2]!, REFUSAL);
  await ledger.markLost(ids[3]!, 'Gone.', 4_000);
  await ledger.admit(admission('copy-of-a.jpg', 'a'));
  await ledger.gone('/scans', ['copy-of-a.jpg'], 4_500);
  const result = { at: 4_500, baseUrl: OFFICE.baseUrl, uid: null, status: 'READ' };
  await ledger.recordResult({ ...result, name: 'doc-b', payload: Buffer.from('{"total":"9.90"}') });
  await ledger.recordResult({ ...result, name: 'nobody', payload: Buffer.from([0, 255]) });
  await ledger.markWatched('/scans', [seen('old.jpg', 7)], note('skipped', { reason: 'EXISTING' }));
  await ledger.setFolderMark('/scans', 'the share', 5_000);
  await ledger.setFolderMark('/other', 'a disk', 5_000);
  await ledger.doubtFolderMark('/other', 'a disk\nand what it held');
  for (const folder of ['/scans/b', '/scans/a'])
    await ledger.setOriginalsRule(folder, 'archive', 'include', 5_000);
  await ledger.recordEndpoint(OFFICE, 'Office', '{"uid":"office"}', 100);
  await ledger.putHold(hold({ scope: 'folder', key: '/paused', reason: 'PAUSED', message: 'ann' }));
}

async function late(ledger: Ledger): Promise<void> {
  const { document } = await ledger.admit(admission('e.jpg', 'e', { naming: naming('doc-{seq}', 'e') }));
  await begin(ledger, document.id, 7_000, 10);
  const [d] = await ledger.find('doc-1');
  await send(ledger, d!.id);
  await send(ledger, (await ledger.admit(admission('f.jpg', 'f'))).document.id);
  await ledger.note(seen('note.txt'), note('rejected'));
  await ledger.putHold(hold());
}

const ends = ['', '-wal', '-shm'];
const removeTables = (): void => ends.forEach((end) => fs.rmSync(path + end, { force: true }));

beforeAll(async () => {
  root = fs.mkdtempSync(join(memoryDirectory(), 'receiptd-start-'));
  fs.mkdirSync(kept('backups'), { recursive: true });
  const at = kept('ledger.db');
  await using(async (ledger) => {
    await early(ledger);
    ({ head: backedUp } = await ledger.backup(null));
  }, at);
  fs.copyFileSync(at, kept('early.db'));
  fs.copyFileSync(kept('ledger.journal'), kept('early.journal'));
  await using(late, at);
  fs.copyFileSync(at, kept('all.db'));
  fs.copyFileSync(kept('ledger.journal'), kept('all.journal'));
  fs.rmSync(kept('ledger.journal'));
  await using(async () => {}, at);
  fs.copyFileSync(kept('ledger.journal'), kept('continued.journal'));
  fs.mkdirSync(kept('other'));
  const other = join(kept('other'), 'ledger.db');
  await using(async (ledger) => {
    // Its chain is the longer one.
    for (let n = 0; n < 40; n += 1) await ledger.admit(admission(`${n}.jpg`, `other ${n}`));
  }, other);
  const begun = { kind: 'begun', at: 1, facts: { ledger: 'of the format before', because: 'Made.' } };
  createJournal(kept('older.journal'), begun, null).close();
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

beforeEach(() => {
  dir = fs.mkdtempSync(join(root, 'at-'));
  path = join(dir, 'ledger.db');
  journal = join(dir, 'ledger.journal');
  stories.length = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
  watched.exec = (_text, exec) => exec();
  fs.rmSync(dir, { recursive: true, force: true });
});

/** Of every file there is. */
function contents(): Record<string, string> {
  return Object.fromEntries(
    fs.readdirSync(dir).map((name) => [name, fs.readFileSync(join(dir, name), 'latin1')]),
  );
}

function alter(sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

/** The next time that SQLite is to do this, it fails. */
function failOnce(text: string, message: string, errcode: number): void {
  watched.exec = (each, exec) => {
    if (each !== text) return exec();
    watched.exec = (_, other) => other();
    throw Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
  };
}

type Knows = 'all' | 'early' | 'none' | 'all but one' | 'part';

interface State {
  readonly knows: Knows;
  readonly make: () => void;
  /** What is told of it; null: nothing. */
  readonly told: RegExp | null;
}

const TABLES: Readonly<Record<string, State>> = {
  whole: { knows: 'all', make: () => {}, told: null },
  'an old copy': { knows: 'early', make: () => fs.copyFileSync(kept('early.db'), path), told: null },
  missing: { knows: 'none', make: removeTables, told: /"ledgerGone".*"ledgerRebuilt"/ },
  empty: { knows: 'none', make: () => fs.truncateSync(path, 0), told: /"ledgerGone".*"ledgerRebuilt"/ },
  'a text': {
    knows: 'none',
    make: () => fs.writeFileSync(path, 'Dear diary, '.repeat(1_000)),
    told: /"ledgerDamaged".*"ledgerRebuilt","aside":"/,
  },
  'of another program': {
    knows: 'none',
    make() {
      removeTables();
      alter('CREATE TABLE cookies (id INTEGER PRIMARY KEY)');
    },
    told: /"notALedger".*"ledgerRebuilt","aside":"/,
  },
  'cut short': {
    knows: 'part',
    make: () => fs.truncateSync(path, fs.statSync(path).size - 3 * 4_096),
    told: /"ledgerDamaged".*"ledgerRebuilt","aside":"/,
  },
  'of an older schema': {
    knows: 'all',
    make: () => alter('PRAGMA user_version = 0'),
    told: null,
  },
  'marked as damaged': {
    knows: 'all',
    make: () => fs.writeFileSync(`${path}.damaged`, 'A full check of the ledger found: rot.\n'),
    told: /rot.*"ledgerRebuilt"/,
  },
};

/** Breaks the entry that admitted `doc-m`. */
function breakMiddle(): void {
  const text = fs.readFileSync(journal, 'latin1');
  expect(text).toContain('m.jpg');
  fs.writeFileSync(
    journal,
    text
      .split('\n')
      .map((line) => (line.includes('m.jpg') ? line.replace('"kind"', '"kinD"') : line))
      .join('\n'),
    'latin1',
  );
}

const JOURNALS: Readonly<Record<string, State>> = {
  whole: { knows: 'all', make: () => {}, told: null },
  'torn at its end': {
    knows: 'all',
    make: () => fs.appendFileSync(journal, '{"seq":99,"at":"20'),
    told: null,
  },
  missing: { knows: 'none', make: () => fs.rmSync(journal), told: /"journalContinued","seq":\d+/ },
  empty: {
    knows: 'none',
    make: () => fs.truncateSync(journal, 0),
    told: /"journalContinued","seq":\d+/,
  },
  'damaged in the middle': { knows: 'all but one', make: breakMiddle, told: null },
  'ended earlier': {
    knows: 'early',
    make: () => fs.copyFileSync(kept('early.journal'), journal),
    told: null,
  },
  'of another ledger': {
    knows: 'none',
    make: () => fs.copyFileSync(join(kept('other'), 'ledger.journal'), journal),
    told: null,
  },
  'begun behind the tables': {
    knows: 'all',
    make: () => fs.copyFileSync(kept('continued.journal'), journal),
    told: null,
  },
};

/** What must be there; null: only that it opens. */
function wanted(sources: readonly Knows[]): Record<string, string> | null {
  const has = (knows: Knows): boolean => sources.includes(knows);
  if (has('all')) return ALL;
  if (has('all but one')) return has('early') ? ALL : BUT_M;
  if (has('early')) return EARLY;
  return null;
}

function give(tables: string, journalIs: string, hasBackup: boolean): void {
  fs.copyFileSync(kept('all.db'), path);
  fs.copyFileSync(kept('all.journal'), journal);
  if (hasBackup) fs.cpSync(kept('backups'), join(dir, 'backups'), { recursive: true });
  JOURNALS[journalIs]!.make();
  TABLES[tables]!.make();
}

/** How an image that is known already is admitted again, for those of these documents that must be there. */
async function again(ledger: Ledger, known: Record<string, string>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [content, name] of [
    ['a', 'doc-a'],
    ['f', 'doc-f'],
    ['d', 'doc-1'],
  ] as const) {
    if (known[name] === undefined) continue;
    const { kind, document } = await ledger.admit(
      admission(`${content}-again.jpg`, content, { naming: ['another'] }),
    );
    found[`${kind} ${document.name}`] = document.state;
  }
  return found;
}

const BESIDE_DOCUMENTS = {
  isFirstWatch: false,
  marks: ['the share', 'a disk\nand what it held'],
  endpoint: 'Office',
  rule: 'archive',
};

async function besideDocuments(ledger: Ledger) {
  return {
    holds: (await ledger.holds()).map(({ reason }) => reason).toSorted(),
    isFirstWatch: await ledger.isFirstWatch('/scans'),
    marks: [await ledger.folderMark('/scans'), await ledger.folderMark('/other')],
    endpoint: (await ledger.endpoints())[0]?.name,
    rule: (await ledger.originalsRule('/scans/a'))?.rule,
  };
}

/** @param known what must be there; null: only that it opens */
async function isWhole(known: Record<string, string> | null): Promise<void> {
  const states = await using(async (ledger) => {
    const found = await statesIn(ledger);
    const wants = known ?? found;
    expect(found).toEqual(wants);
    const offered = (await nextOf(ledger, 100)).map(({ name }) => name ?? '');
    expect(offered.filter((name) => found[name] !== 'queued')).toEqual([]);
    const images = Object.entries(wants).filter(([name]) => ['doc-a', 'doc-f', 'doc-1'].includes(name));
    expect(await again(ledger, wants)).toEqual(
      Object.fromEntries(images.map(([name, state]) => [`duplicate ${name}`, state])),
    );
    const numbers = Object.keys(wants).flatMap((name) => Number(/^doc-(\d)$/.exec(name)?.[1] ?? []));
    expect(await ledger.nextSeq(OFFICE)).toBe(Math.max(0, ...numbers) + 1);
    const more = await ledger.admit(admission('z.jpg', 'z', { naming: naming('doc-{seq}', 'z') }));
    expect(more.document.name).toBe(`doc-${Math.max(0, ...numbers) + 1}`);
    const others = await besideDocuments(ledger);
    const holds = known === EARLY ? ['PAUSED'] : ['HTTP_403', 'PAUSED'];
    expect(others).toEqual(known === null ? others : { ...BESIDE_DOCUMENTS, holds });
    return statesIn(ledger);
  });
  stories.length = 0;
  expect(await using(statesIn)).toEqual(states);
  expect(stories).toEqual([]);
  expect((await compareWithJournal(path, journal)).findings).toEqual([]);
  expect((await verifyJournal(journal)).findings).toEqual([]);
  expect(fs.existsSync(`${path}.damaged`)).toBe(false);
  // It is the same ledger as long as anything says which.
  expect(ledgerIn(journal)).toBe(ledgerIn(known === null ? journal : kept('all.journal')));
}

function ledgerIn(file: string): unknown {
  for (const { facts } of readJournal(file, 0)) return facts['ledger'];
  return null;
}

/** States that are decided in their own way; of the others each is tried with a whole and a missing counterpart. */
const APART = new Set([
  'whole',
  'an old copy',
  'missing',
  'cut short',
  'damaged in the middle',
  'ended earlier',
]);

const EVERY_CASE = Object.keys(TABLES).flatMap((tables) =>
  Object.keys(JOURNALS).flatMap((of) => {
    const isEnough = [TABLES[tables]!, JOURNALS[of]!].some(({ knows }) => knows === 'all');
    return (isEnough ? [false] : [false, true]).map((hasBackup) => ({ tables, of, hasBackup }));
  }),
);

const CASES = chosenOf(EVERY_CASE, ({ tables, of }) => {
  const isWithAny = (state: string): boolean => state === 'whole' || state === 'missing';
  return APART.has(tables) ? APART.has(of) || isWithAny(tables) : isWithAny(of);
});

/** Nothing says that this is another ledger. */
const isTakenFor = ({ tables, of }: (typeof CASES)[number]): boolean =>
  of === 'of another ledger' && ['none', 'part'].includes(TABLES[tables]!.knows);

/** Looked at by an audit, not at each start. */
const isUnseen = ({ tables, of }: (typeof CASES)[number]): boolean =>
  of === 'damaged in the middle' && ['whole', 'an old copy'].includes(tables);

describe('a start', () => {
  it.each(CASES.filter((each) => !isTakenFor(each) && !isUnseen(each)))(
    'with tables $tables and a journal $of (backup: $hasBackup)',
    async ({ tables, of, hasBackup }) => {
      give(tables, of, hasBackup);
      const before = fs.existsSync(path) ? fs.readFileSync(path) : null;
      const [one, other] = [TABLES[tables]!, JOURNALS[of]!];
      await using(async () => {});
      const told = stories.join(' ');
      const isFirst =
        ['missing', 'empty'].includes(tables) && ['missing', 'empty'].includes(of) && !hasBackup;
      const words = isFirst ? [] : [one.told, other.told].filter((each) => each !== null);
      expect(words.filter((each) => !each.test(told))).toEqual([]);
      expect(told !== '' && one.told === null && of === 'whole').toBe(false);
      for (const [, aside = ''] of told.matchAll(/"ledgerRebuilt","aside":"([^"]+)"/g))
        expect(fs.readFileSync(JSON.parse(`"${aside}"`)).equals(before!)).toBe(true);
      const isRebuilt = told.includes('"ledgerRebuilt"');
      expect(isRebuilt ? [...readJournal(journal, 0)].at(-1)?.kind : 'rebuilt').toBe('rebuilt');
      await isWhole(wanted([one.knows, other.knows, hasBackup ? 'early' : 'none']));
    },
  );

  it('prefers tables that are set aside to a journal that lacks the acceptance', async () => {
    give('of an older schema', 'whole', false);
    const text = fs.readFileSync(journal, 'latin1').split('\n');
    const first = text.findIndex((line) => line.includes('"kind":"ended"'));
    expect(first).toBeGreaterThan(0);
    text[first] = text[first]!.replace('"kind"', '"kinD"');
    fs.writeFileSync(journal, text.join('\n'), 'latin1');
    await isWhole(ALL);
  });

  it('takes from a backup what nothing else knows, past a damaged one, and gives no number twice', async () => {
    give('missing', 'missing', true);
    const damaged = join(dir, 'backups', 'ledger-20990101T000000000Z.db');
    fs.writeFileSync(damaged, 'no ledger');
    await using(async () => {});
    expect(stories.join()).toContain(`"rowsRecovered","file":${JSON.stringify(damaged)},"count":0`);
    const [first] = readJournal(journal, 0);
    expect(first?.seq).toBeGreaterThan(backedUp.seq);
    expect(fs.readFileSync(journal, 'utf8')).toContain(`"prev":"${backedUp.hash}"`);
    await isWhole(EARLY);
  });

  it('continues a journal that was overwritten at its end in a new file, of which the tables can be made', async () => {
    give('whole', 'whole', false);
    fs.writeFileSync(journal, `${fs.readFileSync(journal, 'utf8').slice(0, -40)}xx\n`);
    await using(async () => {});
    expect(stories).toHaveLength(1);
    expect([...readJournal(journal, 0)][0]).toMatchObject({ kind: 'continued' });
    removeTables();
    await isWhole(ALL);
  });

  it('takes the readable part of a journal that is ahead of the tables and damaged in between', async () => {
    give('an old copy', 'whole', false);
    const lines = fs.readFileSync(journal, 'latin1').split('\n');
    const damaged = lines.findIndex((line) => line.includes('note.txt'));
    lines[damaged] = lines[damaged]!.replace('"kind"', '"kinD"');
    fs.writeFileSync(journal, lines.join('\n'), 'latin1');
    await using(async () => {});
    expect(stories).toHaveLength(1);
    // Everything that had a number in the old file keeps it.
    expect([...readJournal(journal, 0)][0]).toMatchObject({ kind: 'continued', seq: lines.length });
    await isWhole(ALL);
  });

  it('takes the readable part of damaged tables without a journal', async () => {
    await using(async (ledger) => {
      await early(ledger);
      for (let n = 0; n < 300; n += 1) await ledger.admit(admission(`${n}.jpg`, `image ${n}`));
    });
    fs.rmSync(journal);
    const handle = fs.openSync(path, 'r+');
    fs.writeSync(handle, Buffer.alloc(4_096, 0x5a), 0, 4_096, fs.fstatSync(handle).size - 3 * 4_096);
    fs.closeSync(handle);
    expect(await using(statesIn)).toMatchObject({ 'doc-a': 'accepted' });
    expect(stories.join()).toMatch(/"rowsRecovered"/);
  });

  it.each(['log gone', 'log empty'])(
    'after a kill folds what the tables lack (%s), and tells nothing',
    async (log) => {
      give('an old copy', 'ended earlier', false);
      const other = join(dir, 'killed');
      await using(async (ledger) => {
        await late(ledger);
        fs.mkdirSync(other);
        for (const name of fs.readdirSync(dir))
          if (name !== 'killed') fs.copyFileSync(join(dir, name), join(other, name));
      });
      for (const name of fs.readdirSync(other)) fs.copyFileSync(join(other, name), join(dir, name));
      fs.rmSync(other, { recursive: true });
      fs.rmSync(`${path}-shm`, { force: true });
      if (log === 'log gone') fs.rmSync(`${path}-wal`, { force: true });
      else fs.writeFileSync(`${path}-wal`, '');
      await using(async () => {});
      expect(stories).toEqual([]);
      await isWhole(ALL);
    },
  );

  it('refuses tables of a newer version, and changes nothing', async () => {
    give('whole', 'whole', false);
    alter(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    const before = contents();
    const newer = { code: 'LEDGER_NEWER', params: { version: SCHEMA_VERSION + 1, latest: SCHEMA_VERSION } };
    await expect(open()).rejects.toMatchObject(newer);
    expect(contents()).toEqual(before);
    await expect(openSqliteReports({ path })).rejects.toMatchObject(newer);
    alter(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    await isWhole(ALL);
  });

  it('that the disk is too full for is told as such, and goes on at the next start with what was set aside', async () => {
    give('whole', 'whole', false);
    fs.rmSync(`${path}.sound`, { force: true });
    const file = fs.openSync(path, 'r+');
    // SQLite says so in several lines.
    fs.writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, 2 * 4_096);
    fs.closeSync(file);
    const full = { code: 'ERR_SQLITE_ERROR', errcode: 13 };
    watched.exec = (text, exec) => {
      if (text.includes('wal_checkpoint')) throw Object.assign(new Error('database or disk is full'), full);
      exec();
    };
    await expect(open()).rejects.toMatchObject({ code: 'DISK_FULL' });
    watched.exec = (_, exec) => exec();
    await isWhole(ALL);
    expect(fs.readdirSync(dir).filter((name) => /^ledger\.db\.aside-\w+(-\d+)?$/.test(name))).toHaveLength(1);
  });

  describe('of the format before', () => {
    const older = (file: string) => ({
      code: 'LEDGER_OLDER',
      message: expect.stringContaining(`${file} was written`),
    });

    it('is refused with its tables, whatever else is wrong with them, and changes nothing', async () => {
      give('whole', 'torn at its end', false);
      await using(async () => {});
      alter('PRAGMA user_version = 1');
      fs.writeFileSync(`${path}.damaged`, 'A full check of the ledger found: rot.\n');
      const before = contents();
      expect(Object.keys(before)).toContain('ledger.db.sound');
      for (const opening of [
        open,
        () => openSqliteReports({ path }),
        () => compareWithJournal(path, journal),
      ])
        await expect(opening()).rejects.toMatchObject(older(path));
      expect(() => checkBackup(path)).toThrow(expect.objectContaining(older(path)));
      expect(contents()).toEqual(before);
    });

    it('is refused with its journal, also if its tables are gone, and changes nothing', async () => {
      give('whole', 'whole', false);
      fs.copyFileSync(kept('older.journal'), journal);
      fs.appendFileSync(journal, '{"seq":99,"at":"20');
      expect(() => chainIn(journal)).toThrow(expect.objectContaining(older(journal)));
      await expect(compareWithJournal(path, journal)).rejects.toMatchObject({ code: 'LEDGER_OLDER' });
      for (const remove of [() => {}, removeTables]) {
        remove();
        const before = contents();
        await expect(open()).rejects.toMatchObject(older(journal));
        expect(contents()).toEqual(before);
      }
    });

    it('is not taken from a backup', async () => {
      give('missing', 'missing', true);
      const [backup = ''] = fs.readdirSync(join(dir, 'backups'));
      const db = new DatabaseSync(join(dir, 'backups', backup));
      db.exec('PRAGMA user_version = 1');
      db.close();
      expect(await using(statesIn)).toEqual({});
      expect(stories).toEqual([
        expect.stringContaining(`"nothingRecovered","file":${JSON.stringify(join(dir, 'backups', backup))}`),
      ]);
    });
  });

  it('that meets damage which the quick check missed says so, and the next one makes the tables anew', async () => {
    give('an old copy', 'whole', false);
    failOnce('BEGIN IMMEDIATE', 'database disk image is malformed', 11);
    await expect(open()).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    expect(stories).toEqual([]);
    await using(async () => {});
    expect(stories).toEqual([expect.stringMatching(/"ledgerDamaged".*"ledgerRebuilt"/)]);
    await isWhole(ALL);
  });

  it('that meets damage while the tables are made anew goes on with what was set aside', async () => {
    give('marked as damaged', 'missing', false);
    failOnce('BEGIN IMMEDIATE', 'database disk image is malformed', 11);
    await expect(open()).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    await isWhole(ALL);
  });

  it('leaves out nothing that the disk is too full for', async () => {
    give('marked as damaged', 'missing', false);
    failOnce('COMMIT', 'database or disk is full', 13);
    await expect(open()).rejects.toMatchObject({ code: 'DISK_FULL' });
    await isWhole(ALL);
  });

  it.each([
    ['of an older schema', 'whole', false],
    ['of an older schema', 'ended earlier', true],
    ['whole', 'missing', false],
    ['missing', 'damaged in the middle', true],
    ['a text', 'missing', true],
    ['missing', 'missing', false],
  ] as const)(
    'killed at any moment goes on (tables %s, journal %s, backup: %s)',
    async (tables, of, hasBackup) => {
      give(tables, of, hasBackup);
      const copies = copyAtEachCall();
      await using(async () => {});
      vi.restoreAllMocks();
      const isTold = stories.length > 0;
      const knows = wanted([TABLES[tables]!.knows, JOURNALS[of]!.knows, hasBackup ? 'early' : 'none']);
      expect(copies().length).toBeGreaterThan(10);
      for (const copy of chosenOf(copies(), (_, at) => at % 3 === 1 || at === copies().length - 1)) {
        const at = join(copy, 'ledger.db');
        stories.length = 0;
        const found = await using(statesIn, at);
        expect(isTold ? [] : stories, copy).toEqual([]);
        expect(found, copy).toEqual(knows ?? {});
        expect((await verifyJournal(join(copy, 'ledger.journal'))).findings, copy).toEqual([]);
      }
    },
  );
});

/** Copies the directory as a kill would leave it, before each change of a file and each statement of SQLite. @returns the copies that differ */
function copyAtEachCall(): () => readonly string[] {
  const copies: string[] = [];
  let last = '';
  let isCopying = false;
  const look = (): void => {
    if (isCopying) return;
    isCopying = true;
    const files = fs
      .readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter(
        (entry) => entry.isFile() && !entry.name.endsWith('-shm') && !entry.parentPath.includes('killed-'),
      )
      .map((entry) => join(entry.parentPath, entry.name));
    const state = files.map((file) => `${file} ${hashOf(fs.readFileSync(file, 'latin1'))}`).join('\n');
    if (state !== last) {
      last = state;
      const copy = join(dir, `killed-${copies.length}`);
      for (const file of files) {
        const to = join(copy, file.slice(dir.length));
        fs.mkdirSync(dirname(to), { recursive: true });
        fs.copyFileSync(file, to);
      }
      // The story of a kill names files of the directory that was killed.
      const mark = join(copy, 'ledger.db.damaged');
      if (fs.existsSync(mark)) fs.writeFileSync(mark, fs.readFileSync(mark, 'utf8').replaceAll(dir, copy));
      copies.push(copy);
    }
    isCopying = false;
  };
  for (const name of [
    'renameSync',
    'rmSync',
    'openSync',
    'writeSync',
    'writeFileSync',
    'fsyncSync',
    'fdatasyncSync',
    'ftruncateSync',
  ] as const) {
    const original = fs[name] as (...args: unknown[]) => unknown;
    vi.spyOn(fs, name as 'rmSync').mockImplementation((...args: unknown[]) => {
      look();
      return original(...args);
    });
  }
  watched.exec = (_text, exec) => {
    look();
    exec();
    look();
  };
  return () => copies;
}

it('a commit that fails after its entries are synced is done, now and after a kill', async () => {
  let fails = false;
  watched.exec = (text, exec) => {
    if (!fails || text !== 'COMMIT') return exec();
    fails = false;
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
  };
  await using(async (ledger) => {
    const { document } = await ledger.admit(admission('a.jpg', 'a'));
    const attempt = await begin(ledger, document.id, 2_000, 1);
    fails = true;
    await finish(ledger, attempt, ACCEPTANCE);
    expect(fails).toBe(false);
    expect(await ledger.admit(admission('again.jpg', 'a'))).toMatchObject({
      kind: 'duplicate',
      document: { state: 'accepted' },
    });
    fails = true;
    await ledger.admit(admission('b.jpg', 'b'));
    expect(fails).toBe(false);
  });
  expect(await using(statesIn)).toEqual({ 'doc-a': 'accepted', 'doc-b': 'queued' });
  expect(stories).toEqual([]);
  expect((await compareWithJournal(path, journal)).findings).toEqual([]);
});

describe('erased data', () => {
  const filesWith = (words: string): string[] =>
    fs.readdirSync(dir).filter((name) => fs.readFileSync(join(dir, name), 'latin1').includes(words));

  async function lost(ledger: Ledger, name: string): Promise<number> {
    const { document } = await ledger.admit(
      admission(`${name}.jpg`, name, { naming: [`doc-${hashOf(name)}`] }),
    );
    await ledger.markLost(document.id, 'Gone.', 2_000);
    return document.id;
  }

  it('leave them after another program kept them there, whatever the order of the erasures', async () => {
    await using(async (ledger) => {
      const [one, other] = [await lost(ledger, 'dr-schmidt'), await lost(ledger, 'dr-weber')];
      const reader = new DatabaseSync(path, { readOnly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM documents').all();
      for (const id of [other, one])
        await expect(ledger.erase([id], 3_000)).rejects.toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
      reader.exec('COMMIT');
      reader.close();
      expect(await ledger.erase([one, other], 4_000)).toBe(0);
      expect([...filesWith('dr-schmidt'), ...filesWith('dr-weber')]).toEqual([]);
    });
    expect((await verifyJournal(journal)).findings).toEqual([]);
  });

  it.each(['tables as before the erasure', 'tables missing', 'log gone'])(
    'leave them at the start after a crash before they were blanked (%s)',
    async (tables) => {
      const [one, other] = await using(
        async (ledger) => [await lost(ledger, 'dr-schmidt'), await lost(ledger, 'dr-weber')] as const,
      );
      const whole = fs.readFileSync(journal, 'latin1');
      const before = fs.readFileSync(path);
      await using(async (ledger) => {
        await ledger.erase([other], 3_000);
        await ledger.erase([one], 3_000);
      });
      const blank = fs.readFileSync(journal, 'latin1');
      fs.writeFileSync(journal, whole + blank.slice(whole.length), 'latin1');
      if (tables === 'tables missing') removeTables();
      else fs.writeFileSync(path, before);
      await using(async () => {});
      expect(fs.readFileSync(journal, 'latin1').startsWith(blank)).toBe(true);
      expect([...filesWith('dr-schmidt'), ...filesWith('dr-weber')]).toEqual([]);
    },
  );
});

describe('a backup', () => {
  it('is complete beside writes, and is adopted with everything that a later journal knows', async () => {
    const file = join(dir, 'kept.db');
    await using(async (ledger) => {
      await early(ledger);
      const writing = Array.from({ length: 100 }, (_, n) => ledger.admit(admission(`w${n}`, `w${n}`)));
      const [{ head }] = await Promise.all([ledger.backup(file), ...writing]);
      expect(head.seq).toBeLessThanOrEqual((await ledger.head())?.seq ?? 0);
      await expect(ledger.backup(file)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
    });
    expect(fs.readdirSync(dir).filter((name) => name.startsWith('kept'))).toEqual(['kept.db']);
    const all = await using(async (ledger) => {
      await late(ledger);
      return statesIn(ledger);
    });
    const adopted = join(dir, 'adopted');
    fs.mkdirSync(adopted);
    const at = join(adopted, 'ledger.db');
    fs.copyFileSync(file, at);
    fs.copyFileSync(journal, join(adopted, 'ledger.journal'));
    const options = {
      path: at,
      backupsDir: join(dir, 'backups'),
      because: 'A test.',
      at: 9_000,
      isPair: false,
    };
    const { documents, replayed, story } = await adoptLedger(options);
    expect({ documents, story }).toEqual({ documents: Object.keys(all).length, story: [] });
    expect(replayed).toBeGreaterThan(0);
    expect(fs.readdirSync(adopted).sort()).toEqual(['ledger.db', 'ledger.journal']);
    expect(await using(statesIn, at)).toEqual(all);
    expect([...readJournal(join(adopted, 'ledger.journal'), 0)].at(-1)).toMatchObject({ kind: 'restored' });
    expect((await verifyJournal(join(adopted, 'ledger.journal'))).findings).toEqual([]);
    expect(stories).toEqual([]);
  });

  it('is adopted without a journal, but not as one of a pair', async () => {
    fs.copyFileSync(kept('all.db'), path);
    const options = { path, backupsDir: join(dir, 'backups'), because: 'A test.', at: 9_000 };
    await expect(adoptLedger({ ...options, isPair: true })).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    fs.rmSync(journal);
    fs.copyFileSync(kept('all.db'), path);
    expect(await adoptLedger({ ...options, isPair: false })).toMatchObject({ replayed: 0 });
    await isWhole(ALL);
    fs.writeFileSync(path, 'no ledger');
    await expect(adoptLedger({ ...options, isPair: false })).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
  });
});
