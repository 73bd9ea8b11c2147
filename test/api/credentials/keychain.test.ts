import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredentialsSource } from '../../../src/api/credentials/source.ts';
import { credentialsContract } from '../../contract/credentials.ts';
import { asOrdinaryUser } from '../../support/ordinaryUser.ts';
import { requirement } from '../../support/requires.ts';
import { compiledHelper } from './compiledHelper.ts';
import { baseUrl, credentials, pair } from './keychainPair.ts';
import {
  keytarIsHere,
  secretService,
  secretServiceIsHere,
  secretToolIsHere,
  sessionWithoutKeyring,
  sharedSecretService,
} from './secretService.ts';
import { temporaryFolder } from './temporaryFolder.ts';

let helper: Awaited<ReturnType<typeof compiledHelper>>;
beforeAll(async () => {
  helper = await compiledHelper();
});

/** Where nothing is stored yet: a service that no other test asks for, in the keyring that they share. */
let services = 0;
const unusedUrl = (): string => `${baseUrl}/${(services += 1)}`;

const keyringIsHere =
  requirement('keytar', keytarIsHere(), 'npm ci with optional dependencies, and apt install libsecret-1-0') &&
  requirement('a Secret Service', secretServiceIsHere(), 'apt install gnome-keyring dbus');

/** Neither locked nor frozen by any test. */
let shared: Awaited<ReturnType<typeof sharedSecretService>>;
beforeAll(async () => {
  if (keyringIsHere) shared = await sharedSecretService();
});
afterAll(() => shared?.end());

describe.skipIf(!keyringIsHere)('the keychain', () => {
  describe('that is unlocked', () => {
    credentialsContract(async () => pair({ helperPath: helper.path, env: shared.env, baseUrl: unusedUrl() }));

    it('keeps one entry for each service', async () => {
      const { env } = shared;
      const options = { helperPath: helper.path, env };
      await pair(options).writable.set(credentials);
      const other = createCredentialsSource({
        ...options,
        baseUrl: 'https://other.example',
        store: 'keychain',
      });
      await expect(other.get()).rejects.toThrow('no entry "receiptd, https://other.example").');
      const withSlash = createCredentialsSource({ ...options, baseUrl: `${baseUrl}/`, store: 'keychain' });
      expect(await withSlash.get()).toMatchObject(credentials);
    });

    it('is what auto comes to last', async () => {
      const { env } = shared;
      const options = { helperPath: helper.path, env, baseUrl: unusedUrl() };
      await pair(options).writable.set(credentials);
      const source = createCredentialsSource({ ...options, store: 'auto', limitMs: 60_000 });
      expect(await source.get()).toEqual({ ...credentials, store: 'keychain' });
    });
  });

  it('that is locked is reported as locked, with or without an entry, and refuses every change', async () => {
    const { env, lock } = await secretService();
    const options = { helperPath: helper.path, env };
    const { source, writable } = pair(options);
    await writable.set(credentials);
    await lock();
    const other = pair({ ...options, account: 'branch' });
    const calls = [
      () => source.get(),
      () => other.source.get(),
      () => writable.set(credentials),
      () => writable.remove(),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({
        code: 'KEYCHAIN_LOCKED',
        message: 'The keychain is locked.',
      });
    const auto = createCredentialsSource({ ...options, baseUrl, store: 'auto' });
    await expect(auto.get()).rejects.toThrow('The keychain is locked, and no other store has credentials');
  });

  it('is reported as empty or locked if no tool can tell which', async () => {
    const { env, lock } = await secretService();
    const bin = await temporaryFolder();
    const { source, writable } = pair({ helperPath: helper.path, env: { ...env, PATH: bin } });
    await expect(source.get()).rejects.toThrow('or it is locked');
    await writable.set(credentials);
    await lock();
    await expect(source.get()).rejects.toThrow('or it is locked');
    await expect(writable.remove()).rejects.toThrow('has no such entry, or is locked');
  });

  it('keeps an entry for each account', async () => {
    const { env } = shared;
    const url = unusedUrl();
    const options = { helperPath: helper.path, env, baseUrl: url };
    await pair(options).writable.set(credentials);
    const branch = pair({ ...options, account: 'branch' });
    await expect(branch.source.get()).rejects.toThrow(
      `No credentials of account branch for the service; looked in: the keychain (no entry "receiptd, ${url}#branch").`,
    );
    await branch.writable.set({ clientId: 'b', clientSecret: 'branch-secret' });
    expect(await pair(options).source.get()).toMatchObject(credentials);
    expect(await branch.source.get()).toMatchObject({ clientId: 'b', clientSecret: 'branch-secret' });
    expect(await branch.writable.remove()).toBe(true);
    expect(await pair(options).source.get()).toMatchObject(credentials);
  });

  it('that does not respond times out', async () => {
    const { env, freeze } = await secretService();
    const source = createCredentialsSource({
      baseUrl,
      helperPath: helper.path,
      env,
      limitMs: 500,
      store: 'keychain',
    });
    freeze();
    await expect(source.get()).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
      message: 'The keychain gave no answer within 0.5 s.',
    });
  });

  it('is reported as unavailable without a D-Bus session', async () => {
    const folder = await temporaryFolder();
    const env = { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: folder };
    const { source, writable } = pair({ helperPath: helper.path, env });
    for (const call of [() => source.get(), () => writable.set(credentials), () => writable.remove()]) {
      await expect(call()).rejects.toMatchObject({
        code: 'KEYCHAIN_UNAVAILABLE',
        message: expect.stringContaining('is not available: this user has no D-Bus session'),
      });
    }
  });

  it('is reported as missing without a keyring in the session', async () => {
    const env = await sessionWithoutKeyring();
    const { source } = pair({ helperPath: helper.path, env });
    await expect(source.get()).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
      message: expect.stringContaining('is not available: no keyring answers in this session'),
    });
  });
});

