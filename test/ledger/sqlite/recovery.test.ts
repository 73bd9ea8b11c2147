import { DatabaseSync } from '@photostructure/sqlite';
import * as fc from 'fast-check';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/ledger/journal/journal.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import { compareWithJournal } from '../../../src/ledger/sqlite/compare.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/open.ts';
import { restoreLedger } from '../../support/restoreLedger.ts';
import { MISCOUNTED } from '../../../src/ledger/sqlite/sql/reports.ts';
import { pagePath } from '../../../src/core/domain/pages.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { Split } from '../../../src/core/ports/ledgerPages.ts';
import type { ListRow } from '../../../src/core/ports/ledgerReports.ts';
import { admission, hashOf, naming, OFFICE, SHOP, seen } from '../../contract/ledger/support.ts';
import { clock, createPlace } from './place.ts';

let place: Awaited<ReturnType<typeof createPlace>>;
let journal: string;
let stories: string[];

beforeEach(async () => {
  place = await createPlace();
  journal = path.join(place.dir, 'ledger.journal');
  stories = [];
});
afterEach(() => place.remove());

function open(): Promise<Ledger> {
  return openSqliteLedger({ path: place.path, clock, onMended: (story) => void stories.push(story) });
}

async function rowsOf(ledger: Ledger): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  for await (const row of ledger.list({})) rows.push(row);
  return rows;
}

/** Runs `work` on the ledger and closes it. @returns what `list` shows then */
async function during(work: (ledger: Ledger) => Promise<unknown> = async () => {}): Promise<ListRow[]> {
  const ledger = await open();
  try {
    await work(ledger);
    return await rowsOf(ledger);
  } finally {
    await ledger.close();
  }
}

/** One of each: an accepted, a failed, a lost and a waiting document, a duplicate, a rejected file, a pause. */
async function fill(ledger: Ledger): Promise<void> {
  const documents = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const numbered = 'de'.includes(name) && { naming: naming('doc-{seq}', name) };
    documents.push((await ledger.admit(admission(`${name}.jpg`, name, { ...numbered }))).document);
  }
  await ledger.admit(admission('copy-of-a.jpg', 'a'));
  await ledger.admit(admission('shop.jpg', 'a', { endpoint: SHOP }));
  const [a, b, c, d] = documents;
  const answer = { at: 3_000, httpStatus: 200, message: null };
  await ledger.finish(await ledger.begin(a!.id, 2_000, 10), {
    ...answer,
    outcome: 'accepted',
    transition: { state: 'accepted', serviceStatus: 'PROCESSING', response: '{"name":"doc-a"}' },
  });
  await ledger.finish(await ledger.begin(b!.id, 2_000, 10), {
    ...answer,
    outcome: 'refused',
    transition: { state: 'failed', reason: 'HTTP_422', message: 'Unreadable.' },
  });
  await ledger.markLost(c!.id, 'Gone.', 4_000);
  const result = { at: 4_500, baseUrl: OFFICE.baseUrl, uid: null, payload: Buffer.from('{"total":"9.90"}') };
  await ledger.recordResult({ ...result, name: 'doc-b', status: 'READ' });
  await ledger.recordResult({ ...result, name: 'nobody', status: 'READ', payload: Buffer.from([0, 255]) });
  await ledger.postpone(d!.id, 9_000, 'HTTP_503', 'Down.', 4_000);
  await ledger.note(seen('note.txt'), {
    verdict: 'rejected',
    reason: 'NOT_AN_IMAGE',
    message: 'No image.',
    sha256: null,
    policy: 'p',
    at: 5_000,
  });
  await ledger.markWatched('/scans', [seen('old.jpg', 7)], {
    reason: 'EXISTING',
    message: 'It lay there.',
    sha256: null,
    policy: 'existing=skip',
    at: 500,
  });
  await ledger.gone('/scans', ['copy-of-a.jpg'], 6_000);
  const pause = { scope: 'folder', key: '/scans', reason: 'PAUSED', message: 'Paused by ann.' } as const;
  await ledger.putHold({ ...pause, since: 6_500, until: null, demandedUntil: null });
  await ledger.recordAct({ at: 6_500, kind: 'pause', by: 'ann', detail: '/scans' });
  await ledger.recordEndpoint(OFFICE, 'Office', '{"uid":"office"}', 100);
}

