import { describe, expect, it } from 'vitest';
import { parse, yaml } from './support.ts';

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
