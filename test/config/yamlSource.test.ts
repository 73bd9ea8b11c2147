import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../src/config/yamlSource.ts';
import { problemsOf, refusal, yaml } from './support.ts';
import { fileStore } from '../../src/api/credentials/file.ts';
import { readSecretFile } from '../../src/features/alerts/channels/secretFile.ts';
import { textOf } from '../../src/config/load.ts';
import { anyText, foreignEncoding } from '../../src/core/domain/encoding.ts';
import { readAuthorities, readPassword } from '../../src/ledger/postgres/files.ts';
import { tempDir } from '../support/tempDir.ts';

describe('broken YAML', () => {
  it.each([
    [
      'a tab',
      'service:\n\tbaseUrl: x\n',
      '2:1: a tab is used to indent; use spaces; the line is: baseUrl: x',
    ],
    ['a key twice', 'a: 1\nb: 2\na: 3\n', '3:1: this key appears twice; the line is: a: 3'],
    ['a pattern without quotes', 'a:\n  - *.jpg\n', '2:5: text that starts with * must be in quotes'],
    [
      'a Windows path in double quotes',
      'p: "C:\\scans"\n',
      '1:7: a backslash in double quotes starts an escape',
    ],
    ['a reserved character', 'a: @b\n', '1:4: text cannot start with this character'],
    ['a quote without end', 'a: 1\nb: "c\n', 'a quote or bracket that was opened is never closed'],
    [
      'a bracket without end',
      'a: 1\nb: [c,\n\n',
      '2:7: a quote or bracket that was opened is never closed; the line is: b: [c,',
    ],
    [
      'a bracket without end before other keys',
      'a: [b\nc: 1\n',
      'a quote or bracket that was opened is never closed',
    ],
    ['two documents', 'a: 1\n---\nb: 2\n', '2:1: a second document starts here'],
    ['a key without colon', 'a\nb: 1\n', 'a colon is missing, or this is indented wrongly'],
    ['a second colon', 'a: b: c\n', '1:4: a second "key:" in one line'],
    ['an alias in its own anchor', 'a: &x\n  - *x\n', '2:5: this alias contains itself'],
    ['an unknown tag', 'a: !thing b\n', '1:4: Unresolved tag'],
  ])('%s is told with line, column and the line', (_what, text, expected) => {
    expect(refusal(text).code).toBe('CONFIG_SYNTAX');
    expect(problemsOf(text)[0]).toContain(expected);
  });

  it('is reported in one line, because one mistake often causes others', () => {
    const text = `a: 1\n${'a: 2\n'.repeat(20)}`;
    expect(problemsOf(text).map((line) => line.split(':')[0])).toEqual(['2']);
  });

  it('is refused if it would exhaust memory or stack', () => {
    const lol = ['a0: &a0 [x]'];
    for (let i = 1; i < 30; i += 1) lol.push(`a${i}: &a${i} [${`*a${i - 1}, `.repeat(9)}]`);
    expect(refusal(lol.join('\n'))).toMatchObject({
      code: 'CONFIG_SYNTAX',
      hint: expect.stringContaining('aliases'),
    });
    expect(refusal(`a: ${'['.repeat(100_000)}`).code).toBe('CONFIG_SYNTAX');
  });

  it('is shown if the file mentions secrets only in comments', () => {
    expect(problemsOf(`# secrets do not belong here\na: @b\n`)[0]).toContain('the line is: a: @b');
  });
});

describe('a place in the file', () => {
  const text = 'a:\r\n  "b c": 1\r\n  d:\r\n    - x\r\n    - e: 5\r\n';
  const source = readYaml(text, 'f');

  it.each([
    [['a'], 1, 1],
    [['a', 'b c'], 2, 3],
    [['a', 'd', 1], 5, 7],
    [['a', 'd', 1, 'e'], 5, 7],
    [['a', 'missing'], 1, 1],
    [['a', 'd', 0, 'deeper'], 4, 7],
    [['nowhere'], 1, 1],
    [[], 1, 1],
  ])('of %j is line %d, column %d', (path, line, col) => {
    expect(source.position(path)).toEqual({ line, col });
  });

  it('is found although the file ends lines as Windows does', () => {
    expect(problemsOf(yaml().replaceAll('\n', '\r\n') + 'colour: red\r\n')).toEqual([
      '4:1: colour: unknown key; docs/configuration.md lists the keys',
    ]);
  });
});

const little = (text: string): Buffer => Buffer.from(text, 'utf16le');
const big = (text: string): Buffer => little(text).swap16();
const MARK = '\uFEFF';

it.each([
  ['little-endian with a mark', little(MARK + yaml())],
  ['big-endian with a mark', big(MARK + yaml())],
  ['little-endian without a mark', little(yaml())],
  ['big-endian without a mark', big(yaml())],
])('refuses a configuration in UTF-16, %s, and shows nothing of it', (_, bytes) => {
  expect(() => textOf(bytes, '/r.yaml')).toThrow(
    expect.objectContaining({
      code: 'CONFIG_SYNTAX',
      message: '/r.yaml is UTF-16 text, not UTF-8.',
      hint: 'Save it as UTF-8 in your editor (in Notepad: Save as, Encoding: UTF-8).',
    }) as Error,
  );
});

it('refuses a configuration with NUL bytes, and takes one in UTF-8 with a mark or without', () => {
  const broken = Buffer.from(`${yaml()}\0\0`);
  expect(() => textOf(broken, '/r.yaml')).toThrow('/r.yaml is not text: it contains NUL bytes.');
  for (const text of [yaml(), `# ä\n${yaml()}`]) {
    expect(textOf(Buffer.from(text), '/r.yaml')).toBe(text);
    expect(textOf(Buffer.from(MARK + text), '/r.yaml')).toBe(text);
  }
  expect(foreignEncoding(Buffer.alloc(0))).toBeNull();
});

describe('a file that a person wrote is read with a byte order mark, and refused in UTF-16 for what it is', () => {
  const pem = '-----BEGIN CERTIFICATE-----';
  const onlyMine = { mode: 0o600 };
  it.each<[string, string, (file: string) => Promise<unknown>]>([
    [
      'credentials.json',
      '{"clientId": "a", "clientSecret": "b"}\r\n',
      async (file) => {
        const look = await fileStore(file).look();
        if (look.kind === 'absent') throw new Error(JSON.stringify(look.absence));
      },
    ],
    ['a mail password', 'geheim\r\n', (file) => readSecretFile(file, 'alerts.email.passwordFile')],
    ['a database password', 'geheim\r\n', readPassword],
    ["the database's authorities", pem, readAuthorities],
  ])('%s', async (_what, text, read) => {
    const file = join(tempDir('encoding'), 'file');
    for (const bytes of [Buffer.from(text), Buffer.from(MARK + text)]) {
      await writeFile(file, bytes, onlyMine);
      await read(file);
    }
    for (const bytes of [little(MARK + text), big(MARK + text), little(text), big(text)]) {
      await writeFile(file, bytes, onlyMine);
      await expect(read(file)).rejects.toThrow('UTF-16');
    }
  });

  it('a journal head that PowerShell redirected is read', () => {
    const text = '{"seq": 1}';
    for (const bytes of [
      Buffer.from(MARK + text),
      little(MARK + text),
      big(MARK + text),
      little(text),
      big(text),
    ])
      expect(anyText(bytes)).toBe(text);
  });
});
