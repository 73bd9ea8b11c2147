/** Several accounts at one service, and secrets that change while the agent runs. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { callControl } from '../../src/control/client.ts';
import { keytarIsHere, secretService, secretServiceIsHere } from '../api/credentials/secretService.ts';
import { requirement } from '../support/requires.ts';
import { drawReceipt } from '../support/images.ts';
import { DEPOT, OFFICE, prepare, storedOnce, until, type Site } from './support/agent.ts';
import { quickly, receiptd } from './support/commandLine.ts';

const MAIN_CLIENT = { clientId: 'e2e', clientSecret: 'e2e-secret' };
const BRANCH_CLIENT = { clientId: 'branch-id', clientSecret: 'branch-secret' };

const KEYS = (site: Site) => ({
  credentials: { store: 'file' },
  accounts: { branch: { store: 'file' } },
  endpoints: { office: { uid: OFFICE }, depot: { uid: DEPOT, account: 'branch' } },
  folders: [
    { path: site.file('inbox'), endpoint: 'office' },
    { path: site.file('branch'), endpoint: 'depot' },
  ],
});

/** Two accounts with one endpoint each, which no other account may use; no credentials are stored yet. */
async function twoAccounts(): Promise<Site> {
  const owners = { [OFFICE]: MAIN_CLIENT.clientId, [DEPOT]: BRANCH_CLIENT.clientId };
  const site = await prepare({}, { owners });
  site.sandbox.takeCredentials(MAIN_CLIENT, BRANCH_CLIENT);
  site.env = {};
  await site.configure(KEYS(site));
  return site;
}

const keychain =
  requirement('A Secret Service', secretServiceIsHere(), 'scripts/install-test-parts.sh') &&
  requirement('keytar', keytarIsHere(), 'npm ci with optional dependencies');

async function keyringEnv(): Promise<Record<string, string>> {
  const { env } = await secretService();
  return Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value ?? '']));
}

