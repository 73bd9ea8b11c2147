import { once } from 'node:events';
import { chmod, chown, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultConfigText } from '../../src/config/template.ts';
import { drawTestReceipt } from '../../src/demo/testReceipt.ts';
import { keytarIsHere, secretService, secretServiceIsHere } from '../api/credentials/secretService.ts';
import { ordinaryOwner } from '../support/ordinaryUser.ts';
import { requirement } from '../support/requires.ts';
import { DEPOT, OFFICE, until, type Ended } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { begin, ordinaryUserCanRun, quickly, receiptd } from './support/commandLine.ts';
import { SECRET, desk, type Desk } from './support/desk.ts';
import { Resident, runInProcess } from './support/inProcess.ts';

const keychain =
  requirement('A Secret Service', secretServiceIsHere(), 'scripts/install-test-parts.sh') &&
  requirement('keytar', keytarIsHere(), 'npm ci with optional dependencies');

/** Everything that a new machine needs, as a configuration management would hand it over. */
function variables({ sandbox, scans, config }: Desk): Record<string, string> {
  return {
    RECEIPTD_CONFIG: config,
    RECEIPTD_SETUP_BASE_URL: sandbox.url,
    RECEIPTD_SETUP_CLIENT_ID: 'e2e',
    RECEIPTD_SETUP_CLIENT_SECRET: SECRET,
    RECEIPTD_SETUP_ENDPOINT_UID: OFFICE,
    RECEIPTD_SETUP_FOLDER: scans,
  };
}

/** In this process: for what is refused, or sends nothing. */
function quick(here: Desk, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return runInProcess(['setup', '--yes', ...args], { cwd: here.dir, env: { ...here.env, ...env } });
}

const nothing = ['home', 'sandbox'];

