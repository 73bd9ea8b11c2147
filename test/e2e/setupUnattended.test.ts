import { chown, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultConfigText } from '../../src/config/template.ts';
import { drawTestReceipt } from '../../src/demo/testReceipt.ts';
import { keytarIsHere, secretService, secretServiceIsHere } from '../api/credentials/secretService.ts';
import { ordinaryOwner } from '../support/ordinaryUser.ts';
import { requirement } from '../support/requires.ts';
import { DEPOT, OFFICE, until } from './support/agent.ts';
import { quickly, receiptd } from './support/commandLine.ts';
import { SECRET, desk } from './support/desk.ts';
import { Resident, runInProcess } from './support/inProcess.ts';
import { quick, variables } from './support/unattended.ts';

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

  test('reads the secret from a file or from standard input, never from an argument', async () => {
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

  test('replaces the uid of an endpoint only on request, and names the affected folders', async () => {
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

  test('changes what happens to files of a configured folder', async () => {
    const here = await desk();
    expect((await quick(here, [], variables(here))).status).toBe(0);
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
