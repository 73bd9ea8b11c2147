/** Which directories of a configuration may be the same, within or around which others; by text, as the platform compares it. */
import { posix, win32 } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEveryCase } from '../support/everyCase.ts';
import { parse, textIn, yaml } from './support.ts';
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

const PLATFORMS = ['linux', 'darwin', 'win32'] as const;
const segment = fc.constantFrom('scans', 'Ärzte', 'a b', 'x..y');

it.each(REFUSED)('%s and %s: %j are refused, however they are written', (place, other, refused) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ALL, 'apart' as const),
      fc.constantFrom(...PLATFORMS),
      fc.array(segment, { minLength: 2, maxLength: 3 }),
      segment,
      fc.boolean(),
      (relation, platform, base, more, isSpelt) => {
        const paths = platform === 'win32' ? win32 : posix;
        const root = platform === 'win32' ? 'D:\\' : '/';
        const second = paths.join(root, 'srv', ...base);
        const first = {
          same: second,
          inside: paths.join(second, more),
          contains: paths.join(second, '..'),
          // Not inside, although one text begins with the other.
          apart: `${second}2`,
        }[relation];
        const folds = platform !== 'linux';
        const spelt = isSpelt
          ? (folds ? first.toUpperCase() : first).replace(
              /([^/\\]+)$/,
              `x${paths.sep}..${paths.sep}$1${paths.sep}`,
            )
          : first;
        const places: Partial<Record<Place, string>> = {
          path: paths.join(root, 'one'),
          stateDir: paths.join(root, 'state'),
          'other path': paths.join(root, 'two'),
          'other archive': paths.join(root, 'archived'),
          [other]: second,
          [place]: spelt,
        };
        const text = textIn(root, {
          stateDir: places.stateDir,
          folders: [
            {
              path: places.path,
              ...(places.archiveTo !== undefined && { archiveTo: places.archiveTo }),
              ...(places.needsAttention !== undefined && { needsAttention: places.needsAttention }),
            },
            {
              path: places['other recursive'] ?? places['other path'],
              recursive: places['other recursive'] !== undefined,
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
        expect([first, code]).toEqual([first, refused.includes(relation) ? 'FOLDERS_NESTED' : 'none']);
      },
    ),
    { numRuns: isEveryCase ? 500 : 20 },
  );
});

const windows = { platform: 'win32' as const, home: 'C:\\Users\\Ann', cwd: 'C:\\' };
const FILE = 'C:\\conf\\receiptd.yaml';
const withFolder = (item: string, more = ''): string => yaml({ folders: `[{ ${item} }]`, more });

describe('a path on Windows', () => {
  it.each([
    ["path: 'D:scans'", 'depends on the current directory of drive D:'],
    ["path: 'd:'", 'depends on the current directory of drive d:'],
    ["path: 'C:\\scans', archiveTo: 'E:old'", 'depends on the current directory of drive E:'],
    ["path: 'C:\\aux\\scans'", 'contains a Windows device name (aux)'],
    ["path: 'C:\\scans', archiveTo: 'con.archive'", 'contains a Windows device name (con.archive)'],
    ["path: 'C:\\scans\\com1'", '(com1)'],
    ["path: 'C:\\scans:hidden'", 'refers to an alternate data stream'],
    ["path: '\\\\nas\\scans:hidden:$DATA'", 'refers to an alternate data stream'],
    ["path: 'C:\\scans', archiveTo: 'done.jpg:stream'", 'refers to an alternate data stream'],
    ["path: '\\\\nas\\scans.\\in'", 'ends with a dot or a space'],
    ["path: 'C:\\scans', needsAttention: 'C:\\to see to '", 'ends with a dot or a space'],
  ])('is refused where it means another place: %s', (item, words) => {
    expect(() => parse(withFolder(item), windows, FILE)).toThrow(words);
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
    expect(() => parse(withFolder("path: 'C:\\scans'", dir(201)), windows, FILE)).toThrow(
      'has 201 characters',
    );
    expect(parse(withFolder("path: 'C:\\scans'", dir(200)), windows, FILE).stateDir).toHaveLength(200);
  });
});

it('elsewhere such names mean nothing in particular', () => {
  const text = withFolder("path: '/srv/aux/D:scans/dot.', archiveTo: 'con'");
  expect(parse(text, { platform: 'linux' }).folders[0]?.path).toBe('/srv/aux/D:scans/dot.');
});