/** Standard output of a command that must succeed, run in this process, which takes a third of the work. */
async function said(site: Site, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await site.look(...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

type Client = typeof MAIN_CLIENT;

function login(site: Site, { clientId, clientSecret }: Client, ...more: string[]) {
  const args = ['login', '--client-id', clientId, '--config', site.config, ...more];
  // A process finds the keychain through its environment.
  const run = Object.keys(site.env).length > 0 ? receiptd : quickly;
  return run(site, args, { input: `${clientSecret}\n` });
}

async function scan(site: Site, folder: string, name: string): Promise<void> {
  await writeFile(site.file(folder, `${name}.jpg`), await drawReceipt({ type: 'jpeg', seed: name }));
}

const states = async (site: Site, folder: string) =>
  (await site.list('--folder', site.file(folder))).map(({ state }) => state);

test('each endpoint is used with the credentials of its account, and a bad one stops only its own', async () => {
  const site = await twoAccounts();
  expect(await login(site, MAIN_CLIENT)).toMatchObject({ status: 0 });
  expect(await login(site, BRANCH_CLIENT, '--account', 'brnach')).toBeRefused(
    2,
    'ACCOUNT_UNKNOWN',
    'branch?',
  );
  expect(await login(site, { ...BRANCH_CLIENT, clientSecret: 'x' }, '--account', 'branch')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('rejected these credentials of account branch (HTTP 401)') as string,
  });
  await scan(site, 'inbox', 'one');
  await scan(site, 'branch', 'two');
  const agent = await site.quickStart();
  await until(() => site.sandbox.received().length === 1);
  await until(async () => (await states(site, 'branch'))[0] === 'held');
  await until(async () => (await states(site, 'inbox'))[0] === 'accepted');
  const status = await said(site, 'status');
  expect(status).toMatch(
    /account branch .*1 document waits .*`receiptd login --account branch`.*\[CREDENTIALS_MISSING\]/,
  );
  expect(status.match(/\[CREDENTIALS_MISSING\]/g)).toHaveLength(1);
  const held = JSON.parse(await said(site, 'status', '--json')) as { holds: unknown[] };
  expect(held.holds).toMatchObject([{ scope: 'credentials', key: `${site.sandbox.url} account branch` }]);

  const stored = await login(site, BRANCH_CLIENT, '--account', 'branch');
  expect(stored.stdout).toContain('Saved the credentials of account branch');
  await until(() => site.sandbox.received().length === 2);
  await until(async () => (await states(site, 'branch'))[0] === 'accepted');
  expect(site.sandbox.received().map(({ endpointUid }) => endpointUid)).toEqual([OFFICE, DEPOT]);
  expect(JSON.parse(await said(site, 'whoami', '--account', 'branch', '--json'))).toMatchObject({
    store: 'file',
    account: 'branch',
  });
  const check = await said(site, 'check');
  expect(check).toContain('credentials branch: They come from the file store. Fair:');
  expect(check).toMatch(/ok {4}service branch: .* accepts the credentials from the file store/);
  // The same request as in the console.
  const create = (account: string) =>
    callControl(site.stateDir, 'createEndpoint', { name: 'Shop', alias: 'shop', account });
  await expect(create('brnach')).rejects.toMatchObject({ code: 'ACCOUNT_UNKNOWN' });
  const { uid, config } = await create('branch');
  expect(config.values['endpoints']).toMatchObject({ shop: { uid, account: 'branch' } });
  expect(site.sandbox.stats().requests['createEndpoint']).toEqual({ 201: 1 });
  const logout = await said(site, 'logout', '--store', 'file', '--account', 'branch');
  expect(logout).toBe('Removed the credentials of account branch from the file store.\n');
  expect(JSON.parse(await readFile(site.file('state', 'credentials.json'), 'utf8'))).toEqual(MAIN_CLIENT);
  expect(await site.look('whoami', '--account', 'branch')).toBeRefused(
    1,
    'CREDENTIALS_MISSING',
    'of account branch',
  );
  const { stderr } = await agent.stop();
  expect(stderr).not.toContain('-secret');
});

test('the credentials of an account may come from the environment or from systemd, under separate names', async () => {
  const site = await twoAccounts();
  await site.configure({ ...KEYS(site), credentials: {}, accounts: { branch: {} } });
  const directory = site.file('unit-credentials');
  await mkdir(directory);
  await writeFile(`${directory}/client_id_branch`, `${BRANCH_CLIENT.clientId}\n`);
  await writeFile(`${directory}/client_secret_branch`, BRANCH_CLIENT.clientSecret);
  site.env = { CREDENTIALS_DIRECTORY: directory };
  expect(await site.look('whoami')).toBeRefused(1, 'CREDENTIALS_MISSING');
  const offline = await said(site, 'check', '--offline');
  expect(offline).toMatch(/warn {2}credentials: .*\[CREDENTIALS_MISSING\]/);
  expect(offline).toContain('ok    credentials branch: They come from the systemd store. Strong:');
  expect(await said(site, 'whoami', '--account', 'branch')).toContain('(credentials from: systemd)');
  site.env = {
    RECEIPTD_CLIENT_ID_BRANCH: BRANCH_CLIENT.clientId,
    RECEIPTD_CLIENT_SECRET_BRANCH: BRANCH_CLIENT.clientSecret,
  };
  expect(await site.look('whoami')).toBeRefused(1, 'CREDENTIALS_MISSING');
  expect(await said(site, 'whoami', '--account', 'branch')).toContain('(credentials from: environment)');
});

describe('a changed secret', () => {
  async function running(store: 'file' | 'keychain' = 'file') {
    const site = await prepare();
    site.env = store === 'file' ? {} : await keyringEnv();
    await site.configure({ credentials: { store } });
    expect(await login(site, MAIN_CLIENT)).toMatchObject({ status: 0 });
    const agent = await site.quickStart();
    await scan(site, 'inbox', 'before');
    await until(() => site.sandbox.received().length === 1);
    return { site, agent };
  }

  test.each(keychain ? (['file', 'keychain'] as const) : (['file'] as const))(
    'in the %s is used without a restart, and nothing is lost, failed or sent twice',
    async (store) => {
      const { site, agent } = await running(store);
      // The rest is the same for both stores.
      const turns = store === 'file' ? 2 : 1;
      const all = 1 + 8 * turns;
      for (let turn = 1; turn <= turns; turn += 1) {
        const rotated = { clientId: 'e2e', clientSecret: `rotated-secret-${turn}` };
        // Changed at the service first, so that the agent is refused during its work.
        const scanned = Promise.all(
          Array.from({ length: 8 }, (_, index) => scan(site, 'inbox', `${turn}-${index}`)),
        );
        site.sandbox.takeCredentials(rotated);
        await scanned;
        expect(await login(site, rotated)).toMatchObject({ status: 0 });
        await until(() => site.sandbox.received().length === 1 + 8 * turn);
      }
      await until(async () => (await site.list('--state', 'accepted')).length === all);
      expect((await site.list()).map(({ state }) => state)).toEqual(Array(all).fill('accepted'));
      expect((await storedOnce(site)).size).toBe(all);
      expect(agent.alive).toBe(true);
      expect((await agent.stop()).stderr).not.toContain('rotated-secret');
    },
  );

  test('that is wrong causes a hold, is reported, and recovers by itself once it is right', async () => {
    const { site, agent } = await running();
    const file = site.file('state', 'credentials.json');
    const rotated = { clientId: 'e2e', clientSecret: 'rotated-secret' };
    site.sandbox.takeCredentials(rotated);
    // Written by hand or by configuration management, without notifying the agent.
    await writeFile(file, JSON.stringify({ ...rotated, clientSecret: 'mistyped-secret' }));
    await chmod(file, 0o600);
    await scan(site, 'inbox', 'after');
    await until(async () => (await states(site, 'inbox')).includes('held'));
    expect(await said(site, 'status')).toMatch(/`receiptd login`.*\[CREDENTIALS_REFUSED\]/);
    expect(await site.look('whoami')).toBeRefused(
      1,
      'CREDENTIALS_REFUSED',
      '127.0.0.1',
      'file',
      'receiptd login',
    );
    const check = await site.look('check');
    expect([check.status, check.stdout]).toEqual([
      1,
      expect.stringMatching(/^FAIL +service: .*\[CREDENTIALS_REFUSED\]$/m),
    ]);
    await writeFile(file, JSON.stringify(rotated));
    await until(() => site.sandbox.received().length === 2, 'the right secret to be taken up');
    await until(async () => (await site.list('--state', 'accepted')).length === 2);
    // The acceptance is recorded first.
    await until(async () => !(await said(site, 'status')).includes('[CREDENTIALS_REFUSED]'));
    expect((await agent.stop()).stderr).not.toContain('-secret');
  });
});