function withoutTimes(rows: readonly ListRow[]): unknown[] {
  return rows.map((row) => ({ ...row, updatedAt: null }));
}

const ledgerFiles = (): string[] => ['', '-wal', '-shm'].map((suffix) => place.path + suffix);

describe('a missing ledger', () => {
  it('is rebuilt from its journal with every name, state, file and pause', async () => {
    const before = await during(fill);
    for (const file of ledgerFiles()) fs.rmSync(file, { force: true });
    const after = await during(async (ledger) => {
      expect(await ledger.holds()).toMatchObject([{ reason: 'PAUSED', key: '/scans' }]);
      expect(await ledger.isFirstWatch('/scans')).toBe(false);
      expect(await ledger.nextSeq(OFFICE)).toBe(3);
      expect(await ledger.endpoints()).toMatchObject([{ name: 'Office' }, { name: null }]);
    });
    expect(withoutTimes(after)).toEqual(withoutTimes(before));
    expect(stories).toEqual([
      expect.stringMatching(/is gone\. The ledger was rebuilt\. Applied \d+ entries/),
    ]);
  });

  it('gives no image a second name, and knows which images were accepted', async () => {
    await during(fill);
    for (const file of ledgerFiles()) fs.rmSync(file, { force: true });
    await during(async (ledger) => {
      const again = await ledger.admit(admission('a-again.jpg', 'a', { naming: ['another name'] }));
      expect(again).toMatchObject({ kind: 'duplicate', document: { name: 'doc-a', state: 'accepted' } });
    });
  });

  it('is rebuilt from the newest intact backup, skipping a damaged one', async () => {
    await during(async (ledger) => {
      await fill(ledger);
      await ledger.backup(null);
    });
    fs.writeFileSync(path.join(place.dir, 'backups', 'ledger-20990101T000000000Z.db'), 'no ledger');
    const before = await during((ledger) => ledger.admit(admission('late.jpg', 'late')));
    fs.rmSync(place.path);
    const after = await during();
    expect(withoutTimes(after)).toEqual(withoutTimes(before));
    expect(stories.join()).toContain('Started from the backup');
    expect(stories.join()).toContain('is not a valid backup');
  });
});

describe('a crash between journal and ledger', () => {
  it('is repaired by applying the journal’s extra entries to the ledger', async () => {
    await during(fill);
    const kept = fs.readFileSync(place.path);
    const before = await during(async (ledger) => {
      const { document } = await ledger.admit(admission('last.jpg', 'last'));
      await ledger.begin(document.id, 7_000, 10);
    });
    fs.writeFileSync(place.path, kept);
    const after = await during(async (ledger) => {
      expect(await ledger.recover(8_000)).toBe(1);
      expect(await ledger.bySha256(OFFICE, hashOf('last'))).toMatchObject({
        state: 'queued',
        answerLost: true,
      });
    });
    expect(after).toHaveLength(before.length);
    expect(stories).toEqual([]);
  });

  it('is repaired by cutting off the journal’s incomplete last entry', async () => {
    const before = await during(fill);
    fs.appendFileSync(journal, '{"seq":99,"at":"20');
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    expect((await verifyJournal(journal)).findings).toEqual([]);
  });
});