it('the helper is next to the compiled code', async () => {
  const compiled: { createCredentialsSource: typeof createCredentialsSource } = await import(
    helper.sourcePath
  );
  const failed = compiled.createCredentialsSource({ store: 'keychain', baseUrl, env: {} }).get();
  await expect(failed).rejects.toThrow(/D-Bus|keytar is missing|or it is locked/);
});

/** A copy of the helper in a folder where it finds no keytar. */
async function copyHelper(folder: string): Promise<string> {
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of ['keychainHelper.js', 'keychainProtocol.js', 'secretService.js', 'secretTool.js'])
    await copyFile(join(dirname(helper.path), name), join(folder, name));
  return join(folder, 'keychainHelper.js');
}

const secretTool = requirement('secret-tool', secretToolIsHere(), 'apt install libsecret-tools');

describe.skipIf(!keyringIsHere || !secretTool)('the keychain without keytar, through secret-tool', () => {
  const without = async () => copyHelper(await temporaryFolder());

  credentialsContract(async () =>
    pair({ helperPath: await without(), env: shared.env, baseUrl: unusedUrl() }),
  );

  it('reads and replaces what keytar wrote, and keytar what it wrote', async () => {
    const { env } = shared;
    const url = unusedUrl();
    const byKeytar = pair({ helperPath: helper.path, env, baseUrl: url });
    const byTool = pair({ helperPath: await without(), env, baseUrl: url });
    const other = { clientId: 'other', clientSecret: 'sécret "2" 🧾' };
    await byKeytar.writable.set(credentials);
    expect(await byTool.source.get()).toMatchObject(credentials);
    await byTool.writable.set(other);
    expect(await byKeytar.source.get()).toMatchObject(other);
    await byKeytar.writable.set(credentials);
    expect(await byTool.source.get()).toMatchObject(credentials);
    expect(await byTool.writable.remove()).toBe(true);
    await expect(byKeytar.source.get()).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
  });

  it('reports a locked, unresponsive or unreachable keychain', async () => {
    const { env, lock, freeze } = await secretService();
    const helperPath = await without();
    const { source, writable } = pair({ helperPath, env });
    await writable.set(credentials);
    await lock();
    for (const call of [() => source.get(), () => writable.set(credentials), () => writable.remove()])
      await expect(call()).rejects.toMatchObject({ code: 'KEYCHAIN_LOCKED' });
    freeze();
    await expect(pair({ helperPath, env, limitMs: 1000 }).source.get()).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
    });
    const nowhere = { PATH: process.env['PATH'], HOME: '/nonexistent' };
    await expect(pair({ helperPath: await without(), env: nowhere }).source.get()).rejects.toThrow('D-Bus');
  });
});

it.each([0o755, 0o000])('reports a missing keytar, with a directory in PATH of mode %o', async (mode) => {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const path = await copyHelper(folder);
  const PATH = join(folder, 'bin');
  await mkdir(PATH, { mode });
  const asked = asOrdinaryUser(() => pair({ helperPath: path, env: { PATH } }).source.get());
  await expect(asked).rejects.toMatchObject({
    code: 'KEYCHAIN_UNAVAILABLE',
    message: expect.stringContaining('keytar is missing'),
  });
});
