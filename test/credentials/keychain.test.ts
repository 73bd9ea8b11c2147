import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { keychainAccount } from '../../src/credentials/keychain.ts';
import type { CredentialsOptions } from '../../src/credentials/source.ts';
import { createCredentialsSource, createWritableCredentials } from '../../src/credentials/source.ts';
import type { CredentialsPair } from '../contract/credentials.ts';
import { credentialsContract } from '../contract/credentials.ts';
import { requirement } from '../support/requires.ts';
import { compiledHelper } from './compiledHelper.ts';
import { keytarIsHere, secretService, secretServiceIsHere } from './secretService.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const baseUrl = 'https://service.example/api';
const credentials = { clientId: 'id', clientSecret: 'very-secret' };

function pair(options: Omit<CredentialsOptions, 'baseUrl'>): CredentialsPair {
  const all = { baseUrl, ...options };
  return {
    source: createCredentialsSource({ ...all, store: 'keychain' }),
    writable: createWritableCredentials('keychain', all),
  };
}

let helper: Awaited<ReturnType<typeof compiledHelper>>;
beforeAll(async () => {
  helper = await compiledHelper();
});

const keyringIsHere =
  requirement('keytar', keytarIsHere(), 'apt install libsecret-1-dev, then npm ci') &&
  requirement('a Secret Service', secretServiceIsHere(), 'apt install gnome-keyring dbus');

describe.skipIf(!keyringIsHere)('the keychain', () => {
  describe('that is unlocked', () => {
    credentialsContract(async () => pair({ helperPath: helper.path, env: (await secretService()).env }));

    it('keeps one entry for each service', async () => {
      const { env } = await secretService();
      const options = { helperPath: helper.path, env };
      await pair(options).writable.set(credentials);
      const other = createCredentialsSource({
        ...options,
        baseUrl: 'https://other.example',
        store: 'keychain',
      });
      await expect(other.get()).rejects.toThrow(
        'no entry "receiptd, https://other.example", or it is locked',
      );
      const withSlash = createCredentialsSource({ ...options, baseUrl: `${baseUrl}/`, store: 'keychain' });
      expect(await withSlash.get()).toMatchObject(credentials);
    });

    it('is what auto comes to last', async () => {
      const { env } = await secretService();
      const options = { helperPath: helper.path, env, baseUrl };
      await pair(options).writable.set(credentials);
      const source = createCredentialsSource({ ...options, store: 'auto' });
      expect(await source.get()).toEqual({ ...credentials, store: 'keychain' });
    });
  });

  it('that is locked says "absent or locked", and refuses to be written', async () => {
    const { env, lock } = await secretService();
    const { source, writable } = pair({ helperPath: helper.path, env });
    await writable.set(credentials);
    await lock();
    const failed = source.get();
    await expect(failed).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    await expect(failed).rejects.toThrow('or it is locked');
    await expect(writable.set(credentials)).rejects.toMatchObject({ code: 'KEYCHAIN_UNAVAILABLE' });
  });

  it('that is frozen is given up after 3 seconds', async () => {
    const { env, freeze } = await secretService();
    const { source } = pair({ helperPath: helper.path, env });
    freeze();
    const start = performance.now();
    await expect(source.get()).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
      message: 'The keychain gave no answer within 3 s.',
    });
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('without a D-Bus session is unavailable, in words', async () => {
    const folder = await temporaryFolder();
    const env = { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: folder };
    const { source, writable } = pair({ helperPath: helper.path, env });
    for (const call of [() => source.get(), () => writable.set(credentials), () => writable.remove()]) {
      await expect(call()).rejects.toMatchObject({
        code: 'KEYCHAIN_UNAVAILABLE',
        message: expect.stringContaining('D-Bus'),
      });
    }
  });
});

it('the helper lies beside the compiled code', async () => {
  const compiled: { createCredentialsSource: typeof createCredentialsSource } = await import(
    helper.sourcePath
  );
  const failed = compiled.createCredentialsSource({ store: 'keychain', baseUrl, env: {} }).get();
  await expect(failed).rejects.toThrow(/D-Bus|keytar is missing|or it is locked/);
});

it('without keytar says so', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'keychainHelper.js');
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await copyFile(helper.path, path);
  await copyFile(helper.path.replace('Helper', 'Protocol'), path.replace('Helper', 'Protocol'));
  await expect(pair({ helperPath: path, env: {} }).source.get()).rejects.toMatchObject({
    code: 'KEYCHAIN_UNAVAILABLE',
    message: expect.stringContaining('keytar is missing'),
  });
});

