/** Credentials that move between stores with `receiptd login --store`. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { keytarIsHere, secretService, secretServiceIsHere } from '../api/credentials/secretService.ts';
import { canMount } from '../support/ownMount.ts';
import { requirement } from '../support/requires.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, until, type ConfigKeys, type Site } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { begin, giveAway, ordinaryUserCanRun, quickly, receiptd, shell } from './support/commandLine.ts';
import { cliTextsIn } from '../../src/texts/cli.ts';

const { login: words } = await cliTextsIn('en', String);

const CLIENT = { clientId: 'e2e', clientSecret: 'e2e-secret' };

const keychain =
  requirement('A Secret Service', secretServiceIsHere(), 'scripts/install-test-parts.sh') &&
  requirement('keytar', keytarIsHere(), 'npm ci with optional dependencies');

const canSeal =
  requirement(
    "systemd's credentials",
    spawnSync('systemd-creds', ['--version']).status === 0 && process.geteuid?.() === 0,
    'apt install systemd, and run as root',
  ) && canMount();

const fileOf = (site: Site) => site.file('state', 'credentials.json');

/** The content of the file store; null if it does not exist. */
async function inFile(site: Site): Promise<unknown> {
  return readFile(fileOf(site), 'utf8').then(JSON.parse, () => null);
}

async function storedInFile(site: Site): Promise<void> {
  const args = ['login', '--store', 'file', '--client-id', CLIENT.clientId, '--config', site.config];
  const login = await quickly(site, args, { input: `${CLIENT.clientSecret}\n` });
  expect(login).toMatchObject({ status: 0, stderr: '' });
}

async function siteWith(keys: ConfigKeys, env: Record<string, string> = {}): Promise<Site> {
  const site = await prepare();
  site.env = env;
  await site.configure(keys);
  return site;
}

/** `login` with an empty standard input. */
const login = (site: Site, ...args: string[]) => receiptd(site, ['login', ...args, '--config', site.config]);
/** Like `login`, but in this process. */
const quickLogin = (site: Site, ...args: string[]) =>
  quickly(site, ['login', ...args, '--config', site.config]);

describe.skipIf(!keychain)('moving credentials between file and keychain', () => {
  async function withKeyring(keys: ConfigKeys) {
    const keyring = await secretService();
    const env = Object.fromEntries(Object.entries(keyring.env).map(([key, value]) => [key, value ?? '']));
    return { site: await siteWith(keys, env), keyring };
  }

  const storeOf = async (site: Site) =>
    (JSON.parse(await site.quickMust('whoami', '--json')) as { store: string }).store;

  test('writes and verifies the copy, removes the original, and updates the configuration and the agent', async () => {
    const { site } = await withKeyring({ credentials: { store: 'file' } });
    await writeFile(site.config, `# of the admin\n${await readFile(site.config, 'utf8')}`);
    await storedInFile(site);
    const agent = await site.quickStart();
    const there = await login(site, '--store', 'keychain');
    expect(there).toMatchObject({ status: 0, stderr: '' });
    expect(there.stdout.split('\n')).toEqual([
      words.copied({ account: null, from: 'file', to: 'keychain' }),
      words.changed({ file: site.config, key: 'credentials.store', store: 'keychain' }),
      words.oldRemoved('file'),
      '',
    ]);
    expect(await inFile(site)).toBeNull();
    expect(await readFile(site.config, 'utf8')).toMatch(/^# of the admin\n[^]*store: keychain/);
    expect(await storeOf(site)).toBe('keychain');
    await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    await until(() => site.sandbox.received().length === 1);

    const back = await quickLogin(site, '--store', 'file', '--from', 'keychain');
    expect(back.stdout).toContain(words.oldRemoved('keychain'));
    expect(await inFile(site)).toEqual(CLIENT);
    expect(await storeOf(site)).toBe('file');
    site.sandbox.revokeTokens();
    await writeFile(site.file('inbox', 'b.jpg'), await drawReceipt({ type: 'jpeg', seed: 'b' }));
    await until(() => site.sandbox.received().length === 2);
    expect(agent.alive).toBe(true);
    const ended = await agent.stop();
    expect(`${ended.stderr}${there.stdout}${back.stdout}`).not.toContain(CLIENT.clientSecret);
    expect(await quickLogin(site, '--store', 'file', '--from', 'keychain')).toBeRefused(
      1,
      'CREDENTIALS_MISSING',
      'nothing to move',
    );
  });

  test('loses nothing if the keychain is locked or frozen, or the command is killed', async () => {
    const { site, keyring } = await withKeyring({});
    await storedInFile(site);
    await keyring.lock();
    expect(await quickLogin(site, '--store', 'keychain')).toBeRefused(
      1,
      'KEYCHAIN_LOCKED',
      'locked',
      '--store file',
    );
    expect(await inFile(site)).toEqual(CLIENT);
    expect(await quickLogin(site, '--store', 'file')).toBeRefused(1, 'KEYCHAIN_LOCKED', 'locked');
    keyring.freeze();
    const hanging = begin(site, ['login', '--store', 'keychain', '--from', 'file', '--config', site.config]);
    await once(hanging.child, 'spawn');
    await until(async () => (await helpersOf(hanging.pid)) > 0, 'the keychain to be asked');
    await hanging.kill();
    expect(await inFile(site)).toEqual(CLIENT);
    expect(await site.quickMust('whoami')).toContain('(credentials from: file)');
  });

  test('is refused without --from if both stores have different credentials', async () => {
    const { site } = await withKeyring({});
    await storedInFile(site);
    const args = [
      'login',
      '--store',
      'keychain',
      '--client-id',
      'e2e',
      '--no-verify',
      '--config',
      site.config,
    ];
    expect(await quickly(site, args, { input: 'another-secret' })).toBeRefused(
      1,
      'CREDENTIALS_UNWRITABLE',
      'the file store has different ones',
      'receiptd logout --store file',
    );
    expect(await quickLogin(site, '--store', 'keychain')).toBeRefused(
      2,
      'USAGE',
      'file, keychain',
      '--from file',
    );
    expect(await quickLogin(site, '--store', 'keychain', '--from', 'file')).toMatchObject({ status: 0 });
    expect(await inFile(site)).toBeNull();
    expect(await site.quickMust('whoami')).toContain('(credentials from: keychain)');
  });
});

/** Number of running child processes. Linux only. */
async function helpersOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter((each) => each.trim() !== '').length;
}

