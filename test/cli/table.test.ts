import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortenEnd, shortenMiddle, shortenStart, table, tableInParts } from '../../src/cli/table.ts';
import stringWidth from 'string-width';

describe('a table', () => {
  it('renders 200,000 rows', () => {
    const rows = Array.from({ length: 200_000 }, () => ['a']);
    expect(table(['NAME'], rows).split('\n')).toHaveLength(200_002);
  });

  it('sizes each column to its widest cell and leaves no trailing spaces', () => {
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

  it('lets a long name overflow its column without widening the other rows', () => {
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

  it('measures wide characters and joined emoji as a terminal does', () => {
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

describe('a table in parts', () => {
  it('has one head, and keeps its columns as wide as the widest cell so far', () => {
    const partOf = tableInParts(['NAME', 'STATE']);
    expect(partOf([['longer', 'queued']])).toEqual({
      top: ['NAME    STATE', '──────  ──────'],
      lines: ['longer  queued'],
    });
    expect(partOf([['a', 'failed']])).toEqual({ top: [], lines: ['a       failed'] });
    expect(partOf([['the longest', 'lost']]).lines).toEqual(['the longest  lost']);
    expect(partOf([['a', 'failed']]).lines).toEqual(['a            failed']);
  });
});

describe('a table on a terminal', () => {
  const head = ['NAME', 'STATE', 'FILE'];
  const name = 'SCAN0001-of-the-office-5e8ff9bf55ba';

  const shortened = new Map([
    [0, shortenMiddle],
    [2, shortenStart],
  ]);

  const fitted = (rows: readonly (readonly string[])[], columns: number): readonly string[] => {
    const { top, lines } = tableInParts(head, { columns, shortened })(rows);
    return [...top, ...lines];
  };

  it('shortens names in the middle and paths at the start, but never the state', () => {
    const lines = fitted([[name, 'unconfirmed', '/srv/scans/2026/05/領収書-SCAN0001.jpg']], 60);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(60);
    expect(lines[2]).toMatch(/^SCAN0001-.*….*55ba {2}unconfirmed {2}….*領収書-SCAN0001\.jpg$/);
  });

  it('stays unchanged if it fits, however long its cells', () => {
    const row = [name.repeat(3), 'accepted', '/a'];
    expect(fitted([row], 200)[2]).toBe(row.join('  '));
  });

  it('lets a long cell that is never shortened widen its column to the terminal at most', () => {
    const rows = [
      ['a', 'x'.repeat(300), '/a'],
      ['b', 'y', '/b'],
    ];
    const [, rule = ''] = fitted(rows, 80);
    expect(Math.max(...rule.split('  ').map((part) => part.length))).toBe(80);
  });

  it('keeps part of every cell even if nothing fits', () => {
    const [, , line = ''] = fitted([[name, 'unconfirmed', `/${name}`]], 10);
    expect(line.split(/ {2,}/).map((cell) => stringWidth(cell))).toEqual([8, 11, 8]);
  });

  it('never splits a grapheme', () => {
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
