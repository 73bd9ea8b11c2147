import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pagePath } from '../../../src/core/domain/pages.ts';
import type { AttentionBook, AttentionFolder } from '../../../src/core/ports/attention.ts';
import { AttentionFolders } from '../../../src/features/attention/attention.ts';
import { createAttentionBook } from '../../../src/intake/folder/attentionBook.ts';
import { admission, hashOf } from '../../contract/ledger/support.ts';
import { office } from './office.ts';
import type { Amiss } from '../../../src/core/domain/attention.ts';
import { local } from '../../../src/core/domain/words.ts';
import { noteText } from '../../../src/features/attention/note.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

it('the folder for people shows a copy and a note once, to everyone who may write the watched folder', async () => {
  const { inbox, shown, reject, look, names } = await office();
  chmodSync(inbox, 0o2775);
  await reject('a.jpg', 'no image');
  await look();
  await look();
  expect(names()).toEqual(['a.jpg', 'a.jpg - why.txt']);
  expect(readFileSync(join(shown, 'a.jpg'), 'utf8')).toBe('no image');
  expect(statSync(shown).mode & 0o7777).toBe(0o2775);
  expect(statSync(join(inbox, 'a.jpg')).nlink).toBe(1);
});

it('the folder for people removes files of settled problems, but no file that people changed or added', async () => {
  const { inbox, shown, ledger, reject, look, names } = await office();
  for (const name of ['a', 'b', 'c']) await reject(name, name);
  await look();
  writeFileSync(join(shown, 'b - why.txt'), 'I have seen to it. Anna');
  writeFileSync(join(shown, 'list.txt'), 'mine');
  await ledger.gone(inbox, ['a', 'b'], 9_000);
  await look();
  expect(names()).toEqual(['b - why.txt', 'c', 'c - why.txt', 'list.txt']);
});

it('the folder for people does not recreate files that people deleted, unless the file gets another problem', async () => {
  const { inbox, shown, ledger, reject, look, names } = await office();
  await reject('a', 'no image');
  await look();
  rmSync(shown, { recursive: true });
  await look();
  expect(names()).toEqual([]);
  await reject('a', 'still no image', 'TYPE_NOT_ACCEPTED');
  await look();
  expect(names()).toEqual(['a', 'a - why.txt']);
  await ledger.gone(inbox, ['a'], 9_000);
  await look();
  expect(names()).toEqual([]);
});

it('the folder for people shows a page that the service refused as a note only, until it is queued again or its file is gone', async () => {
  const { inbox, shown, ledger, seenFile, refuse, look, names } = await office();
  const file = await seenFile('feeder.pdf', 'pdf');
  const { endpoint } = admission('', '');
  const split = await ledger.beginSplit({ endpoint, file, sha256: hashOf('pdf'), at: 1_000 });
  if (split === null) throw new Error('not begun');
  const ids = [];
  for (const page of [1, 2, 3]) {
    const at = { file: { ...file, path: pagePath(file.path, page) }, page: { split: split.id, page } };
    const { document } = await ledger.admit(admission(`page ${page}`, `page ${page}`, at));
    ids.push(document.id);
  }
  await ledger.endSplit(split, { at: 2_000, pages: 3, reason: null, message: null, policy: null });
  await refuse(ids[1] ?? 0);
  await refuse(ids[2] ?? 0);
  await look();
  expect(names()).toEqual(['feeder.pdf, page 2 - why.txt', 'feeder.pdf, page 3 - why.txt']);
  expect(readFileSync(join(shown, 'feeder.pdf, page 2 - why.txt'), 'utf8')).toContain(
    'feeder.pdf, page 2 was not sent. The service refused it: Too dark.',
  );
  await ledger.retry([ids[1] ?? 0], 4_000);
  await look();
  expect(names()).toEqual(['feeder.pdf, page 3 - why.txt']);
  await ledger.gone(inbox, ['feeder.pdf'], 9_000);
  await look();
  expect(names()).toEqual([]);
});

