import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createCredentialsSource,
  createWritableCredentials,
  type CredentialsOptions,
} from '../../../src/api/credentials/source.ts';
import type { CredentialStore } from '../../../src/core/ports/credentials.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { strengthOf, type Whose } from '../../../src/api/credentials/strength.ts';

const environment = { RECEIPTD_CLIENT_ID: 'id', RECEIPTD_CLIENT_SECRET: 'from-environment' };

/** Options with a systemd directory, a file and a broken keychain. */
async function machine(): Promise<CredentialsOptions & { readonly folder: string }> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'client_id'), 'id\n');
  await writeFile(join(folder, 'client_secret'), 'from-systemd\n');
  const file = join(folder, 'credentials.json');
  await writeFile(file, '{"clientId":"id","clientSecret":"from-file"}', { mode: 0o600 });
  const helperPath = join(folder, 'helper.mjs');
  await writeFile(helperPath, 'throw new Error("broken")');
  return {
    folder,
    file,
    helperPath,
    baseUrl: 'https://service.example/api',
    env: { ...environment, CREDENTIALS_DIRECTORY: folder },
  };
}

const auto = (options: CredentialsOptions) => createCredentialsSource({ ...options, store: 'auto' });

describe('auto', () => {
  it('tries environment, systemd and file, in this order; each alone if it is named', async () => {
    const options = await machine();
    const fromEnvironment = { clientId: 'id', clientSecret: 'from-environment', store: 'environment' };
    expect(await auto(options).get()).toEqual(fromEnvironment);
    const env = { CREDENTIALS_DIRECTORY: options.folder };
    const fromUnit = { clientId: 'id', clientSecret: 'from-systemd', store: 'systemd' };
    expect(await auto({ ...options, env }).get()).toEqual(fromUnit);
    const fromFile = { clientId: 'id', clientSecret: 'from-file', store: 'file' };
    expect(await auto({ ...options, env: {} }).get()).toEqual(fromFile);
    for (const each of [fromEnvironment, fromUnit, fromFile])
      expect(
        await createCredentialsSource({ ...options, store: each.store as CredentialStore }).get(),
      ).toEqual(each);
  });

  it('names every store that it tried, and why it failed', async () => {
    const options = await machine();
    const failed = auto({ ...options, env: { RECEIPTD_CLIENT_ID: 'id' }, file: '/no/such/file' }).get();
    await expect(failed).rejects.toMatchObject({
      key: 'CREDENTIALS_MISSING.lookedIn',
      params: {
        looked: [
          { place: 'environment', why: { why: 'unset', names: ['RECEIPTD_CLIENT_SECRET'] } },
          { place: 'systemd', why: { why: 'noDirectory' } },
          { place: { path: '/no/such/file' }, why: { why: 'noSuchFile' } },
          { place: 'keychain', why: { why: 'noAnswer' } },
        ],
      },
    });
  });

  it.each([
    ['is locked', 'process.stdout.write(\'{"kind":"locked"}\')', 'KEYCHAIN_LOCKED.onlyHope'],
    ['hangs', 'setInterval(() => {}, 1000)', 'KEYCHAIN_UNAVAILABLE.onlyHope'],
  ])('a keychain that %s may hold them: that is what is told', async (_how, helper, key) => {
    const options = await machine();
    await writeFile(join(options.folder, 'helper.mjs'), helper);
    // A hanging store never answers; one that answers gets the usual time.
    const limit = key.startsWith('KEYCHAIN_LOCKED') ? {} : { limitMs: 200 };
    const failed = auto({ ...options, ...limit, env: {}, file: '/no/such/file' }).get();
    await expect(failed).rejects.toMatchObject({
      key,
      params: { looked: [{}, {}, { why: { why: 'noSuchFile' } }] },
    });
  });

  it('stops at a file that other users can read', async () => {
    const options = await machine();
    const file = join(options.folder, 'open.json');
    await writeFile(file, '{}', { mode: 0o644 });
    await expect(auto({ ...options, env: {}, file }).get()).rejects.toMatchObject({
      code: 'CREDENTIALS_INSECURE',
    });
  });

  it("ends with the caller's reason when it is aborted", async () => {
    const reason = new Error('stop');
    await expect(auto(await machine()).get(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('a store by name', () => {
  it('reports a broken keychain', async () => {
    const broken = createCredentialsSource({ ...(await machine()), store: 'keychain' });
    await expect(broken.get()).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
      params: { why: 'noAnswer' },
    });
  });

  it.each([
    [{ RECEIPTD_CLIENT_ID: 'id', RECEIPTD_CLIENT_SECRET: ' ' }, ['RECEIPTD_CLIENT_SECRET']],
    [{}, ['RECEIPTD_CLIENT_ID', 'RECEIPTD_CLIENT_SECRET']],
  ])('an environment of %j lacks something', async (env, names) => {
    const source = createCredentialsSource({ ...(await machine()), env, store: 'environment' });
    await expect(source.get()).rejects.toMatchObject({ params: { looked: [{ why: { names } }] } });
  });

  it('trims white space around both values', async () => {
    const env = { RECEIPTD_CLIENT_ID: ' id\n', RECEIPTD_CLIENT_SECRET: '\tse cret\r\n' };
    const source = createCredentialsSource({ ...(await machine()), env, store: 'environment' });
    expect(await source.get()).toMatchObject({ clientId: 'id', clientSecret: 'se cret' });
  });

  it.each([
    ['x'.repeat(5000), { why: 'tooLong', of: 'clientSecret' }],
    ['a\u0000b', { why: 'nul', of: 'clientSecret' }],
  ])('refuses an invalid secret', async (secret, why) => {
    const options = await machine();
    const env = { ...options.env, RECEIPTD_CLIENT_ID: 'id', RECEIPTD_CLIENT_SECRET: secret };
    const file = join(options.folder, 'other.json');
    await writeFile(file, JSON.stringify({ clientId: 'id', clientSecret: secret }), { mode: 0o600 });
    await writeFile(join(options.folder, 'client_secret'), secret);
    for (const store of ['environment', 'systemd', 'file'] as const)
      await expect(createCredentialsSource({ ...options, file, store, env }).get()).rejects.toMatchObject({
        code: 'CREDENTIALS_MISSING',
        params: { looked: [{ why }] },
      });
  });

  it('reports the missing file in a systemd directory', async () => {
    const directory = await temporaryFolder();
    await writeFile(join(directory, 'client_id'), 'id');
    const env = { CREDENTIALS_DIRECTORY: directory };
    const source = createCredentialsSource({ ...(await machine()), env, store: 'systemd' });
    await expect(source.get()).rejects.toMatchObject({
      params: { looked: [{ why: { why: 'unreadable', directory, system: 'ENOENT' } }] },
    });
  });
});

it('refuses to write if no credentials file is configured', async () => {
  expect(() => createWritableCredentials('file', { baseUrl: 'https://service.example', env: {} })).toThrow(
    expect.objectContaining({ key: 'USAGE.noCredentialsFile' }),
  );
});

const person: Whose = {
  platform: 'linux',
  uid: 1000,
  agentUid: 1000,
  file: '/home/ann/keys.json',
  fileUid: 1000,
  option: '',
};
const service: Whose = { ...person, uid: 0, agentUid: 998 };

it.each([
  ['environment', person, false, { is: 'environment', isLinux: true }],
  ['environment', { ...person, platform: 'darwin' }, false, { is: 'environment', isLinux: false }],
  ['file', person, false, { is: 'file', file: '/home/ann/keys.json' }],
  ['file', { ...person, platform: 'win32', uid: null, agentUid: null }, false, { is: 'windowsFile' }],
  ['file', { ...service, fileUid: 0 }, true, { is: 'foreignFile' }],
  ['file', { ...service, fileUid: 998 }, false, { is: 'file' }],
  ['file', { ...service, agentUid: 0, fileUid: 0 }, false, { is: 'file' }],
  ['systemd', service, false, { is: 'systemd', isInMemory: false }],
  ['systemd', { ...service, isInRamfs: true }, false, { is: 'systemd', isInMemory: true }],
  ['keychain', person, false, { is: 'keychain' }],
  [
    'keychain',
    { ...service, option: ' --account branch' },
    true,
    { is: 'keychainAtBoot', store: 'systemd', option: ' --account branch' },
  ],
  ['keychain', { ...person, platform: 'darwin', uid: 501, agentUid: null }, false, { is: 'keychain' }],
  ['keychain', { ...person, platform: 'darwin', uid: 0, agentUid: 0 }, true, { store: 'file' }],
  ['keychain', { ...person, platform: 'win32', uid: null, agentUid: null }, false, { is: 'keychain' }],
] as const)('%s for %o: weak %s', (store, whose, isWeak, fact) => {
  expect(strengthOf(store, whose)).toMatchObject({ isWeak, fact });
});