describe('a ledger that is older than its journal', () => {
  /** The state after a kill: everything since the last checkpoint is in the WAL beside the file. */
  async function killed(work: (ledger: Ledger) => Promise<unknown>): Promise<ListRow[]> {
    const kept = path.join(place.dir, 'kept');
    const ledger = await open();
    await work(ledger);
    const rows = await rowsOf(ledger);
    fs.mkdirSync(kept);
    for (const file of [...ledgerFiles(), journal])
      if (fs.existsSync(file)) fs.copyFileSync(file, path.join(kept, path.basename(file)));
    await ledger.close();
    for (const file of ledgerFiles()) fs.rmSync(file, { force: true });
    for (const name of fs.readdirSync(kept))
      fs.copyFileSync(path.join(kept, name), path.join(place.dir, name));
    return rows;
  }

  it.each([
    ['its log is gone', () => fs.rmSync(`${place.path}-wal`)],
    ['its log is empty', () => fs.truncateSync(`${place.path}-wal`, 0)],
  ])('because %s in its first hour catches up', async (_what, damage) => {
    const before = await killed(fill);
    damage();
    fs.rmSync(`${place.path}-shm`, { force: true });
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    await during(async (ledger) => {
      const again = await ledger.admit(admission('again.jpg', 'b', { naming: ['another name'] }));
      expect(again.document.name).toBe('doc-b');
    });
    expect(fs.readdirSync(place.dir).filter((name) => name.includes('journal'))).toEqual(['ledger.journal']);
  });

  it('is rebuilt if an old copy was restored and the journal was restarted since', async () => {
    await during(async (ledger) => {
      await ledger.admit(admission('a.jpg', 'a'));
      await ledger.backup(path.join(place.dir, 'old.db'));
      await ledger.admit(admission('b.jpg', 'b'));
    });
    fs.rmSync(journal);
    const before = await during((ledger) => ledger.admit(admission('c.jpg', 'c')));
    for (const file of ledgerFiles()) fs.rmSync(file, { force: true });
    fs.copyFileSync(path.join(place.dir, 'old.db'), place.path);
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    expect(stories.join()).toContain('is older than its journal');
  });

  it('remembers that an accepted document may have been stored twice', async () => {
    await during(async (ledger) => {
      const { document } = await ledger.admit(admission('a.jpg', 'a'));
      const answer = { at: 3_000, httpStatus: null, message: null };
      const flags = { answerLost: true, serverError: false };
      const later = { state: 'queued', notBefore: 0, reason: 'R', message: 'm', ...flags } as const;
      await ledger.finish(await ledger.begin(document.id, 2_000, 1), {
        ...answer,
        outcome: 'unknown',
        transition: later,
      });
      await ledger.finish(await ledger.begin(document.id, 2_000, 1), {
        ...answer,
        outcome: 'accepted',
        transition: { state: 'accepted', serviceStatus: 'PROCESSING', response: '{}' },
      });
    });
    fs.rmSync(journal);
    await during();
    expect((await compareWithJournal(place.path, journal, 1)).findings).toEqual([]);
    fs.rmSync(place.path);
    await during(async (ledger) =>
      expect(await ledger.bySha256(OFFICE, hashOf('a'))).toMatchObject({
        state: 'accepted',
        answerLost: true,
      }),
    );
  });

  it('is rebuilt from a backup if no other file is left', async () => {
    const before = await during(async (ledger) => {
      await fill(ledger);
      await ledger.backup(null);
    });
    for (const file of [...ledgerFiles(), journal]) fs.rmSync(file, { force: true });
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
  });
});

describe('a missing or damaged journal', () => {
  const DAMAGE: [string, () => void][] = [
    ['gone', () => fs.rmSync(journal)],
    ['empty', () => fs.writeFileSync(journal, '')],
    ['cut short', () => fs.truncateSync(journal, 2_000)],
    [
      'overwritten at its end',
      () => fs.writeFileSync(journal, `${fs.readFileSync(journal, 'utf8').slice(0, -40)}xx\n`),
    ],
  ];

  it.each(DAMAGE)(
    '(%s) is continued in a new file, from which the ledger can be rebuilt',
    async (_, damage) => {
      const before = await during(fill);
      damage();
      expect(withoutTimes(await during())).toEqual(withoutTimes(before));
      expect(stories).toHaveLength(1);
      expect((await verifyJournal(journal)).findings).toEqual([]);
      expect([...readJournal(journal, 0)][0]).toMatchObject({ kind: 'continued' });
      fs.rmSync(place.path);
      expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    },
  );

  it('is restarted with the same rules for originals, in any order of folders', async () => {
    await during(async (ledger) => {
      for (const folder of ['/scans/b', '/scans/a'])
        await ledger.setOriginalsRule(folder, 'archive', 'include', 1_000);
      // The document comes before its folder in the journal.
      const { identity } = seen('x.jpg');
      await ledger.admit(admission('a.jpg', 'a', { file: { folder: '/scans/a', path: 'a.jpg', identity } }));
    });
    fs.rmSync(journal);
    await during();
    expect((await compareWithJournal(place.path, journal, 1)).findings).toEqual([]);
  });

  it('restarts with the numbers that names have used, and with interrupted uploads as possibly stored', async () => {
    await during(async (ledger) => {
      await fill(ledger);
      const waiting = await ledger.bySha256(OFFICE, hashOf('e'));
      await ledger.begin(waiting!.id, 7_000, 10);
    });
    fs.rmSync(journal);
    await during();
    fs.rmSync(place.path);
    await during(async (ledger) => {
      expect(await ledger.nextSeq(OFFICE)).toBe(3);
      const sent = { state: 'queued', answerLost: true, attempts: 1 };
      expect(await ledger.bySha256(OFFICE, hashOf('e'))).toMatchObject(sent);
    });
  });

  it('does not prevent the readable part of a damaged ledger from being recovered', async () => {
    await during(async (ledger) => {
      await fill(ledger);
      for (let n = 0; n < 300; n += 1) await ledger.admit(admission(`${n}.jpg`, `image ${n}`));
    });
    fs.rmSync(journal);
    const size = fs.statSync(place.path).size;
    const handle = fs.openSync(place.path, 'r+');
    fs.writeSync(handle, Buffer.alloc(4_096, 0x5a), 0, 4_096, size - 3 * 4_096);
    fs.closeSync(handle);
    await during(async (ledger) => {
      expect(await ledger.bySha256(OFFICE, hashOf('a'))).toMatchObject({ name: 'doc-a', state: 'accepted' });
    });
    expect(stories.join()).toMatch(/Recovered \d+ records from/);
  });
});