it('the folder for people forgets an erased document, and removes its copy and note', async () => {
  const here = await office();
  const id = await here.refused();
  await here.look();
  expect(here.names()).toEqual(['a', 'a - why.txt']);
  expect(await here.ledger.erase([id], 4_000)).toBe(1);
  await here.look();
  expect(here.names()).toEqual([]);
  const [file = ''] = readdirSync(join(here.dir, 'attention'));
  expect(JSON.parse(readFileSync(join(here.dir, 'attention', file), 'utf8'))).toMatchObject({ entries: [] });
});

it('the folder for people shows a file that is too large to copy as a note only', async () => {
  const { reject, look, names } = await office();
  await reject('a', 'x'.repeat(2_000), 'TOO_LARGE');
  await look();
  expect(names()).toEqual(['a - why.txt']);
});

/** Counts the calls of the place and of the book that change something; the last one does its work but never returns. */
function killedAfter(calls: number, { place, book }: { place: AttentionFolder; book: AttentionBook }) {
  let left = calls;
  let killed = (): void => {};
  const death = new Promise<void>((resolve) => {
    killed = resolve;
  });
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    const done = await work();
    left -= 1;
    if (left > 0) return done;
    killed();
    return new Promise(() => {});
  };
  const mortal = {
    place: {
      ...place,
      make: () => step(() => place.make()),
      prepare: (wanted) => step(() => place.prepare(wanted)),
      publish: (prepared) => step(() => place.publish(prepared)),
      remove: (files) => step(() => place.remove(files)),
    } satisfies AttentionFolder,
    book: { ...book, write: (key, page) => step(() => book.write(key, page)) } satisfies AttentionBook,
  };
  return { death, mortal };
}

it('the folder for people leaves nothing behind when killed after any step, and shows everything once after the next start', async () => {
  const { inbox, ledger, reject, look, names, deps } = await office();
  for (let calls = 1; calls <= 9; calls += 1) {
    const [over, a, b] = ['over', 'a', 'b'].map((name) => `${name}${calls}`) as [string, string, string];
    await reject(over, over);
    await look();
    await ledger.gone(inbox, [over], 9_000);
    await reject(a, a);
    await reject(b, b);
    const { death, mortal } = killedAfter(calls, deps);
    await Promise.race([death, look(mortal)]);
    await look();
    expect(names()).toEqual([a, `${a} - why.txt`, b, `${b} - why.txt`]);
    await ledger.gone(inbox, [a, b], 9_000);
    await look();
    expect(names()).toEqual([]);
  }
});

it('the folder for people undoes its changes on a full disk, reports that once, and continues when there is space', async () => {
  const { shown, incidents, reject, look, names, place } = await office();
  await reject('a', 'a');
  await reject('b', 'b');
  let prepared = 0;
  const full: AttentionFolder = {
    ...place,
    prepare: (wanted) => {
      prepared += 1;
      if (prepared === 2) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      return place.prepare(wanted);
    },
  };
  await look({ place: full });
  expect(names()).toEqual([]);
  expect(incidents.list()).toMatchObject([
    {
      code: 'ATTENTION_UNWRITABLE',
      params: { place: shown, system: 'ENOSPC' },
    },
  ]);
  await look();
  expect(names()).toHaveLength(4);
  expect(incidents.list()).toEqual([]);
});

it('the folder for people waits while the watched folder is missing, and does not mistake that for a recovery', async () => {
  const { inbox, ledger, reject, look, names } = await office();
  await reject('a', 'a');
  await look();
  await ledger.gone(inbox, ['a'], 9_000);
  await look({ isInPlace: () => false });
  expect(names()).toHaveLength(2);
});

it("the folder for people forgets records that it can't parse, and touches no file for them", async () => {
  const { dir, reject, look, names } = await office();
  await reject('a', 'a');
  await look();
  const [file = ''] = readdirSync(join(dir, 'attention'));
  writeFileSync(join(dir, 'attention', file), '{"folder": 7');
  await look();
  expect(names()).toEqual(['a', 'a (2)', 'a (2) - why.txt', 'a - why.txt']);
});

