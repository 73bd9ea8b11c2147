/** The process that asks the keychain, and what it finds out. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { keychainAccount } from '../../../src/api/credentials/keychain.ts';
import { whyNothing } from '../../../src/api/credentials/secretService.ts';
import { credentials, pair } from './keychainPair.ts';
import { temporaryFolder } from './temporaryFolder.ts';

describe('the reason why a keychain returned no entry', () => {
  const ask = (answers: Record<string, string>) => async (file: string, args: readonly string[]) => {
    const found = answers[`${file} ${args.includes('Locked') ? 'Locked' : 'SearchItems'}`];
    if (found === undefined) throw new Error('not here');
    return found;
  };

  const OPEN = { kind: 'absent', isCertain: true };
  const UNKNOWN = { kind: 'absent', isCertain: false };
  const [NO_ENTRY, BY_GDBUS] = ['{"data":[[],[]]}', '(@ao [], @ao [])'];
  it.each<[string, Record<string, string>, object]>([
    ['the entry is locked', { 'busctl SearchItems': '{"data":[[],["/1"]]}' }, { kind: 'locked' }],
    [
      'all is locked',
      { 'busctl SearchItems': NO_ENTRY, 'busctl Locked': '{"data":true}' },
      { kind: 'locked' },
    ],
    ['it is open', { 'busctl SearchItems': NO_ENTRY, 'busctl Locked': '{"data":false}' }, OPEN],
    ['it has no default collection', { 'busctl SearchItems': NO_ENTRY }, OPEN],
    [
      'the entry is locked, says gdbus',
      { 'gdbus SearchItems': "(@ao [], [objectpath '/1'])\n" },
      { kind: 'locked' },
    ],
    [
      'all is locked, says gdbus',
      { 'gdbus SearchItems': BY_GDBUS, 'gdbus Locked': '(<true>,)' },
      { kind: 'locked' },
    ],
    ['it is open, says gdbus', { 'gdbus SearchItems': BY_GDBUS, 'gdbus Locked': '(<false>,)' }, OPEN],
    ['nobody can say', {}, UNKNOWN],
    ['something else is said', { 'gdbus SearchItems': 'hello' }, UNKNOWN],
  ])('%s', async (_how, answers, expected) => {
    expect(await whyNothing('account', 'linux', ask(answers))).toEqual(expected);
  });

  it('is a missing entry on macOS, where a locked keychain is a separate error', async () => {
    expect(await whyNothing('account', 'darwin', ask({}))).toEqual({ kind: 'absent', isCertain: true });
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
    ['crashes', `process.kill(process.pid, 'SIGSEGV')`, { why: 'noAnswer' }],
    ['talks nonsense', `console.log('very-secret')`, { why: 'noAnswer' }],
    ['answers another question', `console.log('{"kind":"set"}')`, { why: 'strangeAnswer' }],
    [
      'reports a failure',
      `console.log('{"kind":"failed","message":"No luck."}')`,
      { why: 'failed', detail: 'No luck' },
    ],
  ])('that %s means an unavailable keychain', async (_how, behaviour, params) => {
    const { path } = await spyHelper(behaviour);
    await expect(pair({ helperPath: path, env: {} }).source.get()).rejects.toMatchObject({
      code: 'KEYCHAIN_UNAVAILABLE',
      params,
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