describe('a ledger without a journal of its own', () => {
  it('gets a journal that contains everything it knows', async () => {
    const before = await during(fill);
    fs.rmSync(journal);
    const db = new DatabaseSync(place.path);
    db.exec('DELETE FROM journal');
    db.close();
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    fs.rmSync(place.path);
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
  });
});

describe('comparing ledger and journal', () => {
  async function findings(): Promise<readonly string[]> {
    return (await compareWithJournal(place.path, journal, 9_000)).findings;
  }

  it('finds no difference in an untouched ledger, even while it is being written', async () => {
    await during(async (ledger) => {
      await fill(ledger);
      expect(await findings()).toEqual([]);
    });
    expect(await findings()).toEqual([]);
    expect(fs.readdirSync(place.dir).filter((name) => name.startsWith('.verify'))).toEqual([]);
  });

  it.each([
    [
      "UPDATE documents SET state = 'accepted' WHERE name = 'doc-b'",
      'Document 2 in the ledger does not match the journal.',
    ],
    ['DELETE FROM attempts WHERE id = 2', 'Upload request 2 is in the journal but missing from the ledger.'],
    [
      "UPDATE sightings SET verdict = 'skipped' WHERE verdict = 'rejected'",
      'in the ledger does not match the journal.',
    ],
    [
      "INSERT INTO acts VALUES (99, 1, 'retry', 'eve', '')",
      'Act 99 is in the ledger but not in the journal.',
    ],
  ])('finds %s', async (change, finding) => {
    await during(fill);
    const db = new DatabaseSync(place.path);
    db.exec(change);
    db.close();
    expect(await findings()).toEqual([expect.stringContaining(finding)]);
  });
});

describe('after any sequence of operations', () => {
  it('the journal matches the ledger', async () => {
    const contents = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      fc.record({
        do: fc.constant('admit' as const),
        path: fc.constantFrom('1', '2', 'x/3'),
        content: contents,
      }),
      fc.record({
        do: fc.constant('send' as const),
        how: fc.constantFrom('accepted', 'failed', 'queued', 'open'),
      }),
      fc.record({ do: fc.constant('gone' as const), path: fc.constantFrom('1', '2', 'x/3') }),
      fc.record({ do: fc.constantFrom('retry', 'recover', 'lost', 'resend', 'erase', 'dispose') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const own = await createPlace();
        try {
          const ledger = await own.open();
          let at = 1_000;
          for (const each of steps) await take(ledger, each, (at += 10)).catch(refusedOnly);
          const rows = await rowsOf(ledger);
          await ledger.close();
          expectCounted(own.path);
          const ownJournal = path.join(own.dir, 'ledger.journal');
          expect((await verifyJournal(ownJournal)).findings).toEqual([]);
          expect((await compareWithJournal(own.path, ownJournal, 1)).findings).toEqual([]);
          fs.rmSync(own.path);
          const again = await own.open();
          expect(withoutTimes(await rowsOf(again))).toEqual(withoutTimes(rows));
          await again.close();
          expectCounted(own.path);
        } finally {
          await own.remove();
        }
      }),
      { numRuns: 30 },
    );
  });
});

function expectCounted(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true });
  expect(db.prepare(MISCOUNTED).all()).toEqual([]);
  db.close();
}

