import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { portableSettings } from '../../../src/features/backup/settings.ts';
import { parseConfig } from '../../../src/config/load.ts';
import { tempDir } from '../../support/tempDir.ts';

let dir: string;
beforeEach(() => {
  dir = tempDir('settings');
});

const BASE = 'https://service.example/api';

async function portable(more: string, service = ''): Promise<string> {
  const text = `stateDir: ${join(dir, 'state')}
service:
  baseUrl: ${BASE}
${service}endpoints:
  office: { uid: 11111111-2222-4333-8444-555555555555 }
folders:
  - { path: ${join(dir, 'inbox')}, endpoint: office }
${more}`;
  const context = { env: {}, cwd: dir, platform: 'linux' as const, home: dir, isRoot: false };
  const config = parseConfig(text, join(dir, 'receiptd.yaml'), context);
  const result = await portableSettings(text, config);
  // It is still a valid configuration.
  parseConfig(result.text, join(dir, 'receiptd.yaml'), context);
  return result.text;
}

describe('the settings that move to another PC', () => {
  it.each([
    String.raw`  proxy: "http:\/\/puser:Secret4711@host:3128"`,
    String.raw`  proxy: "http:\x2f/puser:Secre\x744711@host:3128"`,
    '  proxy: http://puser:pa@ssSecret4711@host:3128',
    '  proxy: http://Secret4711@host:3128',
    '  proxy: >-\n    http://puser:Secret4711@host:3128',
    '  # was http://puser:Secret4711@host:3128',
    '  proxy: direct # http://Secret4711@host:3128',
    '  # was https://hooks.example/services/Secret4711 until May',
    String.raw`  # was "https:\/\/hooks.example\/services?Secret4711"`,
  ])('contain no secret of %s', async (line) => {
    const text = await portable('', `${line}\n`);
    expect(text).not.toContain('4711');
    expect(text).toMatch(/\*\*\*/);
    expect(text).toContain(BASE);
  });

  it('contain only the host of a webhook, however its address is written', async () => {
    const url = String.raw`"https:\/\/hooks.example/\x54Secret4711"`;
    const text = await portable(`alerts:\n  webhook: { url: ${url} } # posts there\n# see ${BASE}/help\n`);
    expect(text).toContain('https://hooks.example/***');
    expect(text).not.toContain('4711');
    expect(text).toContain(`# posts there\n# see ${BASE}/help\n`);
  });

  it('name the database and its user, but no password', async () => {
    const url = 'postgres://receiptd1@db.example/ledger0001';
    const text = await portable(
      `ledger: { kind: postgres, url: '${url}' } # was postgres://receiptd1:Secret4711@db\n`,
    );
    expect(text).toContain(url);
    expect(text).toContain('# was postgres://receiptd1:***@db');
  });

  it('are not written if a known secret would remain in them', async () => {
    await writeFile(join(dir, 'mail'), 'Secret4711\n', { mode: 0o600 });
    const email = `{ server: 'smtps://mail.example', user: a, passwordFile: ${join(dir, 'mail')}, to: [a@example.com] }`;
    await expect(portable(`alerts:\n  email: ${email}\n# it is Secret4711\n`)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('other secret') as string,
    });
  });
});
