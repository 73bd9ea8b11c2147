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
  it('tries environment, systemd and file, in this order', async () => {
    const options = await machine();
    expect(await auto(options).get()).toEqual({
      clientId: 'id',
      clientSecret: 'from-environment',
      store: 'environment',
    });

    const env = { CREDENTIALS_DIRECTORY: options.folder };
    expect(await auto({ ...options, env }).get()).toMatchObject({
      clientSecret: 'from-systemd',
      store: 'systemd',
    });
    expect(await auto({ ...options, env: {} }).get()).toMatchObject({
      clientSecret: 'from-file',
      store: 'file',
    });
  });

  it('names every store that it tried, why it failed, and the remedy', async () => {
    const options = await machine();
    const failed = auto({ ...options, env: { RECEIPTD_CLIENT_ID: 'id' }, file: '/no/such/file' }).get();
    await expect(failed).rejects.toMatchObject({
      code: 'CREDENTIALS_MISSING',
      message:
        'No credentials for the service; looked in: the environment (no RECEIPTD_CLIENT_SECRET); ' +
        "systemd's credentials (no CREDENTIALS_DIRECTORY); /no/such/file (no such file); " +
        'the keychain (helper ended without an answer).',
      hint: 'Store them with: receiptd login',
    });
  });

  it.each([
    ['is locked', 'process.stdout.write(\'{"kind":"locked"}\')', 'KEYCHAIN_LOCKED'],
    ['hangs', 'setInterval(() => {}, 1000)', 'KEYCHAIN_UNAVAILABLE'],
  ])('a keychain that %s may hold them: that is what is told', async (_how, helper, code) => {
    const options = await machine();
    await writeFile(join(options.folder, 'helper.mjs'), helper);
    // A hanging store never answers; one that answers gets the usual time.
    const limit = code === 'KEYCHAIN_LOCKED' ? {} : { limitMs: 200 };
    const failed = auto({ ...options, ...limit, env: {}, file: '/no/such/file' }).get();
    await expect(failed).rejects.toMatchObject({
      code,
      message: expect.stringContaining('and no other store has credentials; looked in: ') as string,
      hint: expect.stringContaining('receiptd login --store file') as string,
    });
  });

  it('stops at a file that other users can read', async () => {
    const options = await machine();
    await writeFile(join(options.folder, 'open.json'), '{}', { mode: 0o644 });
    await expect(
      auto({ ...options, env: {}, file: join(options.folder, 'open.json') }).get(),
    ).rejects.toMatchObject({ code: 'CREDENTIALS_INSECURE' });
  });

  it('reads the stores each time, so that rotation needs no restart', async () => {
    const options = await machine();
    const source = auto({ ...options, env: { CREDENTIALS_DIRECTORY: options.folder } });
    await source.get();
    await writeFile(join(options.folder, 'client_secret'), 'rotated');
    expect(await source.get()).toMatchObject({ clientSecret: 'rotated' });
  });

  it("ends with the caller's reason when it is aborted", async () => {
    const reason = new Error('stop');
    await expect(auto(await machine()).get(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('a store by name', () => {
  it.each<CredentialStore>(['environment', 'systemd', 'file'])('%s alone is asked', async (store) => {
    expect(await createCredentialsSource({ ...(await machine()), store }).get()).toMatchObject({
      clientSecret: `from-${store}`,
      store,
    });
  });

  it('reports a broken keychain', async () => {
    await expect(
      createCredentialsSource({ ...(await machine()), store: 'keychain' }).get(),
    ).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
      message: 'The keychain helper ended without an answer.',
    });
  });

  it.each([
    [{ RECEIPTD_CLIENT_ID: 'id', RECEIPTD_CLIENT_SECRET: ' ' }, 'no RECEIPTD_CLIENT_SECRET'],
    [{}, 'no RECEIPTD_CLIENT_ID, no RECEIPTD_CLIENT_SECRET'],
  ])('an environment of %j lacks something', async (env, words) => {
    await expect(
      createCredentialsSource({ ...(await machine()), env, store: 'environment' }).get(),
    ).rejects.toThrow(words);
  });

  it('trims white space around both values', async () => {
    const env = { RECEIPTD_CLIENT_ID: ' id\n', RECEIPTD_CLIENT_SECRET: '\tse cret\r\n' };
    expect(
      await createCredentialsSource({ ...(await machine()), env, store: 'environment' }).get(),
    ).toMatchObject({
      clientId: 'id',
      clientSecret: 'se cret',
    });
  });

  it.each([
    ['x'.repeat(5000), 'its client secret has more than 4096 characters'],
    ['a\u0000b', 'its client secret holds control characters'],
  ])('refuses an invalid secret', async (secret, words) => {
    const options = await machine();
    const env = { RECEIPTD_CLIENT_ID: 'id', RECEIPTD_CLIENT_SECRET: secret };
    const file = join(options.folder, 'other.json');
    await writeFile(file, JSON.stringify({ clientId: 'id', clientSecret: secret }), { mode: 0o600 });
    await writeFile(join(options.folder, 'client_secret'), secret);
    for (const store of ['environment', 'systemd', 'file'] as const) {
      const from = { ...options, file, store, env: { ...options.env, ...env } };
      await expect(createCredentialsSource(from).get()).rejects.toMatchObject({
        code: 'CREDENTIALS_MISSING',
        message: expect.stringContaining(words) as string,
      });
    }
  });

  it('reports the missing file in a systemd directory', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'client_id'), 'id');
    const env = { CREDENTIALS_DIRECTORY: folder };
    await expect(
      createCredentialsSource({ ...(await machine()), env, store: 'systemd' }).get(),
    ).rejects.toThrow(`client_id or client_secret in ${folder}: ENOENT`);
  });
});

it('refuses to write if no credentials file is configured', async () => {
  expect(() => createWritableCredentials('file', { baseUrl: 'https://service.example', env: {} })).toThrow(
    'No credentials file is configured.',
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
