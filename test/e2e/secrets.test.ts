import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proxyServer } from '../api/proxy.ts';
import { drawReceipt } from '../support/images.ts';
import { OFFICE, prepare, until, type Site } from './support/agent.ts';
import { quickly, receiptd } from './support/commandLine.ts';

const SECRET = 'zQ7-recognisable-secret-"\\/+ä-91';
/** The part that is the same in every encoding. */
const PART = 'recognisable-secret';
/** Only the sandbox's tokens have 256 characters of base64url. */
const TOKEN = /[\w-]{200,}/;
const CLIENT = { clientId: 'e2e', clientSecret: SECRET };

const said: string[] = [];

async function command(site: Site, args: readonly string[], input = '', run = quickly): Promise<void> {
  const { stdout, stderr } = await run(site, [...args, '--config', site.config], { input });
  said.push(stdout, stderr);
}

/** Uses the binary, whose output includes warnings of the process. */
const byBinary = (site: Site, args: readonly string[], input = ''): Promise<void> =>
  command(site, args, input, receiptd);

/** Everything that the agent wrote, except the credentials file. */
async function written(site: Site): Promise<string[]> {
  const entries = await readdir(site.stateDir, { recursive: true });
  const texts: string[] = [];
  for (const entry of entries) {
    const path = join(site.stateDir, entry);
    if (entry !== 'credentials.json' && (await stat(path)).isFile())
      texts.push(await readFile(path, 'latin1'));
  }
  return texts;
}

function expectClean(texts: readonly string[]): void {
  for (const text of texts) {
    expect(text).not.toContain(PART);
    expect(text).not.toMatch(TOKEN);
  }
}

async function siteWithoutEnvironment(): Promise<Site> {
  const site = await prepare({}, { credentials: CLIENT });
  site.env = {};
  await site.writeConfig({
    folders: [{ path: site.file('inbox'), endpoint: 'office' }],
    log: { level: 'debug' },
  });
  said.splice(0);
  return site;
}

test('secret and token are in no output, log, ledger or process list; the secret is only in the private credentials file', async () => {
  const site = await siteWithoutEnvironment();
  await byBinary(site, ['login', '--store', 'file', '--client-id', 'e2e'], `${SECRET}\n`);
  const file = join(site.stateDir, 'credentials.json');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(CLIENT);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
  const agent = await site.start();
  await until(() => site.sandbox.received().length === 1);
  if (process.platform === 'linux') {
    said.push(await readFile(`/proc/${agent.pid}/cmdline`, 'utf8'));
    said.push(await readFile(`/proc/${agent.pid}/environ`, 'utf8'));
  }
  for (const args of [
    ['whoami', '--json'],
    ['check', '--json'],
    ['status', '--json'],
    ['list', '--json'],
    ['endpoint', 'create', 'Depot'],
    ['export', '--format', 'json'],
  ])
    await (args[0] === 'whoami' ? byBinary : command)(site, args);
  const { stdout, stderr } = await agent.stop();
  said.push(stdout, stderr);
  // Proves that the examined output is the relevant one.
  expect(said.join('')).toMatch(/"documentId":\d/);
  const texts = await written(site);
  expect(texts.join('')).toContain('receiptd has started');
  expect(texts.join('')).toContain(OFFICE);
  expectClean([...said, ...texts]);
});

test('secret and token are in no error about a wrong secret, a refused token or a service that repeats both', async () => {
  const site = await siteWithoutEnvironment();
  await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
  await command(site, ['login', '--store', 'file', '--client-id', 'e2e', '--no-verify'], `${SECRET}-wrong\n`);
  await byBinary(site, ['run', '--once', '--wait', '300ms']);
  for (const args of [['whoami'], ['check'], ['list'], ['status']]) await command(site, args);
  await command(site, ['login', '--store', 'file', '--client-id', 'e2e', '--no-verify'], `${SECRET}\n`);
  const token = 'T'.repeat(256);
  const issued = JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: 86_400 });
  const repeated = JSON.stringify({ error: `Bearer ${token}`, secret: SECRET, plain: token });
  site.sandbox.misbehave({ kind: 'status', route: 'token', status: 200, body: issued });
  for (const status of [401, 403]) {
    site.sandbox.misbehave(
      ...(['whoami', 'upload', 'createEndpoint'] as const).map((route) => ({
        kind: 'status' as const,
        route,
        status,
        body: repeated,
        times: 4,
      })),
    );
    for (const args of [
      ['whoami'],
      ['endpoint', 'create', 'x'],
      ['run', '--once', '--wait', '300ms'],
      ['list', '--json'],
      ['status', '--json'],
      ['retry', '--all'],
    ])
      await command(site, args);
  }
  expect(said.join('')).toContain('CREDENTIALS_REFUSED');
  expect(said.join('')).toContain('[redacted]');
  expectClean([...said, ...(await written(site))]);
});

test('the password of a proxy is in no output, log, ledger, spool or backup, in any encoding', async () => {
  const site = await siteWithoutEnvironment();
  const password = 'pw+of/the proxy~77';
  const proxy = await proxyServer({ login: `scan:${password}` });
  const wanted = `http://scan:${encodeURIComponent(password)}@${proxy.host}`;
  const forms = [
    password,
    encodeURIComponent(password),
    ...[password, `scan:${password}`, SECRET].map((text) => Buffer.from(text).toString('base64')),
  ];
  const service = { baseUrl: site.sandbox.url };
  const keys = {
    folders: [{ path: site.file('inbox'), endpoint: 'office' }],
    log: { level: 'debug' },
    spool: 'always',
  };
  await site.writeConfig({ ...keys, service: { ...service, proxy: wanted } });
  await command(site, ['login', '--store', 'file', '--client-id', 'e2e'], `${SECRET}\n`);
  // A proxy that repeats the request in its answer, as error pages do.
  const mirror = await proxyServer({ mirror: true });
  for (const address of [proxy.host, mirror.host, '127.0.0.1:1']) {
    await writeFile(site.file('inbox', `${address}.jpg`), await drawReceipt({ type: 'jpeg', seed: address }));
    await site.writeConfig({ ...keys, service: { ...service, proxy: wanted.replace(proxy.host, address) } });
    for (const args of [
      ['check'],
      ['whoami'],
      ['run', '--once', '--wait', '300ms'],
      ['status', '--json'],
      ['list'],
    ])
      await command(site, args);
  }
  for (const broken of [`${wanted}/path`, wanted.replace('http', 'socks5')]) {
    await site.writeConfig({ ...keys, service: { ...service, proxy: broken } });
    await command(site, ['check']);
    site.env = { HTTP_PROXY: broken };
    await site.writeConfig({ ...keys, service });
    await command(site, ['whoami']);
    site.env = {};
  }
  expect(site.sandbox.received()).toHaveLength(1);
  expect(mirror.seen.length).toBeGreaterThan(0);
  // The repeated request was shown without the password.
  expect(said.join('')).toMatch(/proxy-authorization.{1,12}(?:Basic )?\[redacted\]/);
  expect(said.join('')).toContain('[CONFIG_INVALID]');
  expect(said.join('')).toContain(`The proxy 127.0.0.1:1 refused the connection`);
  const texts = [...said, ...(await written(site))];
  for (const text of texts) for (const form of forms) expect(text).not.toContain(form);
  expectClean(texts);
});
