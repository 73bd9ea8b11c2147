import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attentionText, NOTE_ENDING, safeName } from '../../../src/core/domain/attention.ts';
import { local } from '../../../src/core/domain/words.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

const AT = new Date(2026, 10, 22, 8, 5).getTime();

describe('the note for people at the scanner', () => {
  it('is plain text: what happened, what to do, how it ends, when, and the code last', () => {
    const text = attentionText('SCAN1.jpg', 0, { state: 'incomplete', reason: 'EMPTY', message: '' }, AT);
    expect(text).toBe(
      '\u{feff}SCAN1.jpg was not sent. The file is empty.\r\n' +
        'Scan the receipt again and delete the empty file.\r\n' +
        'This note disappears automatically once that file is removed or replaced with a good one. You may delete it.\r\n' +
        `2026-11-22 08:05:00 ${local(AT).slice(-6)} [EMPTY]\r\n`,
    );
  });

  it('quotes the service on one line and within limits', () => {
    const message = `Refused:\r\n${'very '.repeat(200)}bad`;
    const text = attentionText('a.jpg', 1, { state: 'failed', reason: 'HTTP_422', message }, AT);
    expect(text.split('\r\n')).toHaveLength(5);
    expect(text).toContain('The service refused it: Refused: very very');
    expect(text.length).toBeLessThan(700);
  });

  it('escapes unusual characters in names, and shows no invisible ones', () => {
    const amiss = { state: 'failed', reason: 'HTTP_422', message: 'Too \u202edark\u{1b}[31m' } as const;
    const path = 'a\nb/\u{1b}[31mred\r\u{9b}\u2028\u202egpj.\u200bexe';
    const [first] = attentionText(path, 1, amiss, AT).split('\r\n');
    expect(first).toBe(
      '\u{feff}a\\nb/\\u001b[31mred\\r\\u009b\\u2028gpj.exe was not sent. The service refused it: Too dark [31m',
    );
  });

  it('has the same number of lines for any file name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (path) => {
        const text = attentionText(path, 1, { state: 'rejected', reason: '', message: '' }, AT);
        expect(text.slice(1)).toMatch(
          /^(?:[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2066-\u2069]*\r\n){4}$/u,
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe('the name in the attention folder', () => {
  it.each([
    ['SCAN0001.JPG', 'SCAN0001.JPG'],
    ['second floor/beleg ä.jpg', 'beleg ä.jpg'],
    ['a<b>:"c|d?.jpg', 'a_b___c_d_.jpg'],
    ['con.jpg', '_con.jpg'],
    ['LPT1', '_LPT1'],
    ['contract.jpg', 'contract.jpg'],
    ['trailing. . ', 'trailing'],
    ['...', '_'],
    ['.hidden.jpg', '_.hidden.jpg'],
    ['line\nbreak.jpg', 'line_break.jpg'],
    ['\u{1b}[31m\u{85}\u2029\ud800.jpg', '_[31m___.jpg'],
    ['\u202egpj.\u2066\u200f\u200b\u{feff}exe', 'gpj.exe'],
    ['\u200b.hidden', '_.hidden'],
    [`${'ü'.repeat(120)}.jpeg`, `${'ü'.repeat(114)}.jpeg`],
  ])('%j is %j', (path, name) => {
    expect(safeName(path)).toBe(name);
  });

  it('fits the limits of every system, including the suffix of the note and a number', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (path) => {
        const name = safeName(path);
        expect(Buffer.byteLength(`${name} (0a1b2c3d)${NOTE_ENDING}`)).toBeLessThanOrEqual(255);
        expect(name).toMatch(/^[^.<>:"/\\|?*\p{Cc}][^<>:"/\\|?*\p{Cc}\p{Cs}\u2028-\u202e]*$/u);
        expect(name).not.toMatch(/[. ]$/);
      }),
      { numRuns: 200 },
    );
  });
});
