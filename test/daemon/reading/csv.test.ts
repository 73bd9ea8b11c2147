import { describe, expect, it } from 'vitest';
import { csvCell } from '../../../src/daemon/reading/csv.ts';

describe('a CSV cell', () => {
  it.each([
    [null, ''],
    [0, '0'],
    [-5, '-5'],
    [true, 'true'],
    ['', ''],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['a "b"', '"a ""b"""'],
    ['a\nb', '"a\nb"'],
    ['a\r\nb', '"a\r\nb"'],
  ])('of %j is %j', (value, text) => {
    expect(csvCell(value)).toBe(text);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('never begins like a formula: %j', (value) => {
    expect(csvCell(value).replace(/^"/, '').startsWith("'")).toBe(true);
  });
});
