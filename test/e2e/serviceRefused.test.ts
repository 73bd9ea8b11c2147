/** What `receiptd service install` refuses, before it changes anything. */
import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { installService, type InstallOptions } from '../../src/cli/serviceInstall.ts';
import { refuseLeavingLedger } from '../../src/cli/serviceLedger.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load.ts';
import { install, isRoot, loadFrom, NOBODY, place, SYSTEM, type Place } from './support/servicePlace.ts';

// Only root installs for another user.
describe.skipIf(!isRoot)('an installation for the machine', () => {
  test('a folder that the user cannot enter is refused, with what is in the way, before anything is written', async () => {
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

  test('a folder that it can read and has to write is refused until it may', async () => {
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
  ])('%s that it cannot reach is refused', async (_, close, words) => {
    const at = await place();
    const config = await at.config();
    await close(at, config);
    await expect(install(at, config)).rejects.toMatchObject({
      code: 'INSTALL_REFUSED',
      message: expect.stringContaining(words),
    });
    await expect(stat(join(at.dir, 'state'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a state directory of root is taken over with what lies in it, one of somebody else is not', async () => {
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

  test('a ledger of the one who sets it up is not left behind', async () => {
    const at = await place();
    const home = join(at.dir, 'home');
    const theirs = join(home, '.local/state/receiptd');
    await mkdir(theirs, { recursive: true });
    await writeFile(join(theirs, 'ledger.db'), '');
    // A person of this machine, as far as the program is told.
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
    // A shared ledger is where it is, anyone who runs the agent.
    const { ledger } = parseConfig(
      JSON.stringify({ ...rest, ledger: { kind: 'postgres', url: 'postgres://a@db/l' } }),
      file,
      { env: {}, platform: 'linux', home: '/root', cwd: '/', isRoot: true },
    );
    await refuseLeavingLedger(host, { ...installed, ledger });
    // It is not hers who asks, it is named, or the service has one.
    await refuseLeavingLedger(at.host, installed);
    await writeFile(file, text);
    await refuseLeavingLedger(host, installed);
    await writeFile(file, JSON.stringify(rest));
    await mkdir(stateDir);
    await writeFile(join(stateDir, 'ledger.db'), '');
    await refuseLeavingLedger(host, installed);
  });

  test('only the default user is created, and only where the program could be run', async () => {
    const at = await place();
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

  test('a closed configuration is opened by the group, which has a name; a closed directory that is not its own stays', async () => {
    const at = await place();
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

  test('a state directory that root links to one of the user is for the agent to judge, one of root is refused', async () => {
    const at = await place();
    const config = await at.config();
    const real = join(at.dir, 'disk');
    await mkdir(real, { mode: 0o700 });
    await symlink(real, config.stateDir);
    await expect(install(at, config)).rejects.toMatchObject({
      message: expect.stringContaining('belongs to a different user (0) than nobody'),
    });
    await chown(real, NOBODY, NOBODY);
    // The agent follows a link, though not to below a directory that is everybody's, as the one of these tests is.
    await expect(install(at, config)).rejects.toMatchObject({
      message: expect.stringContaining('and everyone can write to'),
    });
    const { text } = await install(at, config, { dryRun: true });
    expect(text).toContain(`\nReadWritePaths=-${real}\n`);
    expect((await lstat(config.stateDir)).isSymbolicLink()).toBe(true);
  });

  test('a dry run is refused as the real one is', async () => {
    const at = await place();
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
    await chmod(at.folder, 0o700);
    expect(await refusals()).toBe('INSTALL_REFUSED');
    await chmod(at.folder, 0o755);
    await writeFile(at.unit, '[Service]\n');
    expect(await refusals()).toBe('INSTALL_EDITED');
    // For a package nothing of this machine counts.
    const elsewhere = await install(at, config, { dryRun: true, elsewhere: true });
    expect(elsewhere).toMatchObject({ notes: [], refusal: null });
  });
});