test('credentials from the environment are copied, and the remaining copy is reported', async () => {
  const env = { RECEIPTD_CLIENT_ID: CLIENT.clientId, RECEIPTD_CLIENT_SECRET: CLIENT.clientSecret };
  const site = await siteWith({}, env);
  const moved = await quickLogin(site, '--store', 'file');
  expect(moved).toMatchObject({ status: 0, stderr: '' });
  expect(moved.stdout).toContain('The old copy in the environment store is still there');
  expect(await inFile(site)).toEqual(CLIENT);
  expect((await stat(fileOf(site))).mode & 0o777).toBe(0o600);
});

test.skipIf(!canSeal)(
  'credentials for systemd are encrypted and the unit lines printed; the old copy stays for now',
  async () => {
    const site = await siteWith({ credentials: { store: 'file' } });
    await storedInFile(site);
    // A separate key instead of the machine's; not on a tmpfs, where systemd-creds keeps no key.
    const own = await mkdtemp('/var/tmp/receiptd-systemd-');
    cleanUp(() => rm(own, { recursive: true, force: true }));
    const directory = site.file('unit');
    const command = `mount --bind '${own}' /var/lib/systemd && $RECEIPTD login --store systemd --credentials-dir '${directory}' --config '${site.config}' </dev/null`;
    const moved = await shell(site, `unshare -m sh -c "${command}"`);
    expect(moved).toMatchObject({ status: 0, stderr: '' });
    expect(moved.stdout.split('\n')).toEqual([
      words.copied({ account: null, from: 'file', to: 'systemd' }),
      words.giveUnit,
      '',
      '  [Service]',
      `  LoadCredentialEncrypted=client_id:${directory}/receiptd.client_id`,
      `  LoadCredentialEncrypted=client_secret:${directory}/receiptd.client_secret`,
      '',
      words.editAlso({ file: site.config, key: 'credentials.store' }),
      words.oldNeeded('file', 'receiptd logout --store file'),
      '',
    ]);
    expect(await inFile(site)).toEqual(CLIENT);
    expect(await readFile(site.config, 'utf8')).toContain('store: file');
    expect(await readFile(`${directory}/receiptd.client_secret`, 'utf8')).toMatch(/^[A-Za-z0-9+/=\n]+$/);
    const gone = await quickly(site, [
      'logout',
      '--store',
      'systemd',
      '--credentials-dir',
      directory,
      '--config',
      site.config,
    ]);
    expect(gone.stdout.split('\n')).toEqual([
      words.removed({ account: null, store: 'systemd' }),
      `${words.stillHas('file')} ${words.removeWith('receiptd logout --store file')}`,
      '',
    ]);
  },
);

test('an impossible move of credentials is refused, and nothing is changed', async () => {
  const site = await siteWith({ credentials: { store: 'file' } });
  expect(await quickLogin(site, '--store', 'file', '--from', 'file')).toBeRefused(
    2,
    'USAGE',
    'the same store',
  );
  expect(await quickLogin(site, '--store', 'file', '--from', 'drawer')).toBeRefused(
    2,
    'USAGE',
    'Allowed choices are',
  );
  expect(await quickLogin(site, '--store', 'drawer')).toBeRefused(
    2,
    'USAGE',
    'Allowed choices are keychain, file, systemd.',
  );
  expect(await quickLogin(site, '--from', 'environment', '--client-id', 'x')).toBeRefused(
    2,
    'USAGE',
    'not both',
  );
  expect(await quickLogin(site, '--store', 'file')).toBeRefused(2, 'USAGE', '--client-id');
  expect(await quickLogin(site, '--store', 'file', '--from', 'systemd')).toBeRefused(
    1,
    'CREDENTIALS_MISSING',
  );
});

test.skipIf(!ordinaryUserCanRun)(
  'a move of credentials prints the setting to change if the configuration file is read-only',
  async () => {
    const env = { RECEIPTD_CLIENT_ID: CLIENT.clientId, RECEIPTD_CLIENT_SECRET: CLIENT.clientSecret };
    const site = await siteWith({ credentials: { store: 'environment' } }, env);
    await giveAway(site.dir);
    await chmod(site.config, 0o444);
    const moved = await receiptd(site, ['login', '--store', 'file', '--config', site.config], {
      ordinary: true,
    });
    expect(moved).toMatchObject({ status: 0, stderr: '' });
    expect(moved.stdout).toContain(
      `Edit ${site.config}, which can't be changed from here: set credentials.store to file.`,
    );
    expect(await inFile(site)).toEqual(CLIENT);
  },
);