describe('receiptd setup --yes', () => {
  test('sets a machine up from variables alone, ends with a receipt at the service, and changes nothing the second time', async () => {
    const here = await desk();
    const { RECEIPTD_SETUP_ENDPOINT_UID: _, ...known } = variables(here);
    const folder = join(here.dir, 'Scans vom Büro');
    const env = {
      ...known,
      RECEIPTD_SETUP_CREATE_ENDPOINT: 'Fifty',
      RECEIPTD_SETUP_LANGUAGE: 'de-DE',
      RECEIPTD_SETUP_FOLDER: 'Scans vom Büro',
      RECEIPTD_SETUP_CREATE_FOLDER: 'yes',
      RECEIPTD_SETUP_RATE: '30/min',
      RECEIPTD_SETUP_TEST_RECEIPT: 'yes',
    };
    const how = { env: { ...here.env, ...env } };
    const first = await receiptd(here.site, ['setup', '--yes', '--json'], how);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    const [endpoint, ...others] = here.sandbox.endpoints().filter(({ name }) => name === 'Fifty');
    expect(others).toEqual([]);
    expect(endpoint).toMatchObject({ dominantLanguage: 'de-DE' });
    const [received] = here.sandbox.received();
    expect(JSON.parse(first.stdout)).toMatchObject({
      changed: true,
      config: { file: here.config, result: 'created' },
      service: { baseUrl: here.sandbox.url, company: 'Sandbox Company' },
      credentials: { result: 'stored' },
      endpoint: { alias: 'office', uid: endpoint?.uid, created: true },
      folder: { path: folder, result: 'created' },
      rate: '30/min',
      installed: null,
      testReceipt: { sent: true, name: received?.name, status: 'PROCESSING' },
    });
    expect(received?.endpointUid).toBe(endpoint?.uid);
    // The ledger knows that the test receipt was taken away: nothing is missing.
    const shown = await quickly(here.site, ['show', received?.name ?? '', '--json'], how);
    expect(shown.stdout).toMatch(/"goneAt": "20/);
    const audit = await quickly(here.site, ['audit'], how);
    expect(audit.status, audit.stdout).toBe(0);
    const written = await readFile(here.config, 'utf8');

    const second = await quickly(here.site, ['setup', '--yes', '--json'], how);
    expect(second).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(second.stdout)).toMatchObject({
      changed: false,
      config: { result: 'unchanged' },
      credentials: { result: 'unchanged' },
      endpoint: { uid: endpoint?.uid, created: false },
      folder: { result: 'unchanged' },
      testReceipt: { sent: false },
    });
    expect(await readFile(here.config, 'utf8')).toBe(written);
    expect(here.sandbox.received()).toHaveLength(1);
    expect(here.sandbox.endpoints().filter(({ name }) => name === 'Fifty')).toHaveLength(1);
    const state = join(here.dir, 'state');
    expect((await stat(join(state, 'credentials.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(state, 'ledger.journal'), 'utf8')).not.toContain(SECRET);
  });

  test('sends its test receipt through the agent that runs already, into a folder that it has just learned of', async () => {
    const here = await desk();
    expect((await quick(here, [], variables(here))).status).toBe(0);
    here.site.env = { ...here.env, RECEIPTD_CONFIG: here.config };
    const agent = await here.site.quickStart();
    const other = join(here.dir, 'other');
    const args = ['setup', '--yes', '--folder', other, '--create-folder', '--test-receipt'];
    const ended = await quickly(here.site, args, { env: here.site.env });
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(ended.stdout).toContain('accepted (service: PROCESSING)');
    expect(here.sandbox.received()).toHaveLength(1);
    expect(agent.alive).toBe(true);
    expect((await here.settings())['folders']).toMatchObject([{ path: here.scans }, { path: other }]);
    await agent.stop();
  });

  test('names all that is missing in one sentence, and does nothing', async () => {
    const here = await desk();
    const ended = await quick(here, ['--config', here.config]);
    expect(ended).toBeRefused(2, 'SETUP_INCOMPLETE');
    for (const each of [
      '--base-url (RECEIPTD_SETUP_BASE_URL) or --sandbox (RECEIPTD_SETUP_SANDBOX)',
      '--client-id (RECEIPTD_SETUP_CLIENT_ID)',
      '--client-secret-file (RECEIPTD_SETUP_CLIENT_SECRET_FILE, RECEIPTD_SETUP_CLIENT_SECRET)',
      '--endpoint-uid (RECEIPTD_SETUP_ENDPOINT_UID) or --create-endpoint (RECEIPTD_SETUP_CREATE_ENDPOINT)',
      '--folder (RECEIPTD_SETUP_FOLDER)',
    ])
      expect(ended.stderr).toContain(each);
    // Nor where there is no terminal, without being told.
    const silent = await runInProcess(['setup', '--config', here.config], { cwd: here.dir, env: here.env });
    expect(silent).toBeRefused(2, 'SETUP_INCOMPLETE', 'No terminal to ask on');
    expect((await readdir(here.dir)).sort()).toEqual(nothing);
  });

  test('wants to be told what happens to files that lie there already, and leaves them if told so', async () => {
    const here = await desk();
    await writeFile(join(here.scans, 'old.png'), drawTestReceipt({ number: 1, at: '2026-01-31 08:30' }));
    const untold = await quick(here, [], variables(here));
    expect(untold).toBeRefused(2, 'SETUP_INCOMPLETE', '--existing (RECEIPTD_SETUP_EXISTING)');
    expect((await quick(here, ['--existing', 'skip'], variables(here))).status).toBe(0);
    expect((await here.settings())['folders']).toMatchObject([{ path: here.scans, existing: 'skip' }]);
    here.site.env = { ...here.env };
    await here.site.quickOnce();
    expect(here.sandbox.received()).toEqual([]);
  });

  test('wrong credentials, and a service that cannot be reached, change nothing', async () => {
    const here = await desk();
    const env = variables(here);
    const wrong = await quick(here, [], { ...env, RECEIPTD_SETUP_CLIENT_SECRET: 'wrong' });
    expect(wrong).toBeRefused(1, 'CREDENTIALS_REFUSED', 'rejected these credentials');
    await here.sandbox.close();
    expect(await quick(here, [], env)).toBeRefused(5, 'SERVICE_UNREACHABLE');
    expect((await readdir(here.dir)).sort()).toEqual(nothing);
    const unchecked = await quick(here, ['--no-verify', '--json'], env);
    expect(unchecked.status).toBe(0);
    expect(JSON.parse(unchecked.stdout)).toMatchObject({ service: { company: null } });
  });

  test('edits the file that is there, keeps its comments and all that was not asked for', async () => {
    const here = await desk();
    const values = { baseUrl: here.sandbox.url, uid: DEPOT, folder: here.scans };
    await mkdir(join(here.dir, 'more'));
    const ours = '# ours: ask Anna before you change this\n';
    const before =
      ours + defaultConfigText(values).replace('\n  concurrency: 4', '\n  concurrency: 2 # slow line');
    await writeFile(here.config, before);
    const env = { ...variables(here), RECEIPTD_SETUP_RATE: '5/s', RECEIPTD_SETUP_FOLDER: 'more' };
    expect((await quick(here, [], env)).status).toBe(0);
    const after = await readFile(here.config, 'utf8');
    expect(after.startsWith(ours)).toBe(true);
    expect(after).toContain('concurrency: 2 # slow line');
    expect(await here.settings()).toMatchObject({
      endpoints: { office: { uid: DEPOT }, 'office-2': { uid: OFFICE } },
      folders: [
        { path: here.scans, endpoint: 'office' },
        { path: join(here.dir, 'more'), endpoint: 'office-2' },
      ],
      delivery: { concurrency: 2, rate: '5/s' },
    });
    const kept = before.split('\n').filter((line) => line.trimStart().startsWith('#'));
    expect(after.split('\n').filter((line) => line.trimStart().startsWith('#'))).toEqual(kept);
    const [former] = await readdir(join(here.dir, 'state', 'config-history'));
    expect(await readFile(join(here.dir, 'state', 'config-history', former ?? ''), 'utf8')).toBe(before);
  });

  test('takes the example that `receiptd init` writes for one', async () => {
    const here = await desk();
    const env = { ...here.env };
    await runInProcess(['init', '--config', here.config], { cwd: here.dir, env });
    expect((await quick(here, [], variables(here))).status).toBe(0);
    expect(await here.settings()).toMatchObject({
      service: { baseUrl: here.sandbox.url },
      endpoints: { office: { uid: OFFICE } },
      folders: [{ path: here.scans }],
    });
  });

  test('leaves a file that is not right as it is', async () => {
    const here = await desk();
    await writeFile(here.config, 'folders: [');
    expect(await quick(here, [], variables(here))).toBeRefused(2, 'CONFIG_SYNTAX');
    expect(await readFile(here.config, 'utf8')).toBe('folders: [');
  });

  test('shows a secret that it stored for one service to no other', async () => {
    const here = await desk();
    expect((await quick(here, [], variables(here))).status).toBe(0);
    const { RECEIPTD_SETUP_CLIENT_ID: _, RECEIPTD_SETUP_CLIENT_SECRET: __, ...rest } = variables(here);
    const elsewhere = { ...rest, RECEIPTD_SETUP_BASE_URL: 'http://127.0.0.1:9' };
    expect(await quick(here, [], elsewhere)).toBeRefused(2, 'SETUP_INCOMPLETE', '--client-secret-file');
  });

  test('takes the secret from a file or from standard input, and never from an argument', async () => {
    const here = await desk();
    const { RECEIPTD_SETUP_CLIENT_SECRET: _, ...env } = variables(here);
    await writeFile(join(here.dir, 'secret.txt'), `${SECRET}\n`);
    expect((await quick(here, ['--client-secret-file', 'secret.txt'], env)).status).toBe(0);
    const input = { input: `${SECRET}\n`, env: { ...here.env, ...env } };
    const piped = await quickly(here.site, ['setup', '--yes', '--json', '--client-secret-file', '-'], input);
    expect(JSON.parse(piped.stdout)).toMatchObject({ changed: false });
    expect(await quick(here, ['--client-secret', SECRET], env)).toBeRefused(2, 'USAGE', '--client-secret');
    expect(await quick(here, ['--client-secret-file', 'none'], env)).toBeRefused(
      1,
      'FILE_UNREADABLE',
      'none',
    );
  });

  test.each([
    ['base-url', 'ftp://scans', 'an address such as'],
    ['base-url', 'http://service.example', '--base-url (RECEIPTD_SETUP_BASE_URL)'],
    ['endpoint-uid', 'no uid', 'the uid that the service assigned'],
    ['existing', 'maybe', 'send, skip, or since'],
    ['rate', '60', 'N/s, N/min or N/h'],
    ['service', 'maybe', 'no, user, system'],
    ['folder', 'smb://server/scans', 'mount the share first'],
    ['store', 'cloud', 'keychain, file'],
    ['sandbox-port', '99999', '65535'],
    ['folder', '~anna/scans', 'a path'],
    ['folder', 'receiptd.txt', 'FOLDER_NOT_A_DIRECTORY'],
    ['create-endpoint', 'Another', 'not both'],
  ])('refuses --%s %s', async (option, value, words) => {
    const here = await desk();
    await writeFile(join(here.dir, 'receiptd.txt'), '');
    const ended = await quick(here, [`--${option}`, value], variables(here));
    expect([1, 2]).toContain(ended.status);
    expect(ended.stderr).toContain(words);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect((await readdir(here.dir)).sort()).toEqual([...nothing.slice(0, 1), 'receiptd.txt', 'sandbox']);
  });

  test('replaces the uid of an endpoint only where told to, and says which folders that concerns', async () => {
    const here = await desk();
    expect((await quick(here, [], variables(here))).status).toBe(0);
    const rotated = { ...variables(here), RECEIPTD_SETUP_ENDPOINT_UID: DEPOT };
    const ended = await quick(here, ['--endpoint-alias', 'office', '--json'], rotated);
    const baseUrl = here.sandbox.url;
    expect(JSON.parse(ended.stdout)).toMatchObject({
      folders: [{ path: here.scans, endpoint: 'office' }],
      rerouted: [{ path: here.scans, from: { baseUrl, uid: OFFICE }, to: { baseUrl, uid: DEPOT } }],
    });
    const back = await quick(here, ['--endpoint-alias', 'office'], variables(here));
    expect(back.stdout).toContain(`${here.scans}: office, ${DEPOT} -> office, ${OFFICE}`);
    expect(back.stdout).toContain('are not sent again');
  });

  test('sets what happens to files of a folder that is configured already', async () => {
    const here = await desk();
    expect((await quick(here, [], variables(here))).status).toBe(0);
    expect((await quick(here, ['--existing', 'skip'], variables(here))).status).toBe(0);
    expect((await here.settings())['folders']).toMatchObject([{ existing: 'skip' }]);
    const again = await quick(here, ['--existing', 'skip', '--json'], variables(here));
    expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, rerouted: [] });
  });

  test.skipIf(!ordinaryUserCanRun)(
    'what was practised is sent to the real service all the same',
    async () => {
      const here = await desk();
      const picture = drawTestReceipt({ number: 1, at: '2026-01-31 08:30' });
      await writeFile(join(here.scans, 'one.png'), picture);
      await here.giveAway();
      const { PATH = '', HOME = '', TMPDIR = '' } = here.env;
      here.site.env = { PATH, HOME, TMPDIR, RECEIPTD_CONFIG: here.config };
      const how = { env: here.site.env, ordinary: true };
      const practice = ['--sandbox', '--sandbox-port', '0', '--existing', 'send', '--test-receipt'];
      const first = await receiptd(here.site, ['setup', '--yes', ...practice, '--folder', here.scans], how);
      expect(first).toMatchObject({ status: 0, stderr: '' });
      const state = join(HOME, '.local', 'state', 'receiptd');
      expect(first.stdout).toContain(`Practice data is kept separate, in ${state}-practice`);
      expect((await here.settings())['stateDir']).toBe(`${state}-practice`);

      const { RECEIPTD_SETUP_FOLDER: _, ...real } = variables(here);
      const env = { ...how.env, ...real };
      const args = ['setup', '--yes', '--json'];
      const untold = await receiptd(here.site, args, { ...how, env });
      expect(untold).toBeRefused(2, 'SETUP_INCOMPLETE', '--existing', here.scans);
      const second = await receiptd(here.site, [...args, '--existing', 'send'], { ...how, env });
      expect(second).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(second.stdout)).toMatchObject({
        stateDir: state,
        rerouted: [{ path: here.scans, to: { baseUrl: here.sandbox.url } }],
      });
      expect(await here.settings()).not.toHaveProperty('stateDir');
      expect((await receiptd(here.site, ['run', '--once'], how)).status).toBe(0);
      expect(here.sandbox.received()).toHaveLength(1);
    },
  );

  test('practises beside a configuration that is in earnest, not in its place', async () => {
    const here = await desk();
    const values = { baseUrl: 'https://real.example', uid: OFFICE, folder: here.scans };
    await writeFile(here.config, defaultConfigText(values));
    const ended = await quick(here, ['--sandbox', '--sandbox-port', '0', '--config', here.config]);
    expect(ended).toBeRefused(2, 'USAGE', 'https://real.example');
  });

  test('practises with the practice service that runs already, and takes no other program for one', async () => {
    const here = await desk();
    const sandbox = here.site.spawn('sandbox', '--port', '0', '--dir', join(here.dir, 'practice'), '--json');
    await until(() => sandbox.stdout.includes('\n'), 'the sandbox');
    const { url } = JSON.parse(sandbox.stdout) as { url: string };
    const args = ['--sandbox', '--folder', here.scans, '--config', here.config, '--json'];
    const ended = await quick(here, [...args, '--sandbox-port', new URL(url).port]);
    expect(JSON.parse(ended.stdout)).toMatchObject({ service: { baseUrl: url, company: 'Sandbox Company' } });
    const other = await quick(here, [...args, '--sandbox-port', new URL(here.sandbox.url).port]);
    expect(other).toBeRefused(1, 'PORT_IN_USE', '--sandbox-port');
    await sandbox.stop();
  });

  const canBeTwoUsers = ordinaryUserCanRun && process.platform === 'linux' && process.geteuid?.() === 0;
  test.skipIf(!canBeTwoUsers)('does not practise with the practice service of another user', async () => {
    const here = await desk();
    const dir = join(here.dir, 'of another');
    await mkdir(dir);
    await chown(dir, ordinaryOwner().uid, ordinaryOwner().gid);
    await chmod(here.dir, 0o755);
    const other = begin(here.site, ['sandbox', '--port', '0', '--dir', dir, '--json'], { ordinary: true });
    await until(() => other.stdout.includes('\n'), 'the other sandbox');
    const { port } = new URL((JSON.parse(other.stdout) as { url: string }).url);
    const ended = await quick(here, ['--sandbox', '--folder', here.scans, '--sandbox-port', port]);
    expect(ended).toBeRefused(1, 'PORT_IN_USE', 'belongs to the user');
    expect(await other.stop()).toMatchObject({ status: 0 });
  });

  test('takes no program for the practice service that takes connections and never answers', async () => {
    const here = await desk();
    const mute = createServer().listen(0, '127.0.0.1');
    cleanUp(async () => {
      mute.close();
    });
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const args = [
      '--sandbox',
      '--sandbox-port',
      String(port),
      '--folder',
      here.scans,
      '--config',
      here.config,
    ];
    const begun = performance.now();
    expect(await quick(here, args)).toBeRefused(1, 'PORT_IN_USE', '--sandbox-port');
    // A request may take a minute.
    expect(performance.now() - begun).toBeLessThan(40_000);
  });

  test('refuses a folder that cannot be made before anything is changed', async () => {
    const here = await desk();
    await writeFile(join(here.dir, 'file'), '');
    const args = ['--folder', 'file/in/box', '--create-folder'];
    const ended = await quick(here, args, variables(here));
    expect(ended.status).not.toBe(0);
    expect(ended.stderr).toContain('[FOLDER_');
    expect((await readdir(here.dir)).sort()).toEqual(['file', ...nothing]);
  });

  test('finds out that the config file cannot be written before it creates anything', async () => {
    const here = await desk();
    await symlink(join(here.dir, 'gone', 'receiptd.yaml'), here.config);
    const { RECEIPTD_SETUP_ENDPOINT_UID: _, ...env } = variables(here);
    const count = here.sandbox.endpoints().length;
    expect(await quick(here, ['--create-endpoint', 'Dangling'], env)).toBeRefused(1, 'CONFIG_UNWRITABLE');
    expect(here.sandbox.endpoints()).toHaveLength(count);
    expect(await readdir(here.dir)).not.toContain('state');
  });

  test('a test receipt that waits is the one that is sent when it is run again', async () => {
    const here = await desk();
    here.sandbox.misbehave({ kind: 'status', status: 503 });
    const how = { env: { ...here.env, ...variables(here) } };
    const args = ['--yes', '--no-verify', '--test-receipt'];
    const first = new Resident(args, { cwd: here.dir, env: how.env }, 'setup');
    await until(() => (here.sandbox.stats().requests['upload']?.['503'] ?? 0) > 0, 'the first upload');
    const ended = await first.stop();
    expect(ended.stderr).toContain('Setup was canceled; the steps above are done.');
    expect(ended.status).toBe(130);
    here.sandbox.behave();
    const again = await quickly(here.site, ['setup', '--yes', '--test-receipt'], how);
    expect(again).toMatchObject({ status: 0, stderr: '' });
    expect(here.sandbox.received()).toHaveLength(1);
    expect(await readdir(here.scans)).toEqual([]);
  });

  test("root records an endpoint that it creates in the ledger of the service's user", async ({ skip }) => {
    skip(process.geteuid?.() !== 0, 'only root may give files away');
    const here = await desk();
    const state = join(here.dir, 'state');
    await mkdir(state, { mode: 0o700 });
    await here.giveAway();
    const { RECEIPTD_SETUP_ENDPOINT_UID: _, ...env } = variables(here);
    const ended = await quick(here, ['--create-endpoint', 'Owned', '--json'], env);
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    for (const name of await readdir(state))
      expect(await stat(join(state, name))).toMatchObject(ordinaryOwner());
    // What was recorded is found again, also where the config file did not get to name it.
    await rm(here.config);
    const again = await quick(here, ['--create-endpoint', 'Owned', '--json'], env);
    expect(JSON.parse(again.stdout)).toMatchObject({ endpoint: { created: false } });
    expect(here.sandbox.endpoints().filter(({ name }) => name === 'Owned')).toHaveLength(1);
  });

  test("root leaves what it writes into a service's state directory to the user of the service", async ({
    skip,
  }) => {
    skip(process.geteuid?.() !== 0, 'only root may give files away');
    const here = await desk();
    expect((await quick(here, [], variables(here))).status).toBe(0);
    const state = join(here.dir, 'state');
    const owner = ordinaryOwner();
    for (const path of [state, join(state, 'credentials.json')]) await chown(path, owner.uid, owner.gid);
    const rotated = {
      ...variables(here),
      RECEIPTD_SETUP_CLIENT_SECRET: 'another',
      RECEIPTD_SETUP_RATE: '1/s',
    };
    expect((await quick(here, ['--no-verify'], rotated)).status).toBe(0);
    for (const path of ['credentials.json', 'config-history'])
      expect(await stat(join(state, path))).toMatchObject(owner);
    expect(await readFile(join(state, 'credentials.json'), 'utf8')).toContain('another');
  });

  test.skipIf(!keychain)('stores in the keychain, where the agent finds it', async () => {
    const here = await desk();
    const { env } = await secretService();
    const session = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value ?? '']));
    const how = { env: { ...session, ...variables(here), RECEIPTD_STATE_DIR: join(here.dir, 'state') } };
    const args = ['setup', '--yes', '--json', '--store', 'keychain'];
    const ended = await receiptd(here.site, args, how);
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({ credentials: { store: 'keychain', result: 'stored' } });
    expect(await readdir(join(here.dir, 'state'))).not.toContain('credentials.json');
    const again = await quickly(here.site, args, how);
    expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, credentials: { store: 'keychain' } });
  });
});
