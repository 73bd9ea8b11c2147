/** Refusals of `receiptd service install` before it changes anything. */
import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { installService, type InstallOptions } from '../../src/cli/serviceInstall.ts';
import { refuseLeavingLedger } from '../../src/cli/serviceLedger.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load.ts';
import { install, loadFrom, NOBODY, place, SYSTEM, type Place } from './support/servicePlace.ts';
import { isRoot } from '../support/root.ts';

// Only root installs for another user.
describe.skipIf(!isRoot)('an installation for the machine is refused', () => {
  test('with a folder that the user cannot enter, naming the obstacle, before anything is written', async () => {
    const at = await place();
    const config = await at.config();
    await chmod(at.dir, 0o755);
    const closed = join(at.dir, 'closed');
    await mkdir(join(closed, 'in/it'), { recursive: true });
    await chmod(closed, 0o700);
    const inside = { ...config, folders: [{ ...config.folders[0]!, path: join(closed, 'in/it') }] };
    await writeFile(
      config.file,
      (await readFile(config.file, 'utf8')).replace(
        JSON.stringify(at.folder),
        JSON.stringify(join(closed, 'in/it')),
      ),
    );
    await expect(install(at, inside)).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: `The user nobody can't read the folder ${closed}/in/it (FOLDER_UNREADABLE), so nothing was installed.`,
      hint: `It has no access to ${closed}. To allow it: setfacl -m u:nobody:x ${closed} && setfacl -m u:nobody:rx ${closed}/in/it; or add the user to the folder's group. Then try again.`,
    });
    await expect(stat(at.unit)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await at.asked()).toEqual(['systemctl show --property=Version']);
  });

  test('with a folder that the user must write and can only read, until it may write', async () => {
    const at = await place();
    const config = await at.config({ afterUpload: 'delete' });
    await expect(install(at, config)).rejects.toMatchObject({
      message: expect.stringContaining(`can't write the folder ${at.folder} (FOLDER_UNWRITABLE)`),
    });
    await chown(at.folder, NOBODY, NOBODY);
    const { text } = await install(at, config);
    expect(text).toContain(`ReadWritePaths=-${at.folder}\n`);
  });

  test.each<[string, (at: Place, config: Config) => Promise<unknown>, string]>([
    ['a configuration', (_, { file }) => chmod(file, 0o600), "can't read the configuration"],
    ['a program', ({ exec }) => chmod(exec, 0o700), "can't run"],
    ['a directory of the program', ({ dir }) => chmod(join(dir, 'bin'), 0o700), 'it has no access to '],
  ])('with %s that the user cannot reach', async (_, close, words) => {
    const at = await place('content');
    const config = await at.config();
    await close(at, config);
    await expect(install(at, config)).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: expect.stringContaining(words),
    });
    await expect(stat(join(at.dir, 'state'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('with a state directory of another user, while one of root is given to the user with its content', async () => {
    const at = await place('content');
    const config = await at.config();
    await mkdir(join(config.stateDir, 'spool'), { recursive: true, mode: 0o700 });
    await chmod(config.stateDir, 0o700);
    await writeFile(join(config.stateDir, 'spool/image'), 'x');
    await mkdir(join(at.dir, 'outside'));
    await symlink(join(at.dir, 'outside'), join(config.stateDir, 'logs'));
    await mkdir(join(config.stateDir, 'joes'));
    await expect(install(at, config)).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: expect.stringContaining("it contains files that are not receiptd's (joes)"),
    });
    expect((await stat(config.stateDir)).uid).toBe(0);
    await writeFile(join(config.stateDir, 'ledger.journal'), '');
    const { notes } = await install(at, config);
    expect(notes).toContain(
      `The state directory ${config.stateDir} belonged to root, and now belongs to nobody.`,
    );
    expect((await stat(join(config.stateDir, 'spool/image'))).uid).toBe(NOBODY);
    expect((await stat(join(config.stateDir, 'joes'))).uid).toBe(0);
    expect((await stat(join(at.dir, 'outside'))).uid).toBe(0);
    await chown(config.stateDir, 12_345, 12_345);
    await expect(install(at, config)).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: expect.stringContaining('belongs to a different user (12345) than nobody'),
    });
  });

  test('if it would leave the ledger of the installing person behind', async () => {
    const at = await place('content');
    const home = join(at.dir, 'home');
    const theirs = join(home, '.local/state/receiptd');
    await mkdir(theirs, { recursive: true });
    await writeFile(join(theirs, 'ledger.db'), '');
    // Makes the program believe in a user of this machine.
    const bin = join(at.dir, 'bin');
    await writeFile(
      join(bin, 'getent'),
      `#!/bin/sh\nfor name; do :; done; [ "$name" = ann ] && echo "ann:x:4711:4711::${home}:/bin/sh"\n`,
    );
    await writeFile(join(bin, 'id'), '#!/bin/sh\nfor name; do :; done; [ "$name" = ann ] && echo 4711\n');
    for (const name of ['getent', 'id']) await chmod(join(bin, name), 0o755);
    const { file } = await at.config();
    const text = await readFile(file, 'utf8');
    const { stateDir, ...rest } = JSON.parse(text) as { stateDir: string };
    await writeFile(file, JSON.stringify(rest));
    const host = { ...at.host, env: { ...at.host.env, SUDO_USER: 'ann' } };
    const installed = { file, stateDir, ledger: { kind: 'sqlite' as const } };
    await expect(refuseLeavingLedger(host, installed)).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: `The ledger of ann in ${theirs} would not be moved to ${stateDir}, and every file would be sent again.`,
      hint: expect.stringContaining('receiptd backup --final'),
    });
    // A shared ledger is the same for every user of the agent.
    const { ledger } = parseConfig(
      JSON.stringify({ ...rest, ledger: { kind: 'postgres', url: 'postgres://a@db/l' } }),
      file,
      { env: {}, platform: 'linux', home: '/root', cwd: '/', isRoot: true },
    );
    await refuseLeavingLedger(host, { ...installed, ledger });
    // Accepted if nobody uses sudo, the state directory is configured, or the service has a ledger.
    await refuseLeavingLedger(at.host, installed);
    await writeFile(file, text);
    await refuseLeavingLedger(host, installed);
    await writeFile(file, JSON.stringify(rest));
    await mkdir(stateDir);
    await writeFile(join(stateDir, 'ledger.db'), '');
    await refuseLeavingLedger(host, installed);
  });

  test('with an unknown user or an unusable program; only the default user is ever created', async () => {
    const at = await place('content');
    const config = await at.config();
    await expect(install(at, config, { user: 'nobdy-of-a-typo' })).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: 'The user nobdy-of-a-typo does not exist on this machine.',
    });
    for (const user of ['-x', '--badname', 'a:b', 'a b', '']) {
      await expect(install(at, config, { user })).rejects.toMatchObject({ code: 'USAGE' });
    }
    await chmod(at.exec, 0o700);
    const { user: _, ...byDefault } = SYSTEM;
    const asked = installService(at.io, config, { ...byDefault, exec: at.exec }, at.host);
    await expect(asked).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: expect.stringContaining("The user receiptd can't run"),
    });
    expect((await at.asked()).filter((line) => line.startsWith('useradd'))).toEqual([]);
    await expect(stat(at.unit)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('with an unreadable configuration, and the hint opens it to the group or moves it', async () => {
    const at = await place('content');
    const { file, stateDir } = await at.config();
    await chmod(file, 0o600);
    const { stdout } = await promisify(execFile)('id', ['-gn', 'nobody']);
    const group = stdout.trim();
    await expect(install(at, await loadFrom(at, file))).rejects.toMatchObject({
      hint: `Allow that user to read it: chgrp ${group} ${file} && chmod 640 ${file}`,
    });
    await chmod(file, 0o644);
    await chmod(join(at.dir, 'etc'), 0o700);
    await expect(install(at, await loadFrom(at, file))).rejects.toMatchObject({
      message: expect.stringContaining(`(it has no access to ${at.dir}/etc)`),
      hint: expect.stringMatching(/^Move it to \/etc\/receiptd/),
    });
    const own = join(at.dir, 'receiptd');
    await rename(join(at.dir, 'etc'), own);
    await expect(install(at, await loadFrom(at, join(own, 'receiptd.yaml')))).rejects.toMatchObject({
      hint: `Allow that user to open the directory: chgrp ${group} ${own} && chmod 750 ${own}`,
    });
    await expect(stat(stateDir)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('with a linked state directory of root, or one that the agent would refuse', async () => {
    const at = await place();
    const config = await at.config();
    const real = join(at.dir, 'disk');
    await mkdir(real, { mode: 0o700 });
    await symlink(real, config.stateDir);
    await expect(install(at, config)).rejects.toMatchObject({
      message: expect.stringContaining('belongs to a different user (0) than nobody'),
    });
    await chown(real, NOBODY, NOBODY);
    // The agent follows a link, but not into a directory that everyone can write, like that of these tests.
    await expect(install(at, config)).rejects.toMatchObject({
      message: expect.stringContaining('and everyone can write to'),
    });
    const { text } = await install(at, config, { dryRun: true });
    expect(text).toContain(`\nReadWritePaths=-${real}\n`);
    expect((await lstat(config.stateDir)).isSymbolicLink()).toBe(true);
  });

  test('for the same reasons in a dry run', async () => {
    const at = await place('content');
    const config = await at.config();
    const refusals = async (more: Partial<InstallOptions> = {}) => {
      const { refusal } = await install(at, config, { ...more, dryRun: true });
      const real: unknown = await install(at, config, more).then(
        () => null,
        (error: unknown) => error,
      );
      expect(refusal).toMatchObject({ message: (real as Error).message });
      return refusal?.code;
    };
    expect(await refusals({ user: 'nobody-of-that-name' })).toBe('INSTALL_REFUSED');
    expect(await refusals({ scope: 'user', user: 'root' })).toBe('USAGE');
    await chmod(at.exec, 0o700);
    expect(await refusals()).toBe('INSTALL_REFUSED');
    await chmod(at.exec, 0o755);
    await writeFile(at.unit, '[Service]\n');
    expect(await refusals()).toBe('INSTALL_EDITED');
    // For a package, nothing on this machine matters.
    const elsewhere = await install(at, config, { dryRun: true, elsewhere: true });
    expect(elsewhere).toMatchObject({ notes: [], refusal: null });
  });
});