describe('the helper process', () => {
  /** Writes what it can see of itself to a file, and then behaves as told. */
  async function spyHelper(behaviour: string): Promise<{ path: string; seen: string }> {
    const folder = await temporaryFolder();
    const seen = join(folder, 'seen.json');
    const path = join(folder, 'spy.mjs');
    await mkdir(folder, { recursive: true });
    await writeFile(
      path,
      `import { renameSync, writeFileSync } from 'node:fs';
       import { text } from 'node:stream/consumers';
       const stdin = await text(process.stdin);
       const { argv, execArgv, env, pid } = process;
       writeFileSync('${seen}.new', JSON.stringify({ argv, execArgv, env, pid, stdin }));
       renameSync('${seen}.new', '${seen}');
       ${behaviour}`,
    );
    return { path, seen };
  }
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const hang = 'setInterval(() => {}, 1000);';

  it('gets the secret over stdin, and neither in its arguments nor in its environment', async () => {
    const spy = await spyHelper(`console.log('{"kind":"set"}')`);
    const env = {
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
      LC_ALL: 'C.UTF-8',
      RECEIPTD_CLIENT_SECRET: 'very-secret',
      RECEIPTD_CLIENT_ID: 'id',
      HTTPS_PROXY: 'http://me:very-secret@proxy',
      https_proxy: 'http://me:very-secret@proxy',
      SOMEBODY_ELSES_KEY: 'very-secret',
      NODE_OPTIONS: '--no-warnings',
    };
    await pair({ helperPath: spy.path, env }).writable.set(credentials);
    const { stdin, ...visible } = JSON.parse(await readFile(spy.seen, 'utf8'));
    expect(stdin).toContain('very-secret');
    expect(JSON.stringify(visible)).not.toContain('very-secret');
    expect(Object.keys(visible.env).sort()).toEqual(['DBUS_SESSION_BUS_ADDRESS', 'LC_ALL']);
  });

  it('is killed when it takes too long', async () => {
    const spy = await spyHelper(hang);
    await expect(pair({ helperPath: spy.path, env: {}, limitMs: 1000 }).source.get()).rejects.toThrow(
      'within 1 s',
    );
    const { pid } = JSON.parse(await readFile(spy.seen, 'utf8'));
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5000 });
  });

  it("is killed when the caller aborts, with the caller's reason", async () => {
    const spy = await spyHelper(hang);
    const abort = new AbortController();
    const reason = new Error('stop');
    const rejected = pair({ helperPath: spy.path, env: {} })
      .source.get(abort.signal)
      .catch((error: unknown) => error);
    const { pid } = await vi.waitFor(async () => JSON.parse(await readFile(spy.seen, 'utf8')), {
      timeout: 2500,
    });
    abort.abort(reason);
    expect(await rejected).toBe(reason);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5000 });
  });

  it.each([
    ['crashes', `process.kill(process.pid, 'SIGSEGV')`, 'helper ended without an answer'],
    ['talks nonsense', `console.log('very-secret')`, 'helper ended without an answer'],
    ['answers another question', `console.log('{"kind":"set"}')`, 'helper answered something else'],
    ['reports a failure', `console.log('{"kind":"failed","message":"No luck."}')`, 'failed: No luck'],
  ])('that %s means an unavailable keychain', async (_how, behaviour, words) => {
    const { path } = await spyHelper(behaviour);
    await expect(pair({ helperPath: path, env: {} }).source.get()).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
      message: `The keychain ${words}.`,
    });
  });

  it('whose entry is not ours counts as missing, and is not quoted', async () => {
    const { path } = await spyHelper(`console.log('{"kind":"got","secret":"very-secret"}')`);
    const failed = pair({ helperPath: path, env: {} }).source.get();
    await expect(failed).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    await expect(failed).rejects.not.toThrow('very-secret');
  });
});

it.each([
  ['https://service.example', 'https://service.example'],
  ['https://service.example/', 'https://service.example'],
  ['https://SERVICE.example:443/api/', 'https://service.example/api'],
  ['http://127.0.0.1:8080/a/b', 'http://127.0.0.1:8080/a/b'],
])('the entry for %s is %s', (url, account) => expect(keychainAccount(url)).toBe(account));
