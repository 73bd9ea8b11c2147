import { expect, it } from 'vitest';
import { credentialNames } from '../../src/compose/hosted.ts';
import { parseConfig } from '../../src/config/load.ts';

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
