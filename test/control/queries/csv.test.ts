import * as fc from 'fast-check';
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

  it('that anything could split is quoted', () => {
    for (const text of ['a;b', 'a,b', 'a\tb', 'a|b']) expect(csvCell(text)).toBe(`"${text}"`);
  });

  const parts = fc.constantFrom(
    ...',;\t|\r\n "\'=+-@＝＋－＠a1'.split(''),
    '\u00a0',
    '\ufeff',
    '=1+1',
    '.jpg',
  );
  const text = fc.array(parts, { maxLength: 12 }).map((some) => some.join(''));

  it('never becomes a formula, wherever a spreadsheet splits the line', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 4 }),
        separators,
        separators,
        (cells, own, other) => {
          const line = cells.map((cell) => csvCell(cell)).join(own);
          const read = [
            parsed(line, other),
            parsed(line, own),
            line.split(other),
            line.split(/[,;|\t\r\n]/),
          ].flat();
          for (const cell of read) expect(cell).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/);
        },
      ),
    );
  });

  it('is read back as it was, apart from apostrophes before formulas', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), separators, (cells, own) => {
        const read = parsed(cells.map((cell) => csvCell(cell)).join(own), own);
        const plain = (some: readonly string[]) => some.map((cell) => cell.replaceAll("'", ''));
        expect(plain(read)).toEqual(plain(cells));
      }),
    );
  });
});

const separators = fc.constantFrom(...([',', ';', '\t'] as const));

/** As spreadsheets read a line: quotes count only where a cell begins. */
function parsed(line: string, separator: string): string[] {
  const cells: string[] = [];
  for (let rest: string | undefined = line; rest !== undefined;) {
    const [whole = '', quoted] = /^(?:"((?:[^"]|"")*)")?/.exec(rest) ?? [];
    const after: string = rest.slice(whole.length);
    const end = after.indexOf(separator);
    cells.push((quoted ?? '').replaceAll('""', '"') + (end < 0 ? after : after.slice(0, end)));
    rest = end < 0 ? undefined : after.slice(end + 1);
  }
  return cells;
}

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