type Step = { do: string; path?: string; content?: string; how?: string };

/** A step that does not fit the current state is refused and changes nothing. */
function refusedOnly(error: unknown): void {
  expect(error).toMatchObject({ code: expect.stringMatching(/^DOCUMENT_/) });
}

async function take(
  ledger: Ledger,
  { do: what, path: at = '1', content = 'a', how }: Step,
  now: number,
): Promise<void> {
  const documents = await Promise.all(
    ['a', 'b', 'c', 'd'].map((each) => ledger.bySha256(OFFICE, hashOf(each))),
  );
  const some = documents.filter((document) => document !== null);
  const one = some[now % Math.max(1, some.length)];
  const result = { at: now, httpStatus: 200, message: 'words' };
  switch (what) {
    case 'admit':
      const file = seen(at, now);
      // The same bytes have the same size, whatever else changed about the file.
      await ledger.admit(
        admission(at, content, { at: now, file: { ...file, identity: { ...file.identity, size: 100 } } }),
      );
      return;
    case 'gone':
      await ledger.gone('/scans', [at], now);
      return;
    case 'recover':
      await ledger.recover(now);
      return;
    case 'retry':
      await ledger.retry(await ledger.retriable(0, 1_000, now), now);
      return;
    case 'dispose': {
      const [disposal] = await ledger.toDispose('/scans', {
        afterSightingId: 0,
        limit: 1,
        stays: 0,
        statuses: null,
      });
      if (!disposal) return;
      await ledger.disposing(disposal.sightingId, 'archived', now);
      await ledger.disposed(disposal.sightingId, 'archived', '/archive/1', now);
      return;
    }
    case 'lost':
      if (one) await ledger.markLost(one.id, 'Gone.', now);
      return;
    case 'resend':
      if (one) await ledger.resend(one.id, now);
      return;
    case 'erase':
      if (one) await ledger.erase([one.id], now);
      return;
    case 'send': {
      if (!one) return;
      const attempt = await ledger.begin(one.id, now, 10);
      if (how === 'accepted') {
        const transition = { state: 'accepted', serviceStatus: 'PROCESSING', response: '{}' } as const;
        await ledger.finish(attempt, { ...result, outcome: 'accepted', transition });
      } else if (how === 'failed') {
        const transition = { state: 'failed', reason: 'HTTP_422', message: 'No.' } as const;
        await ledger.finish(
          attempt,
          { ...result, outcome: 'refused', transition },
          {
            documentIds: [one.id],
            reason: 'MANY_REFUSALS',
            message: 'Many.',
          },
        );
      } else if (how === 'queued') {
        const flags = { answerLost: true, serverError: true };
        const transition = {
          state: 'queued',
          notBefore: 0,
          reason: 'HTTP_503',
          message: 'Down.',
          ...flags,
        } as const;
        await ledger.finish(attempt, { ...result, outcome: 'unknown', transition });
      }
    }
  }
}

/** A file whose only page is lost. */
async function erasePages(ledger: Ledger): Promise<void> {
  const file = seen('schmidt.pdf');
  const plan = { endpoint: OFFICE, file, sha256: hashOf('pdf'), at: 4_000 };
  const split = (await ledger.beginSplit(plan)) as Split;
  const page = { file: { ...file, path: pagePath(file.path, 1) }, page: { split: split.id, page: 1 } };
  const { document } = await ledger.admit(admission('page', 'page', page));
  await ledger.endSplit(split, { at: 4_000, pages: 1, reason: null, message: null, policy: null });
  await ledger.markLost(document.id, 'Gone.', 4_000);
  expect(await ledger.erase([document.id], 6_000)).toBe(1);
}