it('the folder for people shows files of a shared folder only on the agent that leads it, and removes them when another takes over', async () => {
  const here = await office();
  const { clock, dir, deps, names } = here;
  let leader = 'one';
  const stop = new AbortController();
  const running = ['one', 'two'].map((agent) => {
    const book = createAttentionBook(join(dir, agent));
    const isInPlace = () => leader === agent;
    const shared = { isLedElsewhere: () => leader !== agent };
    return new AttentionFolders({ ...deps, book, isInPlace, shared }).run(stop.signal);
  });
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  await clock.advance(5_000);
  expect(names()).toEqual([]);
  // Refused at the other agent, so that nothing notifies this one.
  await here.refused();
  await clock.advanceUntil(() => names().length === 2);
  expect(names()).toEqual(['a', 'a - why.txt']);
  const before = statSync(join(here.shown, 'a - why.txt')).ino;
  leader = 'two';
  await clock.advanceUntil(() => {
    const now = names();
    return now.length === 2 && statSync(join(here.shown, now[1] as string)).ino !== before;
  });
  await clock.advance(10_000);
  expect(names()).toHaveLength(2);
});

const [english, german] = await Promise.all([textsIn('en', local), textsIn('de', local)]);
const note = (path: string, bytes: number, amiss: Amiss, at: number, texts = english) =>
  noteText({ path, bytes, amiss, at }, texts);

const AT = new Date(2026, 10, 22, 8, 5).getTime();

describe('the note for people at the scanner', () => {
  it('is plain text: what happened, what to do, how it ends, when, and the code last', () => {
    const text = note('SCAN1.jpg', 0, { state: 'incomplete', reason: 'EMPTY', message: '' }, AT);
    expect(text).toBe(
      '\u{feff}SCAN1.jpg was not sent. The file is empty.\r\n' +
        'Scan the receipt again and delete the empty file.\r\n' +
        'This note disappears automatically once that file is removed or replaced with a good one. You may delete it.\r\n' +
        `2026-11-22 08:05:00 ${local(AT).slice(-6)} [EMPTY]\r\n`,
    );
  });

  it('quotes the service on one line and within limits', () => {
    const message = `Refused:\r\n${'very '.repeat(200)}bad`;
    const text = note('a.jpg', 1, { state: 'failed', reason: 'HTTP_422', message }, AT);
    expect(text.split('\r\n')).toHaveLength(5);
    expect(text).toContain('The service refused it: Refused: very very');
    expect(text.length).toBeLessThan(700);
  });

  it('escapes unusual characters in names, and shows no invisible ones', () => {
    const amiss = { state: 'failed', reason: 'HTTP_422', message: 'Too \u202edark\u{1b}[31m' } as const;
    const path = 'a\nb/\u{1b}[31mred\r\u{9b}\u2028\u202egpj.\u200bexe';
    const [first] = note(path, 1, amiss, AT).split('\r\n');
    expect(first).toBe(
      '\u{feff}a\\nb/\\u001b[31mred\\r\\u009b\\u2028gpj.exe was not sent. The service refused it: Too dark [31m',
    );
  });

  it('has the same number of lines for any file name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (path) => {
        const text = note(path, 1, { state: 'rejected', reason: '', message: '' }, AT);
        expect(text.slice(1)).toMatch(
          /^(?:[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2066-\u2069]*\r\n){4}$/u,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('is in the language that is set', () => {
    const amiss = { state: 'rejected', reason: 'TOO_LARGE', message: '' } as const;
    const [first] = note('a.jpg', 60_000_000, amiss, AT, german).split('\r\n');
    expect(first).toBe(
      `\u{feff}a.jpg wurde nicht gesendet. ${german.scanNotes.reasons(60_000_000).TOO_LARGE.what}`,
    );
  });
});
