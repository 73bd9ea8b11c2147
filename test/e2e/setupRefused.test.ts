import { readFile, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requirement } from '../support/requires.ts';
import { desk } from './support/desk.ts';
import { runInProcess } from './support/inProcess.ts';
import { quick, UNTOUCHED, variables } from './support/unattended.ts';

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

  test('leaves an invalid configuration file unchanged', async () => {
    const here = await desk();
    await writeFile(here.config, 'folders: [');
    expect(await quick(here, [], variables(here))).toBeRefused(2, 'CONFIG_SYNTAX');
    expect(await readFile(here.config, 'utf8')).toBe('folders: [');
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
    ['rate', '60', 'N/s, N/min or N/h'],
    ['service', 'maybe', 'no, user, system'],
    ['folder', 'smb://server/scans', 'mount the share first'],
    ['store', 'cloud', 'keychain, file'],
    ['sandbox-port', '99999', '65535'],
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
      expect((await readdir(here.dir)).sort()).toEqual([...UNTOUCHED.slice(0, 1), 'receiptd.txt', 'sandbox']);
    }
  });

  test('names the key of an impossible answer, but no line of a file that was not written', async () => {
    const here = await desk();
    const ended = await quick(here, ['--folder', here.dir], {
      ...variables(here),
      RECEIPTD_STATE_DIR: here.dir,
    });
    expect(ended.status).toBe(2);
    expect(ended.stderr).toContain('folders[0]');
    expect(ended.stderr).not.toMatch(/yaml:\d/);
  });

  test('refuses a folder that cannot be created before it changes anything', async () => {
    const here = await desk();
    await writeFile(join(here.dir, 'file'), '');
    const args = ['--folder', 'file/in/box', '--create-folder'];
    const ended = await quick(here, args, variables(here));
    expect(ended.status).not.toBe(0);
    expect(ended.stderr).toContain('[FOLDER_');
    expect((await readdir(here.dir)).sort()).toEqual(['file', ...UNTOUCHED]);
  });

  test('checks that the configuration file can be written before it creates anything', async () => {
    const here = await desk();
    await symlink(join(here.dir, 'gone', 'receiptd.yaml'), here.config);
    const { RECEIPTD_SETUP_ENDPOINT_UID: _, ...env } = variables(here);
    const count = here.sandbox.endpoints().length;
    expect(await quick(here, ['--create-endpoint', 'Dangling'], env)).toBeRefused(1, 'CONFIG_UNWRITABLE');
    expect(here.sandbox.endpoints()).toHaveLength(count);
    expect(await readdir(here.dir)).not.toContain('state');
  });

  const proc = requirement('/proc', process.platform === 'linux', 'Linux has it');
  test.skipIf(!proc)('checks that the folder of the configuration file can be created', async () => {
    const here = await desk();
    const { RECEIPTD_SETUP_ENDPOINT_UID: _, ...env } = variables(here);
    const count = here.sandbox.endpoints().length;
    const args = ['--create-endpoint', 'Nowhere', '--config', '/proc/none/receiptd.yaml'];
    expect(await quick(here, args, env)).toBeRefused(1, 'CONFIG_UNWRITABLE', '/proc/none/receiptd.yaml');
    expect(here.sandbox.endpoints()).toHaveLength(count);
    expect((await readdir(here.dir)).sort()).toEqual(UNTOUCHED);
  });
});