describe('erasure', () => {
  it('removes personal data from every file and keeps the chain verifiable', async () => {
    await during(async (ledger) => {
      const { document } = await ledger.admit(admission('dr-schmidt-invoice.jpg', 'a'));
      await ledger.admit(admission('copy/dr-schmidt-copy.jpg', 'a'));
      await ledger.admit(admission('other.jpg', 'other'));
      await ledger.finish(await ledger.begin(document.id, 2_000, 10), {
        at: 3_000,
        outcome: 'accepted',
        httpStatus: 200,
        message: null,
        transition: { state: 'accepted', serviceStatus: 'DONE', response: '{"patient":"Schmidt"}' },
      });
      expect(await ledger.erasable(5_000)).toEqual([document.id]);
      expect(await ledger.erase([document.id, 2, 777], 6_000)).toBe(1);
      expect(await ledger.erasable(5_000)).toEqual([]);
      await erasePages(ledger);
      for (const file of fs.readdirSync(place.dir)) {
        const text = fs.readFileSync(path.join(place.dir, file), 'latin1').toLowerCase();
        expect([file, text.includes('schmidt')]).toEqual([file, false]);
        expect(text.includes('doc-a') || !file.endsWith('journal')).toBe(true);
      }
      expect(await ledger.detail(document.id)).toMatchObject({
        document: { name: 'doc-a', sha256: hashOf('a'), state: 'accepted', path: '' },
        response: null,
      });
    });
    expect(await verifyJournal(journal)).toMatchObject({ findings: [] });
    expect((await compareWithJournal(place.path, journal, 1)).findings).toEqual([]);
  });

  it('is refused while another program keeps erased data in the log, and succeeds when repeated', async () => {
    await during(async (ledger) => {
      const { document } = await ledger.admit(admission('dr-schmidt.jpg', 'a'));
      await ledger.markLost(document.id, 'Gone.', 2_000);
      const reader = new DatabaseSync(place.path, { readOnly: true });
      reader.exec('BEGIN; SELECT count(*) FROM documents');
      reader.prepare('SELECT count(*) FROM documents').all();
      await expect(ledger.erase([document.id], 3_000)).rejects.toMatchObject({
        code: 'LEDGER_WRITE_FAILED',
        hint: expect.stringContaining('same command again'),
      });
      reader.exec('COMMIT');
      reader.close();
      expect(await ledger.erase([document.id], 4_000)).toBe(0);
      for (const file of [...ledgerFiles(), journal])
        expect(fs.existsSync(file) && fs.readFileSync(file, 'latin1').includes('schmidt')).toBe(false);
    });
  });

  it('is finished after a crash before the journal was blanked', async () => {
    await during(async (ledger) => {
      const { document } = await ledger.admit(admission('dr-schmidt.jpg', 'a'));
      await ledger.markLost(document.id, 'Gone.', 2_000);
    });
    const whole = fs.readFileSync(journal, 'latin1');
    await during((ledger) => ledger.erase([1], 3_000));
    const blank = fs.readFileSync(journal, 'latin1');
    // The state after the crash: recorded, nothing blanked yet.
    fs.writeFileSync(journal, whole + blank.slice(whole.length), 'latin1');
    const db = new DatabaseSync(place.path);
    const entries = [...readJournal(journal, 0)].find(({ kind }) => kind === 'erased')?.facts['entries'];
    db.prepare('INSERT INTO erasures (entries) VALUES (?)').run(JSON.stringify(entries));
    db.close();
    await during();
    expect(fs.readFileSync(journal, 'latin1')).toBe(blank);
  });
});

describe('a power failure', () => {
  it('that loses the last commits of the ledger loses nothing that was acknowledged', async () => {
    await during(fill);
    const ledger = await open();
    const early = ledgerFiles().map(
      (file) => [file, fs.existsSync(file) ? fs.readFileSync(file) : null] as const,
    );
    const { document } = await ledger.admit(admission('last.jpg', 'last'));
    await ledger.markLost(document.id, 'Gone.', 7_000);
    expect(await ledger.erase([document.id], 8_000)).toBe(1);
    const before = await rowsOf(ledger);
    await ledger.close();
    for (const [file, bytes] of early) {
      if (bytes) fs.writeFileSync(file, bytes);
      else fs.rmSync(file, { force: true });
    }
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    expect((await verifyJournal(journal)).findings).toEqual([]);
    expect(stories).toEqual([]);
  });
});

