import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCredentialsSource } from '../../../src/api/credentials/source.ts';
import { unitLines, writableUnitFiles } from '../../../src/api/credentials/unitFiles.ts';
import { asOwnerOf } from '../../support/ordinaryUser.ts';
import { canMount } from '../../support/ownMount.ts';
import { requirement } from '../../support/requires.ts';
import { compiledHelper } from './compiledHelper.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const credentials = { clientId: 'id', clientSecret: 'sécret "1" 🧾' };

const canSeal =
  requirement(
    "systemd's credentials",
    spawnSync('systemd-creds', ['--version']).status === 0 && process.geteuid?.() === 0,
    'apt install systemd, and run as root',
  ) && canMount();

/** Says what it did as JSON; with a key of its own, in a file system of its own: that of the machine is not touched. */
const PROGRAM = `
  import { statSync } from 'node:fs';
  const [modules, directory, account] = process.argv.slice(2);
  const { unitFileStore, writableUnitFiles } = await import(modules + '/unitFiles.js');
  const credentials = JSON.parse(process.env.CREDENTIALS);
  const store = unitFileStore(directory, account || null);
  const writable = writableUnitFiles(directory, account || null);
  const before = await store.look();
  await writable.set({ clientId: 'old', clientSecret: 'old' });
  await writable.set(credentials);
  const after = await store.look();
  const key = statSync('/var/lib/systemd/credential.secret').mode & 0o777;
  console.log(JSON.stringify({ before, after, key }));
`;

let modules = '';
beforeAll(async () => {
  modules = pathToFileURL(dirname((await compiledHelper()).sourcePath)).href;
});

/** Where /var/lib/systemd is an empty directory; not of a tmpfs, where systemd-creds keeps no key. */
async function inOwnSystem(script: string, args: readonly string[]): Promise<string> {
  const own = await mkdtemp('/var/tmp/receiptd-systemd-');
  onTestFinished(() => rm(own, { recursive: true, force: true }));
  const all = ['-m', 'sh', '-c', `mount --bind ${own} /var/lib/systemd && ${script}`, 'sh', ...args];
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], CREDENTIALS: JSON.stringify(credentials) };
    execFile('unshare', all, { env }, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}: ${stderr}`)) : resolve(stdout),
    );
  });
}

describe.skipIf(!canSeal)('credentials of a unit', () => {
  it.each([
    ['', 'client_id', 'client_secret'],
    ['branch', 'client_id_branch', 'client_secret_branch'],
  ])(
    'are sealed, read back, and what systemd makes of them is what the agent reads (account "%s")',
    async (account, id, secret) => {
      const folder = await temporaryFolder();
      const directory = join(folder, 'etc', 'credentials');
      const given = join(folder, 'given');
      const program = join(folder, 'seal.mjs');
      await mkdir(given);
      await writeFile(program, PROGRAM);
      // Does what systemd does when it starts a unit with LoadCredentialEncrypted=, without a running systemd.
      const unseal = [id, secret]
        .map((name) => `systemd-creds decrypt --name=${name} "$4/receiptd.${name}" "$5/${name}" 2>/dev/null`)
        .join(' && ');
      const said = await inOwnSystem(`"$1" "$2" "$3" "$4" "$6" && ${unseal}`, [
        process.execPath,
        program,
        modules,
        directory,
        given,
        account,
      ]);
      const { before, after, key } = JSON.parse(said);
      expect(before.kind).toBe('absent');
      expect(after).toEqual({ kind: 'found', credentials });
      expect(key).toBe(0o400);
      expect((await stat(directory)).mode & 0o777).toBe(0o700);
      for (const name of [id, secret]) {
        const path = join(directory, `receiptd.${name}`);
        expect((await stat(path)).mode & 0o777).toBe(0o600);
        const sealed = await readFile(path, 'utf8');
        expect(sealed).not.toContain('cret');
        expect(Buffer.from(sealed, 'base64').toString('utf8')).not.toContain('cret');
      }
      const source = createCredentialsSource({
        store: 'systemd',
        baseUrl: 'https://service.example',
        env: { CREDENTIALS_DIRECTORY: given },
        account: account || null,
      });
      expect(await source.get()).toEqual({ ...credentials, store: 'systemd' });
      const writable = writableUnitFiles(directory, account || null);
      expect(await writable.remove()).toBe(true);
      expect(await writable.remove()).toBe(false);
    },
  );
});

it('are named in the unit line by line', () => {
  expect(unitLines('/etc/credstore.encrypted', null)).toEqual([
    'LoadCredentialEncrypted=client_id:receiptd.client_id',
    'LoadCredentialEncrypted=client_secret:receiptd.client_secret',
  ]);
  expect(unitLines('/c', 'branch')[0]).toBe(
    'LoadCredentialEncrypted=client_id_branch:/c/receiptd.client_id_branch',
  );
});

it('cannot be sealed by an ordinary user, whose error does not contain the secret', async () => {
  const folder = await temporaryFolder();
  const failed = asOwnerOf(folder, () => writableUnitFiles(join(folder, 'x'), null).set(credentials));
  await expect(failed).rejects.toMatchObject({ code: 'CREDENTIALS_UNWRITABLE' });
  await expect(failed).rejects.not.toThrow('cret "1"');
});
