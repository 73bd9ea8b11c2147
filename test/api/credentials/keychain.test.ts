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

/** A copy of the helper in a folder where it finds no keytar. */
async function copyHelper(folder: string): Promise<string> {
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of ['keychainHelper.js', 'keychainProtocol.js', 'secretService.js', 'secretTool.js'])
    await copyFile(join(dirname(helper.path), name), join(folder, name));
  return join(folder, 'keychainHelper.js');
}

const secretTool = requirement('secret-tool', secretToolIsHere(), 'apt install libsecret-tools');
const withoutKeytar = async () => copyHelper(await temporaryFolder());

/** Neither locked nor frozen by any test; each has names of its own in it. */
let shared: Awaited<ReturnType<typeof sharedSecretService>>;
beforeAll(async () => {
  if (keyringIsHere) shared = await sharedSecretService();
});
afterAll(() => shared?.end());

describe.skipIf(!keyringIsHere)('the keychain', () => {
  describe('that is unlocked', () => {
    credentialsContract(async () => pair({ helperPath: helper.path, env: shared.env, baseUrl: unusedUrl() }));

    it('keeps one entry for each service and account, and is what auto comes to last', async () => {
      const { env } = shared;
      const url = unusedUrl();
      const options = { helperPath: helper.path, env, baseUrl: url };
      await pair(options).writable.set(credentials);
      const auto = createCredentialsSource({ ...options, store: 'auto', limitMs: 60_000 });
      expect(await auto.get()).toEqual({ ...credentials, store: 'keychain' });
      const branch = pair({ ...options, account: 'branch' });
      await expect(branch.source.get()).rejects.toMatchObject({
        key: 'CREDENTIALS_MISSING.lookedIn',
        params: { account: 'branch', looked: [{ why: { entry: `receiptd, ${url}#branch` } }] },
      });
      await branch.writable.set({ clientId: 'b', clientSecret: 'branch-secret' });
      expect(await pair(options).source.get()).toMatchObject(credentials);
      expect(await branch.source.get()).toMatchObject({ clientId: 'b', clientSecret: 'branch-secret' });
    });
  });

  describe('in a session of its own', () => {
    let own: typeof shared;
    beforeAll(async () => {
      own = await sharedSecretService();
    });
    afterAll(() => own?.end());

    it('that is locked is reported as locked, with or without an entry, and refuses every change', async () => {
      const { env, lock } = own;
      const options = { helperPath: helper.path, env };
      const { source, writable } = pair(options);
      const untold = pair({ ...options, env: { ...env, PATH: await temporaryFolder() } });
      // No tool can tell whether it is empty or locked.
      const uncertain = {
        code: 'CREDENTIALS_MISSING',
        params: { looked: [{ why: { why: 'noEntry', isCertain: false } }] },
      };
      await expect(untold.source.get()).rejects.toMatchObject(uncertain);
      await writable.set(credentials);
      await lock();
      const other = pair({ ...options, account: 'branch' });
      const calls = [
        () => source.get(),
        () => other.source.get(),
        () => writable.set(credentials),
        () => writable.remove(),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ key: 'KEYCHAIN_LOCKED.locked' });
      const auto = createCredentialsSource({ ...options, baseUrl, store: 'auto' });
      await expect(auto.get()).rejects.toMatchObject({ key: 'KEYCHAIN_LOCKED.onlyHope' });
      await expect(untold.writable.remove()).rejects.toMatchObject({ params: { why: 'noSuchEntry' } });
    });

    it.skipIf(!secretTool)('that is locked is reported as locked through secret-tool as well', async () => {
      const { source, writable } = pair({ helperPath: await withoutKeytar(), env: own.env });
      await own.lock();
      for (const call of [() => source.get(), () => writable.set(credentials)])
        await expect(call()).rejects.toMatchObject({ code: 'KEYCHAIN_LOCKED' });
    });

    it('that does not respond times out', async () => {
      own.freeze();
      const asked = { env: own.env, limitMs: 500 };
      for (const helperPath of [helper.path, ...(secretTool ? [await withoutKeytar()] : [])])
        await expect(pair({ ...asked, helperPath }).source.get()).rejects.toMatchObject({
          code: 'KEYCHAIN_UNAVAILABLE',
          params: { why: 'late', seconds: 0.5 },
        });
    });
  });

  it('is reported as unavailable without a D-Bus session', async () => {
    const folder = await temporaryFolder();
    const env = { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: folder };
    const { source, writable } = pair({ helperPath: helper.path, env });
    const byTool = pair({ helperPath: await withoutKeytar(), env });
    const calls: (() => Promise<unknown>)[] = [
      () => source.get(),
      () => writable.set(credentials),
      () => writable.remove(),
    ];
    if (secretTool) calls.push(() => byTool.source.get());
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({
        code: 'KEYCHAIN_UNAVAILABLE',
        params: { why: 'noSession' },
      });
  });

  it('is reported as missing without a keyring in the session', async () => {
    const env = await sessionWithoutKeyring();
    const { source } = pair({ helperPath: helper.path, env });
    await expect(source.get()).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
      params: { why: 'noKeyring' },
    });
  });
});

it('the helper is next to the compiled code', async () => {
  const compiled: { createCredentialsSource: typeof createCredentialsSource } = await import(
    helper.sourcePath
  );
  const failed = compiled.createCredentialsSource({ store: 'keychain', baseUrl, env: {} }).get();
  await expect(failed).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:KEYCHAIN_UNAVAILABLE|CREDENTIALS_MISSING)$/),
  });
});

describe.skipIf(!keyringIsHere || !secretTool)('the keychain without keytar, through secret-tool', () => {
  it('reads, replaces and removes what keytar wrote, and keytar reads what it wrote', async () => {
    const options = { env: shared.env, baseUrl: unusedUrl() };
    const byKeytar = pair({ helperPath: helper.path, ...options });
    const byTool = pair({ helperPath: await withoutKeytar(), ...options });
    const other = { clientId: 'other', clientSecret: 'sécret "2" 🧾' };
    await byKeytar.writable.set(credentials);
    expect(await byTool.source.get()).toMatchObject(credentials);
    await byTool.writable.set(other);
    expect(await byKeytar.source.get()).toMatchObject(other);
    expect(await byTool.writable.remove()).toBe(true);
    expect(await byTool.writable.remove()).toBe(false);
    for (const { source } of [byTool, byKeytar])
      await expect(source.get()).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
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
    params: { why: 'notInstalled' },
  });
});
