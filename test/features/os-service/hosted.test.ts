import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { credentialNames, hostedAgent } from '../../../src/features/os-service/hosted.ts';
import { configIn } from '../../config/support.ts';
import { tempDir } from '../../support/tempDir.ts';

const namesOf = (more: object) => credentialNames(configIn('/etc/receiptd', more));

it('a hosted agent lists the credentials of every account that systemd may store', () => {
  expect(namesOf({})).toEqual(['client_id', 'client_secret']);
  expect(namesOf({ accounts: { branch: {}, depot: { store: 'file' } } })).toEqual([
    'client_id',
    'client_secret',
    'client_id_branch',
    'client_secret_branch',
  ]);
  expect(namesOf({ credentials: { store: 'file' } })).toEqual([]);
});

it('a hosted agent lists the targets of links hop by hop, even if they are missing', async () => {
  const dir = await realpath(tempDir('links'));
  await mkdir(join(dir, 'real/in'), { recursive: true });
  await symlink('hop/in', join(dir, 'scans'));
  await symlink(join(dir, 'real'), join(dir, 'hop'));
  await symlink('/nowhere/share', join(dir, 'away'));
  await symlink('round', join(dir, 'round'));
  const config = configIn(dir, {
    folders: [
      { path: join(dir, 'scans'), afterUpload: 'archive' },
      ...['away/it', 'round', 'real'].map((name) => ({ path: join(dir, name) })),
    ],
    stateDir: join(dir, 'hop/state'),
  });
  const { links } = await hostedAgent(config, [process.execPath]);
  expect(links[join(dir, 'scans')]).toEqual([join(dir, 'hop/in'), join(dir, 'real/in')]);
  expect(links[join(dir, 'away/it')]).toEqual(['/nowhere/share/it']);
  expect(links[join(dir, 'hop/state')]).toEqual([join(dir, 'real/state')]);
  expect(links).not.toHaveProperty(join(dir, 'real'));
  expect(links[join(dir, 'round')]).toEqual([join(dir, 'round')]);
});
