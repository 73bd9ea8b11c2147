import { describe, expect, it } from 'vitest';
import type { ListRow } from '../../../src/core/ports/ledgerReports.ts';
import { csvCell, csvLines } from '../../../src/control/queries/csv.ts';

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
  ])('for %j is %j', (value, text) => {
    expect(csvCell(value)).toBe(text);
  });

  it('is quoted only if it contains the separator', () => {
    expect(csvCell('a;b', ';')).toBe('"a;b"');
    expect(csvCell('a,b', ';')).toBe('a,b');
    expect(csvCell('a\tb', '\t')).toBe('"a\tb"');
  });

  it('is guarded against formulas even if it contains the separator', () => {
    expect(csvCell('=1;2', ';')).toBe(`"'=1;2"`);
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])(
    'does not begin like a formula for %j',
    (value) => {
      expect(csvCell(value).replace(/^"/, '').startsWith("'")).toBe(true);
    },
  );
});

describe('a CSV export', () => {
  async function* none() {}
  const head = async (...form: Parameters<typeof csvLines> extends [unknown, ...infer Rest] ? Rest : never) =>
    (await csvLines(none(), ...form).next()).value as string;

  it('begins with the column names, separated by commas', async () => {
    expect(await head()).toMatch(/^name,state,.*updatedAt\r\n$/);
  });

  it('begins with a byte order mark for Excel', async () => {
    expect(await head({ separator: ';', byteOrderMark: true })).toMatch(/^\uFEFFname;state;.*updatedAt\r\n$/);
  });

  it('contains the latest named values of results, guarded against formulas', async () => {
    const columns = [
      { name: 'total', pointer: '/total' },
      { name: 'Händler, Ort', pointer: '/merchant' },
    ];
    async function* rows() {
      yield { posted: [{ '/total': 1, '/merchant': '=1+1' }, { '/total': 12.5 }] } as unknown as ListRow;
      yield { posted: [] } as unknown as ListRow;
    }
    const lines: string[] = [];
    for await (const line of csvLines(rows(), { separator: ',', byteOrderMark: false }, columns))
      lines.push(line);
    expect(lines[0]).toMatch(/updatedAt,total,"Händler, Ort"\r\n$/);
    expect(lines[1]).toMatch(/,12\.5,'=1\+1\r\n$/);
    expect(lines[2]).toMatch(/,,\r\n$/);
  });
});
