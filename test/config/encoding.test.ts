import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSecretFile } from '../../src/features/alerts/channels/secretFile.ts';
import { textOf } from '../../src/config/load.ts';
import { foreignEncoding } from '../../src/core/domain/encoding.ts';
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

it('refuses a secret in UTF-16', async () => {
  const dir = tempDir('encoding');
  const file = join(dir, 'secret');
  await writeFile(file, little('geheim\r\n'), { mode: 0o600 });
  await expect(readSecretFile(file, 'alerts.email.passwordFile')).rejects.toThrow(
    `alerts.email.passwordFile: ${file} is UTF-16 text, not UTF-8.`,
  );
});
