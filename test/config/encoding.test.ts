import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileStore } from '../../src/api/credentials/file.ts';
import { readSecretFile } from '../../src/features/alerts/channels/secretFile.ts';
import { textOf } from '../../src/config/load.ts';
import { anyText, foreignEncoding } from '../../src/core/domain/encoding.ts';
import { readAuthorities, readPassword } from '../../src/ledger/postgres/files.ts';
import { yaml } from './support.ts';
import { tempDir } from '../support/tempDir.ts';

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
        if (look.kind === 'absent') throw new Error(look.detail);
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
