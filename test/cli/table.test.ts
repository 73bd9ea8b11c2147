import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from '../../src/cli/printable.ts';
import { fitted, shortenEnd, shortenMiddle, shortenStart, table } from '../../src/cli/table.ts';
import stringWidth from 'string-width';

describe('a table', () => {
  it('takes a ledger of 200,000 rows', () => {
    const rows = Array.from({ length: 200_000 }, () => ['a']);
    expect(table(['NAME'], rows).split('\n')).toHaveLength(200_002);
  });

  it('has columns as wide as their widest cell, and no spaces at the end of a line', () => {
    expect(
      table(
        ['NAME', 'STATE'],
        [
          ['a', 'accepted'],
          ['longer', ''],
        ],
      ),
    ).toBe('NAME    STATE\n──────  ────────\na       accepted\nlonger');
  });

  it('lets a long name go on beyond its column, and keeps the other rows short', () => {
    const long = 'x'.repeat(200);
    const [head, , first, second] = table(
      ['NAME', 'STATE'],
      [
        [long, 'accepted'],
        ['b', 'accepted'],
      ],
    ).split('\n');
    expect(head).toBe(`NAME${' '.repeat(46)}STATE`);
    expect(first).toBe(`${long}  accepted`);
    expect(second).toBe(`b${' '.repeat(49)}accepted`);
  });

  it('gives wide characters and joined emoji the columns that a terminal gives them', () => {
    const [, , first = '', second = ''] = table(
      ['A', 'B'],
      [
        ['漢字', 'x'],
        ['👩‍👧ab', 'x'],
      ],
    ).split('\n');
    expect(first).toBe('漢字  x');
    expect(second).toBe('👩‍👧ab  x');
  });
});

describe('what is printed of a file name', () => {
  it('shows line breaks and terminal commands as escapes', () => {
    expect(printable('a\nb\u001b[31mc\u009bd\u202e')).toBe('a\\nb\\u001b[31mc\\u009bd\\u202e');
  });

  it('is one line without commands, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(printable(name)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

describe('a table on a terminal', () => {
  const head = ['NAME', 'STATE', 'FILE'];
  const name = 'SCAN0001-of-the-office-5e8ff9bf55ba';

  const shortened = new Map([
    [0, shortenMiddle],
    [2, shortenStart],
  ]);

  it('shortens names in the middle and paths at the start until it fits, and never the state', () => {
    const lines = fitted(
      head,
      [[name, 'unconfirmed', '/srv/scans/2026/05/領収書-SCAN0001.jpg']],
      60,
      shortened,
    );
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(60);
    expect(lines[2]).toMatch(/^SCAN0001-.*….*55ba {2}unconfirmed {2}….*領収書-SCAN0001\.jpg$/);
  });

  it('is left as it is where it fits, however long its cells', () => {
    const row = [name.repeat(3), 'accepted', '/a'];
    expect(fitted(head, [row], 200, shortened)[2]).toBe(row.join('  '));
  });

  it('keeps at least some of each where nothing fits', () => {
    const [, , line = ''] = fitted(head, [[name, 'unconfirmed', `/${name}`]], 10, shortened);
    expect(line.split(/ {2,}/).map((cell) => stringWidth(cell))).toEqual([12, 11, 12]);
  });

  it('cuts between what a reader takes for characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 20 }), (text, width) => {
        for (const shorten of [shortenStart, shortenMiddle, shortenEnd]) {
          const short = shorten(text, width);
          expect(stringWidth(short)).toBeLessThanOrEqual(Math.max(width, 1));
          expect(stringWidth(text) <= width ? short === text : short.includes('…')).toBe(true);
        }
      }),
    );
    expect(shortenMiddle('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toBe('👩‍👩‍👧…👩‍👩‍👧');
    expect(shortenStart('/a/👩‍👩‍👧.jpg', 7)).toBe('…👩‍👩‍👧.jpg');
    expect(shortenEnd('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toBe('👩‍👩‍👧👩‍👩‍👧…');
  });
});
