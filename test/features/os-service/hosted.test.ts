import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { credentialNames, hostedAgent } from '../../../src/features/os-service/hosted.ts';
import { parseConfig } from '../../../src/config/load.ts';

function namesOf(more: Record<string, unknown>): readonly string[] {
  const text = JSON.stringify({
    service: { baseUrl: 'https://service.example' },
    endpoints: { office: { uid: 'office' } },
    folders: [{ path: '/srv/scans', endpoint: 'office' }],
    ...more,
  });
  const where = { env: {}, platform: 'linux', home: '/root', cwd: '/', isRoot: true } as const;
  return credentialNames(parseConfig(text, '/etc/receiptd/receiptd.yaml', where));
}

it('names the credentials of every account that systemd may hold', () => {
  expect(namesOf({})).toEqual(['client_id', 'client_secret']);
  expect(namesOf({ accounts: { branch: {}, depot: { store: 'file' } } })).toEqual([
    'client_id',
    'client_secret',
    'client_id_branch',
    'client_secret_branch',
  ]);
  expect(namesOf({ credentials: { store: 'file' } })).toEqual([]);
});

it('names where links lead, hop by hop, also where that is not there', async () => {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'receiptd-links-')));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, 'real/in'), { recursive: true });
  await symlink('hop/in', join(dir, 'scans'));
  await symlink(join(dir, 'real'), join(dir, 'hop'));
  await symlink('/nowhere/share', join(dir, 'away'));
  await symlink('round', join(dir, 'round'));
  const text = JSON.stringify({
    service: { baseUrl: 'https://service.example' },
    endpoints: { office: { uid: 'office' } },
    folders: [
      { path: join(dir, 'scans'), endpoint: 'office', afterUpload: 'archive' },
      { path: join(dir, 'away/it'), endpoint: 'office' },
      { path: join(dir, 'round'), endpoint: 'office' },
      { path: join(dir, 'real'), endpoint: 'office', recursive: false },
    ],
    stateDir: join(dir, 'hop/state'),
  });
  const where = { env: {}, platform: 'linux', home: '/root', cwd: '/', isRoot: true } as const;
  const config = parseConfig(text, join(dir, 'receiptd.yaml'), where);
  const { links } = await hostedAgent(config, [process.execPath]);
  expect(links[join(dir, 'scans')]).toEqual([join(dir, 'hop/in'), join(dir, 'real/in')]);
  expect(links[join(dir, 'away/it')]).toEqual(['/nowhere/share/it']);
  expect(links[join(dir, 'hop/state')]).toEqual([join(dir, 'real/state')]);
  expect(links).not.toHaveProperty(join(dir, 'real'));
  expect(links[join(dir, 'round')]).toEqual([join(dir, 'round')]);
});
