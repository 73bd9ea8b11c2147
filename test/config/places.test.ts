/** Which directories of a configuration may be the same, within or around which others; by text, as the platform compares it. */
import { posix, win32 } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse, textIn } from './support.ts';
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
  );
});
