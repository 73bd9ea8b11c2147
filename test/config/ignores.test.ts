import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_IGNORES, OWN_FILES } from '../../src/config/ignores.ts';

/** As folders are read: a pattern without a slash matches a name at any depth. */
function matcher(patterns: readonly string[]): (path: string) => boolean {
  const matches = picomatch([...patterns], { dot: true, flags: 'is' });
  return (path) => path.split('/').some((name) => matches(name));
}

describe('the built-in ignores', () => {
  const ignored = matcher(BUILT_IN_IGNORES);

  it.each([
    'scan.jpg.tmp',
    'SCAN.TMP',
    'thumbs.db',
    'scan.jpg.part',
    'scan.jpg.crdownload',
    'scan.jpg.filepart',
    '~$scan.docx',
    'scan.jpg~',
    '.scan.jpg.swp',
    '.hidden.jpg',
    '._scan.jpg',
    '.DS_Store',
    'Thumbs.db',
    'desktop.ini',
    '@eaDir/scan.jpg/SYNOPHOTO_THUMB_M.jpg',
    '#recycle/scan.jpg',
    '$RECYCLE.BIN/S-1/scan.jpg',
    '.snapshot/daily/scan.jpg',
    'lost+found/#123.jpg',
    'System Volume Information/x.jpg',
    'a/b/@eaDir/c.jpg',
    'a/.hidden/c.jpg',
    'a/b/scan.partial',
  ])('leave %s alone', (path) => {
    expect(ignored(path)).toBe(true);
  });

  it.each([
    'scan.jpg',
    'a/b/scan.tif',
    'temp/scan.jpg',
    'part.png',
    'eaDir/x.jpg',
    'lostfound/x.jpg',
    'a~b.jpg',
    'سند.jpg',
  ])('let %s through', (path) => {
    expect(ignored(path)).toBe(false);
  });

  it('are all matched by their own names', () => {
    expect(BUILT_IN_IGNORES.filter((name) => !ignored(`x/${name.replace('*', 'some')}`))).toEqual([]);
  });
});

it('files that the agent set aside are always ignored', () => {
  const own = matcher(OWN_FILES);
  expect(own('.receiptd-1a2b-scan.jpg')).toBe(true);
  expect(own('a/.receiptd-x/scan.jpg')).toBe(true);
  expect(own('receiptd-x.jpg')).toBe(false);
});