describe('restoring a backup', () => {
  it('keeps everything that the journal knows, and records the restore', async () => {
    let file = '';
    await during(async (ledger) => {
      await fill(ledger);
      ({ file } = await ledger.backup(path.join(place.dir, 'kept.db')));
    });
    const before = await during((ledger) => ledger.admit(admission('late.jpg', 'late')));
    const restored = await restoreLedger(place.dir, file);
    expect(restored).toMatchObject({ replayed: 2, documents: 7, story: [] });
    expect(fs.existsSync(restored.setAside ?? '')).toBe(true);
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    expect([...readJournal(journal, 0)].at(-1)).toMatchObject({ kind: 'restored', seq: restored.head.seq });
    expect((await verifyJournal(journal)).findings).toEqual([]);
  });

  it('works on an empty machine, and continues the chain', async () => {
    let file = '';
    const before = await during(async (ledger) => {
      await fill(ledger);
      ({ file } = await ledger.backup(path.join(place.dir, 'kept.db')));
    });
    const other = await createPlace();
    await restoreLedger(other.dir, file);
    const ledger = await other.open();
    expect(withoutTimes(await rowsOf(ledger))).toEqual(withoutTimes(before));
    await ledger.close();
    expect([...readJournal(path.join(other.dir, 'ledger.journal'), 0)][0]).toMatchObject({
      kind: 'continued',
    });
    await other.remove();
  });

  it('refuses other files and backups of another ledger, and changes nothing', async () => {
    await during(fill);
    const other = await createPlace();
    const stranger = await other.open();
    const { file } = await stranger.backup(path.join(other.dir, 'kept.db'));
    await stranger.close();
    // SQLite removes its own files once the garbage collector has collected their reader.
    const files = () => fs.readdirSync(place.dir).filter((name) => !/^instance\.|-(wal|shm)$/.test(name));
    const before = files();
    for (const [backup, code] of [
      [file, 'LEDGER_EXISTS'],
      [journal, 'ARCHIVE_REFUSED'],
      [path.join(place.dir, 'none.db'), 'FILE_UNREADABLE'],
    ] as const)
      await expect(restoreLedger(place.dir, backup)).rejects.toMatchObject({ code });
    expect(files()).toEqual(before);
    await other.remove();
  });
});

describe('a backup', () => {
  it('is complete despite concurrent writes, private to its owner, and never overwritten', async () => {
    const target = path.join(place.dir, 'kept.db');
    await during(async (ledger) => {
      await fill(ledger);
      const writing = Array.from({ length: 200 }, (_, n) => ledger.admit(admission(`w${n}`, `w${n}`)));
      const [{ head }] = await Promise.all([ledger.backup(target), ...writing]);
      expect(head.seq).toBeLessThanOrEqual((await ledger.head())?.seq ?? 0);
      await expect(ledger.backup(target)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
    });
    expect(fs.statSync(target).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(place.dir).filter((name) => name.startsWith('kept'))).toEqual(['kept.db']);
  });

  it('is deleted if it is older than the ones to keep', async () => {
    const backups = path.join(place.dir, 'backups');
    await during(async (ledger) => {
      const { file } = await ledger.backup(null);
      fs.renameSync(file, path.join(place.dir, 'copied.db'));
      for (const day of ['01', '02', '03'])
        fs.copyFileSync(
          path.join(place.dir, 'copied.db'),
          path.join(backups, `ledger-1969${day}01T000000000Z.db`),
        );
      fs.writeFileSync(path.join(backups, 'mine.txt'), 'not a backup');
      await ledger.pruneBackups(2);
    });
    expect(fs.readdirSync(backups).sort()).toEqual([
      'ledger-19690201T000000000Z.db',
      'ledger-19690301T000000000Z.db',
      'mine.txt',
    ]);
  });

  it('that a power failure left unfinished is deleted after a day', async () => {
    const backups = path.join(place.dir, 'backups');
    await during(async (ledger) => {
      const { file } = await ledger.backup(null);
      for (const left of ['ledger-19690201T000000000Z.db.new', 'ledger-19690201T000000000Z.db.new-journal'])
        fs.copyFileSync(file, path.join(backups, left));
      // Another process may still be writing this one.
      fs.copyFileSync(file, `${file}.new`);
      await ledger.pruneBackups(2);
      const name = path.basename(file);
      expect(fs.readdirSync(backups).sort()).toEqual([name, `${name}.new`]);
    });
  });

  it('dated years ahead by a wrong clock does not displace today’s', async () => {
    const backups = path.join(place.dir, 'backups');
    await during(async (ledger) => {
      const { file } = await ledger.backup(null);
      for (const day of ['01', '02'])
        fs.copyFileSync(file, path.join(backups, `ledger-2999${day}01T000000000Z.db`));
      await ledger.pruneBackups(2);
      expect(fs.readdirSync(backups).sort()).toEqual([path.basename(file), 'ledger-29990201T000000000Z.db']);
      expect(await ledger.lastBackup()).toBe(clock.now());
    });
  });
});
