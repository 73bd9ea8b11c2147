import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { keytarIsHere, secretService, secretServiceIsHere } from '../api/credentials/secretService.ts';
import { requirement } from '../support/requires.ts';
import { MAIN, Running, prepare, until, type Site } from './support/agent.ts';
import { quickly, receiptd } from './support/commandLine.ts';
import { cliTextsIn } from '../../src/texts/cli.ts';

const { login: words } = await cliTextsIn('en', String);

const SECRET = 'e2e-secret';

const keychain =
  requirement('A Secret Service', secretServiceIsHere(), 'scripts/install-test-parts.sh') &&
  requirement('keytar', keytarIsHere(), 'npm ci with optional dependencies');

async function siteWithoutCredentials(): Promise<Site> {
  const site = await prepare();
  site.env = {};
  return site;
}

test.skipIf(!keychain)(
  '`login` stores the credentials in the keychain, `whoami` finds them there, and `logout` removes them',
  async () => {
    const site = await siteWithoutCredentials();
    const { env } = await secretService();
    const how = { env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value ?? ''])) };
    const config = ['--config', site.config];
    expect(await quickly(site, ['whoami', ...config], how)).toBeRefused(1, 'CREDENTIALS_MISSING', 'keychain');

    const login = await receiptd(site, ['login', '--client-id', 'e2e', ...config], {
      ...how,
      input: `${SECRET}\n`,
    });
    expect(login).toMatchObject({ status: 0, stderr: '' });
    const here = { account: null, store: 'keychain' };
    expect(login.stdout).toContain(words.saved({ ...here, baseUrl: site.sandbox.url }));
    const whoami = await quickly(site, ['whoami', '--json', ...config], how);
    expect(JSON.parse(whoami.stdout)).toMatchObject({ store: 'keychain' });

    const logout = await quickly(site, ['logout', ...config], how);
    expect(logout).toMatchObject({ status: 0, stdout: `${words.removed(here)}\n` });
    expect(await quickly(site, ['whoami', ...config], how)).toBeRefused(
      1,
      'CREDENTIALS_MISSING',
      'receiptd login',
    );
    const again = await quickly(site, ['logout', ...config], how);
    expect(again).toMatchObject({ status: 0, stdout: `${words.none(here)}\n` });
  },
);

test('credentials that the service refuses do not overwrite the stored ones', async () => {
  const site = await siteWithoutCredentials();
  const login = ['login', '--store', 'file', '--client-id', 'e2e', '--config', site.config];
  expect((await quickly(site, login, { input: SECRET })).status).toBe(0);
  expect(await quickly(site, login, { input: '' })).toBeRefused(2, 'USAGE', '--client-id');
  const refused = await quickly(site, login, { input: 'another' });
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('rejected these credentials (HTTP 401). Nothing was saved.');
  expect(refused.stderr).toContain('[CREDENTIALS_REFUSED]');
  const { store } = JSON.parse(await site.quickMust('whoami', '--json')) as { store: string };
  expect(store).toBe('file');
});

test('a text that is too long for a secret is refused, and never shown, in any store', async () => {
  const site = await siteWithoutCredentials();
  const long = 'Q'.repeat(60_000);
  const login = ['login', '--store', 'file', '--client-id', 'e2e', '--config', site.config];
  expect(await quickly(site, login, { input: long })).toBeRefused(2, 'USAGE', 'more than 4096 characters');
  expect(await quickly(site, [...login, '--no-verify'], { input: 'a\0b' })).toBeRefused(
    2,
    'USAGE',
    'control',
  );
  const file = `${site.stateDir}/credentials.json`;
  await mkdir(site.stateDir, { recursive: true });
  await writeFile(file, JSON.stringify({ clientId: 'e2e', clientSecret: long }), { mode: 0o600 });
  const config = ['--config', site.config];
  expect(await quickly(site, ['whoami', ...config])).toBeRefused(1, 'CREDENTIALS_MISSING', 'more than 4096');
  const unit = site.file('unit');
  await mkdir(unit);
  await writeFile(`${unit}/client_secret`, long);
  const env = { CREDENTIALS_DIRECTORY: unit, RECEIPTD_CLIENT_SECRET: long };
  const doctor = await quickly(site, ['doctor', '--list', ...config], { env });
  expect(doctor.stderr).toBe('');
  expect(doctor.stdout).toContain('The file would contain');
  expect(doctor.stdout).not.toContain('QQQ');
});

test('a new secret goes to the store of the old one; the first one goes to the file if no keychain works', async () => {
  const site = await siteWithoutCredentials();
  const login = ['login', '--client-id', 'e2e', '--config', site.config];
  const first = await quickly(site, login, { input: SECRET });
  expect(first.status).toBe(0);
  expect(first.stderr).toMatch(
    /^The keychain .+ So the credentials go into a file that only its owner can read\.$/m,
  );
  const second = await quickly(site, [...login, '--no-verify'], { input: 'a-new-secret' });
  expect(second).toMatchObject({ status: 0, stderr: '' });
  const inFile = { account: null, store: 'file' };
  expect(second.stdout).toContain(words.saved({ ...inFile, baseUrl: site.sandbox.url }));
  const file = `${site.stateDir}/credentials.json`;
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ clientId: 'e2e', clientSecret: 'a-new-secret' });

  const env = { RECEIPTD_CLIENT_ID: 'e2e', RECEIPTD_CLIENT_SECRET: 'a-former-secret' };
  const shadowed = await quickly(site, [...login, '--no-verify'], { input: SECRET, env });
  expect(shadowed).toBeRefused(1, 'CREDENTIALS_UNWRITABLE', 'the environment store has different ones');
  const logout = await quickly(site, ['logout', '--config', site.config], { env });
  expect(logout.stdout).toContain(`${words.removed(inFile)}\n`);
  expect(logout.stdout).toContain(words.stillHas('environment'));
});

test('a wait for a silent standard input is reported, and ends at a signal', async () => {
  const site = await siteWithoutCredentials();
  const silent = spawn(process.execPath, [MAIN, 'login', '--store', 'file', '--config', site.config], {
    cwd: site.dir,
    stdio: 'pipe',
  });
  const waiting = new Running(silent);
  await until(
    () => waiting.stderr.includes('Waiting for the client secret on standard input'),
    'the sentence',
  );
  silent.kill('SIGTERM');
  expect((await waiting.ended).status).toBe(130);
});

test('an unexpected exception ends the command without the message of the exception, which may contain a secret', async () => {
  const site = await siteWithoutCredentials();
  // Thrown as soon as the program has started.
  const defect =
    'const look = () => process.listenerCount("uncaughtException") ? JSON.parse(process.env.TEXT) : setImmediate(look); look()';
  const env = { TEXT: SECRET, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(defect)}` };
  const ended = await receiptd(site, ['whoami', '--config', site.config], { env });
  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(
    /^error: This command stopped because of a bug in receiptd .*\nSyntaxError\n {4}at JSON\.parse/m,
  );
  expect(ended.stderr).not.toContain(SECRET.slice(0, 6));
});
