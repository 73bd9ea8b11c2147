/** Which directories of a configuration may be the same, within or around which others; by text, as the platform compares it. */
import { posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, problemsOf, textIn, yaml } from './support.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';

type Relation = 'same' | 'inside' | 'contains' | 'apart';
const ALL: readonly Relation[] = ['same', 'inside', 'contains'];

/** Refused relations of the first to the second. `archiveTo` counts only where it is set, as here. */
const REFUSED: readonly (readonly [place: Place, other: Place, refused: readonly Relation[]])[] = [
  ['path', 'stateDir', ALL],
  ['archiveTo', 'stateDir', ALL],
  ['needsAttention', 'stateDir', ALL],
  ['archiveTo', 'path', ['same', 'contains']],
  ['needsAttention', 'path', ['same', 'contains']],
  ['needsAttention', 'archiveTo', ALL],
  ['path', 'other path', ['same']],
  ['path', 'other recursive', ['same', 'inside']],
  ['archiveTo', 'other path', ['same', 'contains']],
  ['archiveTo', 'other recursive', ALL],
  ['needsAttention', 'other path', ['same', 'contains']],
  ['needsAttention', 'other recursive', ALL],
  ['needsAttention', 'other archive', ALL],
  ['archiveTo', 'other archive', []],
];
type Place =
  'path' | 'archiveTo' | 'needsAttention' | 'stateDir' | 'other path' | 'other recursive' | 'other archive';

const CASES = (['linux', 'darwin', 'win32'] as const).flatMap((platform, at) =>
  [...ALL, 'apart' as const].map((relation, of) => ({ platform, relation, isSpelt: (at + of) % 2 === 0 })),
);

it.each(REFUSED)('%s and %s: %j are refused, however they are written', (place, other, refused) => {
  for (const { platform, relation, isSpelt } of CASES) {
    const paths = platform === 'win32' ? win32 : posix;
    const root = platform === 'win32' ? 'D:\\' : '/';
    const second = paths.join(root, 'srv', 'Ärzte', 'a b');
    const first = {
      same: second,
      inside: paths.join(second, 'x..y'),
      contains: paths.join(second, '..'),
      // Not inside, although one text begins with the other.
      apart: `${second}2`,
    }[relation];
    const around = `x${paths.sep}..${paths.sep}$1${paths.sep}`;
    const folded = platform === 'linux' ? first : first.toUpperCase();
    const places: Partial<Record<Place, string>> = {
      path: paths.join(root, 'one'),
      stateDir: paths.join(root, 'state'),
      'other path': paths.join(root, 'two'),
      'other archive': paths.join(root, 'archived'),
      [other]: second,
      [place]: isSpelt ? folded.replace(/([^/\\]+)$/, around) : first,
    };
    const { path, archiveTo, needsAttention, stateDir } = places;
    const recursive = places['other recursive'];
    const text = textIn(root, {
      stateDir,
      folders: [
        {
          path,
          ...(archiveTo !== undefined && { archiveTo }),
          ...(needsAttention !== undefined && { needsAttention }),
        },
        {
          path: recursive ?? places['other path'],
          recursive: recursive !== undefined,
          archiveTo: places['other archive'],
          afterUpload: 'archive',
        },
      ],
    });
    let code = 'none';
    try {
      parse(text, { platform, home: root, cwd: root }, paths.join(root, 'etc', 'receiptd.yaml'));
    } catch (error) {
      code = error instanceof ReceiptdError ? error.code : String(error);
    }
    expect([platform, places[place], code]).toEqual([
      platform,
      places[place],
      refused.includes(relation) ? 'FOLDERS_NESTED' : 'none',
    ]);
  }
});

const windows = { platform: 'win32' as const, home: 'C:\\Users\\Ann', cwd: 'C:\\' };
const FILE = 'C:\\conf\\receiptd.yaml';
const withFolder = (item: string, more = ''): string => yaml({ folders: `[{ ${item} }]`, more });

describe('a path on Windows', () => {
  it.each([
    ["path: 'D:scans'", { is: 'driveRelative', drive: 'D:' }],
    ["path: 'd:'", { is: 'driveRelative', drive: 'd:' }],
    ["path: 'C:\\scans', archiveTo: 'E:old'", { is: 'driveRelative', drive: 'E:' }],
    ["path: 'C:\\aux\\scans'", { is: 'device', device: 'aux' }],
    ["path: 'C:\\scans', archiveTo: 'con.archive'", { is: 'device', device: 'con.archive' }],
    ["path: 'C:\\scans\\com1'", { is: 'device', device: 'com1' }],
    ["path: 'C:\\scans:hidden'", { is: 'stream' }],
    ["path: '\\\\nas\\scans:hidden:$DATA'", { is: 'stream' }],
    ["path: 'C:\\scans', archiveTo: 'done.jpg:stream'", { is: 'stream' }],
    ["path: '\\\\nas\\scans.\\in'", { is: 'trailingDot' }],
    ["path: 'C:\\scans', needsAttention: 'C:\\to see to '", { is: 'trailingDot' }],
  ])('is refused where it means another place: %s', (item, flaw) => {
    expect(problemsOf(withFolder(item), windows, FILE)).toMatchObject([flaw]);
  });

  it.each([
    ["path: 'C:\\scans'", 'C:\\scans'],
    ["path: 'c:\\scans'", 'C:\\scans'],
    ["path: 'C:/scans/a.b'", 'C:\\scans\\a.b'],
    ["path: '..\\scans'", 'C:\\scans'],
    ["path: '\\\\nas\\Scans\\in'", '\\\\nas\\Scans\\in'],
    ["path: '\\\\?\\C:\\scans'", '\\\\?\\C:\\scans'],
    ["path: 'C:\\auxiliary\\console'", 'C:\\auxiliary\\console'],
  ])('is taken: %s', (item, path) => {
    expect(parse(withFolder(item), windows, FILE).folders[0]?.path).toBe(path);
  });

  it('of the state directory is no longer than SQLite can open', () => {
    const dir = (length: number) => `stateDir: 'C:\\${'s'.repeat(length - 3)}'`;
    expect(problemsOf(withFolder("path: 'C:\\scans'", dir(201)), windows, FILE)).toMatchObject([
      { is: 'stateTooLong', length: 201 },
    ]);
    expect(parse(withFolder("path: 'C:\\scans'", dir(200)), windows, FILE).stateDir).toHaveLength(200);
  });
});

it('elsewhere such names mean nothing in particular', () => {
  const text = withFolder("path: '/srv/aux/D:scans/dot.', archiveTo: 'con'");
  expect(parse(text, { platform: 'linux' }).folders[0]?.path).toBe('/srv/aux/D:scans/dot.');
});
