import { readFile, writeFile } from 'node:fs/promises';
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
    ['a tab', 'service:\n\tbaseUrl: x\n', { line: 2, mistake: 'TAB_AS_INDENT', content: 'baseUrl: x' }],
    ['a key twice', 'a: 1\nb: 2\na: 3\n', { line: 3, col: 1, mistake: 'DUPLICATE_KEY', content: 'a: 3' }],
    ['a pattern without quotes', 'a:\n  - *.jpg\n', { line: 2, col: 5, mistake: 'ASTERISK' }],
    ['a Windows path in double quotes', 'p: "C:\\scans"\n', { line: 1, col: 7, mistake: 'BAD_DQ_ESCAPE' }],
    ['a reserved character', 'a: @b\n', { line: 1, col: 4, mistake: 'BAD_SCALAR_START' }],
    ['a quote without end', 'a: 1\nb: "c\n', { mistake: 'MISSING_CHAR' }],
    [
      'a bracket without end',
      'a: 1\nb: [c,\n\n',
      { line: 2, col: 7, mistake: 'MISSING_CHAR', content: 'b: [c,' },
    ],
    ['a bracket without end before other keys', 'a: [b\nc: 1\n', { mistake: 'MISSING_CHAR' }],
    ['two documents', 'a: 1\n---\nb: 2\n', { line: 2, col: 1, mistake: 'MULTIPLE_DOCS' }],
    ['a key without colon', 'a\nb: 1\n', { mistake: 'MULTILINE_IMPLICIT_KEY' }],
    ['a second colon', 'a: b: c\n', { line: 1, col: 4, mistake: 'BLOCK_AS_IMPLICIT_KEY' }],
    ['an alias in its own anchor', 'a: &x\n  - *x\n', { line: 2, col: 5, mistake: 'ALIAS_IN_ITSELF' }],
    ['an unknown tag', 'a: !thing b\n', { line: 1, col: 4, mistake: null, detail: 'Unresolved tag: !thing' }],
    ['the first of many mistakes', `a: 1\n${'a: 2\n'.repeat(20)}`, { line: 2, mistake: 'DUPLICATE_KEY' }],
    [
      'a file that mentions secrets only in comments',
      '# secrets do not belong here\na: @b\n',
      { content: 'a: @b' },
    ],
  ])('%s is told with line, column and the line', (_what, text, params) => {
    expect(refusal(text)).toMatchObject({ key: 'CONFIG_SYNTAX.notYaml', params });
  });

  it('is refused if it would exhaust memory or stack', () => {
    const lol = ['a0: &a0 [x]'];
    for (let i = 1; i < 30; i += 1) lol.push(`a${i}: &a${i} [${`*a${i - 1}, `.repeat(9)}]`);
    expect(refusal(lol.join('\n')).key).toBe('CONFIG_SYNTAX.tooDeep');
    expect(refusal(`a: ${'['.repeat(20_000)}`).code).toBe('CONFIG_SYNTAX');
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
    expect(problemsOf(yaml().replaceAll('\n', '\r\n') + 'colour: red\r\n')).toMatchObject([
      { at: '4:1', key: 'colour' },
    ]);
  });
});

const little = (text: string): Buffer => Buffer.from(text, 'utf16le');
const big = (text: string): Buffer => little(text).swap16();
const MARK = '\uFEFF';

/** In any of the forms in which Windows' tools write UTF-16. */
const utf16 = (text: string) => [little(MARK + text), big(MARK + text), little(text), big(text)];

it('refuses a configuration with NUL bytes', () => {
  expect(() => textOf(Buffer.from(`${yaml()}\0\0`), '/r.yaml')).toThrow(
    expect.objectContaining({
      key: 'CONFIG_SYNTAX.notUtf8',
      params: { path: '/r.yaml', encoding: 'binary' },
    }),
  );
  expect(foreignEncoding(Buffer.alloc(0))).toBeNull();
});

describe('a file that a person wrote is read with a byte order mark, and refused in UTF-16 for what it is', () => {
  it.each<[string, string, (file: string) => Promise<unknown>]>([
    [
      'a configuration',
      `# ä\n${yaml()}`,
      async (file) => expect(textOf(await readFile(file), file)).toBe(`# ä\n${yaml()}`),
    ],
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
    ["the database's authorities", '-----BEGIN CERTIFICATE-----', readAuthorities],
  ])('%s', async (_what, text, read) => {
    const file = join(tempDir('encoding'), 'file');
    for (const bytes of [Buffer.from(text), Buffer.from(MARK + text)]) {
      await writeFile(file, bytes, { mode: 0o600 });
      await read(file);
    }
    for (const bytes of utf16(text)) {
      await writeFile(file, bytes);
      await expect(read(file)).rejects.toThrow('UTF-16');
    }
  });

  it('a journal head that PowerShell redirected is read', () => {
    const text = '{"seq": 1}';
    for (const bytes of [Buffer.from(MARK + text), ...utf16(text)]) expect(anyText(bytes)).toBe(text);
  });
});
