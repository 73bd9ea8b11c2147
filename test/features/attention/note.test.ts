import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Amiss } from '../../../src/core/domain/attention.ts';
import { local } from '../../../src/core/domain/words.ts';
import { noteText } from '../../../src/features/attention/note.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

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
