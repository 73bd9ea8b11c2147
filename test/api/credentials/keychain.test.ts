import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { keychainAccount } from '../../../src/api/credentials/keychain.ts';
import { whyNothing } from '../../../src/api/credentials/secretService.ts';
import type { CredentialsOptions } from '../../../src/api/credentials/source.ts';
import { createCredentialsSource, createWritableCredentials } from '../../../src/api/credentials/source.ts';
import type { CredentialsPair } from '../../contract/credentials.ts';
import { credentialsContract } from '../../contract/credentials.ts';
import { requirement } from '../../support/requires.ts';
import { compiledHelper } from './compiledHelper.ts';
import {
  keytarIsHere,
  secretService,
  secretServiceIsHere,
  secretToolIsHere,
  sessionWithoutKeyring,
  sharedSecretService,
} from './secretService.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const baseUrl = 'https://service.example/api';
const credentials = { clientId: 'id', clientSecret: 'very-secret' };

/** Starting a process can be slow on a busy machine. */
const PATIENT_MS = 60_000;

function pair(options: Omit<CredentialsOptions, 'baseUrl'> & { baseUrl?: string }): CredentialsPair {
  const all = { baseUrl, limitMs: PATIENT_MS, ...options };
  return {
    source: createCredentialsSource({ ...all, store: 'keychain' }),
    writable: createWritableCredentials('keychain', all),
  };
}

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
      const source = createCredentialsSource({ ...options, store: 'auto' });
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

  it('that does not respond times out after 3 seconds', async () => {
    const { env, freeze } = await secretService();
    const source = createCredentialsSource({ baseUrl, helperPath: helper.path, env, store: 'keychain' });
    freeze();
    const start = performance.now();
    await expect(source.get()).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
      message: 'The keychain gave no answer within 3 s.',
    });
    expect(performance.now() - start).toBeGreaterThan(2900);
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

describe('the reason why a keychain returned no entry', () => {
  const ask = (answers: Record<string, string>) => async (file: string, args: readonly string[]) => {
    const found = answers[`${file} ${args.includes('Locked') ? 'Locked' : 'SearchItems'}`];
    if (found === undefined) throw new Error('not here');
    return found;
  };

  it.each([
    ['the entry is locked', { 'busctl SearchItems': '{"data":[[],["/1"]]}' }, { kind: 'locked' }],
    [
      'all is locked',
      { 'busctl SearchItems': '{"data":[[],[]]}', 'busctl Locked': '{"data":true}' },
      { kind: 'locked' },
    ],
    [
      'it is open',
      { 'busctl SearchItems': '{"data":[[],[]]}', 'busctl Locked': '{"data":false}' },
      { kind: 'absent', isCertain: true },
    ],
    [
      'it has no default collection',
      { 'busctl SearchItems': '{"data":[[],[]]}' },
      { kind: 'absent', isCertain: true },
    ],
    [
      'the entry is locked, says gdbus',
      { 'gdbus SearchItems': "(@ao [], [objectpath '/1'])\n" },
      { kind: 'locked' },
    ],
    [
      'all is locked, says gdbus',
      { 'gdbus SearchItems': '(@ao [], @ao [])', 'gdbus Locked': '(<true>,)' },
      { kind: 'locked' },
    ],
    [
      'it is open, says gdbus',
      { 'gdbus SearchItems': '(@ao [], @ao [])', 'gdbus Locked': '(<false>,)' },
      { kind: 'absent', isCertain: true },
    ],
    ['nobody can say', {}, { kind: 'absent', isCertain: false }],
    ['something else is said', { 'gdbus SearchItems': 'hello' }, { kind: 'absent', isCertain: false }],
  ])('%s', async (_how, answers, expected) => {
    expect(await whyNothing('account', 'linux', ask(answers))).toEqual(expected);
  });

  it('is a missing entry on macOS, where a locked keychain is a separate error', async () => {
    expect(await whyNothing('account', 'darwin', ask({}))).toEqual({ kind: 'absent', isCertain: true });
  });
});

it('reports a missing keytar', async () => {
  const folder = await temporaryFolder();
  const path = await copyHelper(folder);
  const env = { PATH: await temporaryFolder() };
  await expect(pair({ helperPath: path, env }).source.get()).rejects.toMatchObject({
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

  it('is killed on timeout', async () => {
    const spy = await spyHelper(hang);
    // A busy machine may not have begun to run it within the first of them.
    for (const limitMs of [1000, 10_000, 60_000]) {
      await expect(pair({ helperPath: spy.path, env: {}, limitMs }).source.get()).rejects.toThrow(
        `within ${limitMs / 1000} s`,
      );
      if (existsSync(spy.seen)) break;
    }
    const { pid } = JSON.parse(await readFile(spy.seen, 'utf8'));
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
  });

  it("is killed when the caller aborts, with the caller's reason", async () => {
    const spy = await spyHelper(hang);
    const abort = new AbortController();
    const reason = new Error('stop');
    const rejected = pair({ helperPath: spy.path, env: {} })
      .source.get(abort.signal)
      .catch((error: unknown) => error);
    const { pid } = await vi.waitFor(async () => JSON.parse(await readFile(spy.seen, 'utf8')), {
      timeout: 60_000,
    });
    abort.abort(reason);
    expect(await rejected).toBe(reason);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 60_000 });
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

  it('treats an entry in another format as missing, and does not quote it', async () => {
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
])('the entry for %s is %s', (url, account) => {
  expect(keychainAccount(url)).toBe(account);
  expect(keychainAccount(url, 'branch')).toBe(`${account}#branch`);
});
