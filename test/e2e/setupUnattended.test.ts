import { chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultConfigText } from '../../src/config/template.ts';
import { drawTestReceipt } from '../../src/demo/testReceipt.ts';
import { keytarIsHere, secretService, secretServiceIsHere } from '../api/credentials/secretService.ts';
import { ordinaryOwner } from '../support/ordinaryUser.ts';
import { requirement } from '../support/requires.ts';
import { DEPOT, OFFICE, until } from './support/agent.ts';
import { quickly, receiptd } from './support/commandLine.ts';
import { desk, SECRET } from './support/desk.ts';
import { Resident, runInProcess } from './support/inProcess.ts';
import { quick, UNTOUCHED, variables } from './support/unattended.ts';

const keychain =
  requirement('A Secret Service', secretServiceIsHere(), 'scripts/install-test-parts.sh') &&
  requirement('keytar', keytarIsHere(), 'npm ci with optional dependencies');

describe('receiptd setup --yes', () => {
  test('sets up a machine from variables alone, sends a test receipt, and changes nothing the second time', async () => {
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
    // The ledger knows that setup removed the test receipt, so nothing is missing.
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

  test('sends its test receipt through the running agent, in a folder that it has just added', async () => {
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
    here.sandbox.misbehave({ kind: 'status', status: 422 });
    const third = ['--folder', join(here.dir, 'third'), '--create-folder', '--test-receipt'];
    const refused = await quick(here, third, variables(here));
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('TEST_RECEIPT_UNDELIVERED') });
    await agent.stop();
  });

  test('needs to know what happens to existing files, and can skip them', async () => {
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

  test('edits an existing file, and keeps its comments and all other settings', async () => {
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

  test('recognizes the example that `receiptd init` writes', async () => {
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

  test('reads the secret from a file or from standard input, never from an argument; replaces the uid of an endpoint only on request, and names the affected folders; changes what happens to its files', async () => {
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
    expect((await quick(here, ['--existing', 'skip'], variables(here))).status).toBe(0);
    expect((await here.settings())['folders']).toMatchObject([{ existing: 'skip' }]);
    const again = await quick(here, ['--existing', 'skip', '--json'], variables(here));
    expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, rerouted: [] });
  });

  test('sends a waiting test receipt when it is repeated, and no second one', async () => {
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

  test("records an endpoint that root creates in the ledger of the service's user", async ({ skip }) => {
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
    // A recorded endpoint is found again, even if it was not written to the configuration file.
    await rm(here.config);
    const again = await quick(here, ['--create-endpoint', 'Owned', '--json'], env);
    expect(JSON.parse(again.stdout)).toMatchObject({ endpoint: { created: false } });
    expect(here.sandbox.endpoints().filter(({ name }) => name === 'Owned')).toHaveLength(1);
  });

  test("gives files that root writes into a service's state directory to the user of the service", async ({
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

  test.skipIf(!keychain)('stores the credentials in the keychain, where the agent finds them', async () => {
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

describe('what is refused', () => {
  describe('receiptd setup --yes', () => {
    test('names everything that is missing in one sentence, and does nothing', async () => {
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
      // The same without `--yes` and without a terminal.
      const silent = await runInProcess(['setup', '--config', here.config], { cwd: here.dir, env: here.env });
      expect(silent).toBeRefused(2, 'SETUP_INCOMPLETE', 'No terminal to ask on');
      const other = ['setup', '--non-interactive', '--config', here.config];
      expect(await runInProcess(other, { cwd: here.dir, env: here.env })).toEqual(ended);
      expect((await readdir(here.dir)).sort()).toEqual(UNTOUCHED);
    });

    test('changes nothing with wrong credentials or an unreachable service', async () => {
      const here = await desk();
      const env = variables(here);
      const wrong = await quick(here, [], { ...env, RECEIPTD_SETUP_CLIENT_SECRET: 'wrong' });
      expect(wrong).toBeRefused(1, 'CREDENTIALS_REFUSED', 'rejected these credentials');
      await here.sandbox.close();
      expect(await quick(here, [], env)).toBeRefused(5, 'SERVICE_UNREACHABLE');
      expect((await readdir(here.dir)).sort()).toEqual(UNTOUCHED);
      const unchecked = await quick(here, ['--no-verify', '--json'], env);
      expect(unchecked.status).toBe(0);
      expect(JSON.parse(unchecked.stdout)).toMatchObject({ service: { company: null } });
    });

    test('sends the stored secret of one service to no other', async () => {
      const here = await desk();
      expect((await quick(here, [], variables(here))).status).toBe(0);
      const { RECEIPTD_SETUP_CLIENT_ID: _, RECEIPTD_SETUP_CLIENT_SECRET: __, ...rest } = variables(here);
      const elsewhere = { ...rest, RECEIPTD_SETUP_BASE_URL: 'http://127.0.0.1:9' };
      expect(await quick(here, [], elsewhere)).toBeRefused(2, 'SETUP_INCOMPLETE', '--client-secret-file');
    });

    const REFUSED = [
      ['base-url', 'ftp://scans', 'an address such as'],
      ['base-url', 'http://service.example', '--base-url (RECEIPTD_SETUP_BASE_URL)'],
      ['endpoint-uid', 'no uid', 'the uid that the service assigned'],
      ['endpoint-uid', 'zzz', 'a UUID such as'],
      ['create-endpoint', 'Off\nice', 'without line breaks'],
      ['language', 'deutsch', 'such as de-DE'],
      ['existing', 'maybe', 'send, skip, or since'],
      ['rate', '60/m', 'N/s, N/min or N/h'],
      ['service', 'maybe', 'no, user, system'],
      ['folder', 'smb://server/scans', 'mount the share first'],
      ['store', 'cloud', 'keychain, file'],
      ['sandbox-port', '99999', '65535'],
      ['console-listen', '8471', 'onDemand'],
      ['console-saves', 'maybe', 'yes'],
      ['folder', '~anna/scans', 'a path'],
      ['folder', 'receiptd.txt', 'FOLDER_NOT_A_DIRECTORY'],
      ['create-endpoint', 'Another', 'not both'],
    ] as const;

    test('refuses impossible answers in one sentence each, and does nothing', async () => {
      const here = await desk();
      await writeFile(join(here.dir, 'receiptd.txt'), '');
      for (const [option, value, words] of REFUSED) {
        const ended = await quick(here, [`--${option}`, value], variables(here));
        expect([1, 2], option).toContain(ended.status);
        expect(ended.stderr).toContain(words);
        expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
        expect((await readdir(here.dir)).sort()).toEqual([
          ...UNTOUCHED.slice(0, 1),
          'receiptd.txt',
          'sandbox',
        ]);
      }
    });

    test('checks that the folder and the configuration file can be written before it creates anything', async () => {
      const here = await desk();
      const inState = { ...variables(here), RECEIPTD_STATE_DIR: here.dir };
      const ended = await quick(here, ['--folder', here.dir], inState);
      expect(ended.status).toBe(2);
      // The file was not written, so that no line of it is named.
      expect(ended.stderr).toContain('folders[0]');
      expect(ended.stderr).not.toMatch(/yaml:\d/);

      await writeFile(join(here.dir, 'file'), '');
      const args = ['--folder', 'file/in/box', '--create-folder'];
      const blocked = await quick(here, args, variables(here));
      expect(blocked.status).not.toBe(0);
      expect(blocked.stderr).toContain('[FOLDER_');
      expect((await readdir(here.dir)).sort()).toEqual(['file', ...UNTOUCHED]);

      await symlink(join(here.dir, 'gone', 'receiptd.yaml'), here.config);
      const { RECEIPTD_SETUP_ENDPOINT_UID: _, ...env } = variables(here);
      const count = here.sandbox.endpoints().length;
      expect(await quick(here, ['--create-endpoint', 'Dangling'], env)).toBeRefused(1, 'CONFIG_UNWRITABLE');
      expect(here.sandbox.endpoints()).toHaveLength(count);

      await rm(here.config);
      await writeFile(here.config, 'folders: [');
      expect(await quick(here, [], variables(here))).toBeRefused(2, 'CONFIG_SYNTAX');
      expect(await readFile(here.config, 'utf8')).toBe('folders: [');
      expect(await readdir(here.dir)).not.toContain('state');
    });
  });
});
