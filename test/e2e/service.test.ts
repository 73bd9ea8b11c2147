/**
 * `receiptd service`: as a real other user, with the built binary. Only the service manager is none: a program in its place writes down
 * what it is asked. A real one is booted by `npm run trial:boot`.
 */
import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { installService, type InstallOptions } from '../../src/cli/serviceInstall.ts';
import { refuseLeavingLedger } from '../../src/cli/serviceLedger.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig, parseConfig } from '../../src/config/load.ts';
import { Launchd } from '../../src/features/os-service/launchd/manager.ts';
import type { Host } from '../../src/features/os-service/host.ts';
import { Systemd } from '../../src/features/os-service/systemd/manager.ts';
import { MAIN, OFFICE, temporaryDirectory } from './support/agent.ts';

const isRoot = process.geteuid?.() === 0;
const NOBODY = 65_534;

/** Writes down what it is asked, and does nothing. */
const SYSTEMCTL = `#!/bin/sh
echo "systemctl $*" >> "$RECORD"
case "$*" in
  *Version*) echo Version=252 ;;
  "show receiptd.service"*) if [ -e "$RECORD.waits" ]; then
    printf 'LoadState=loaded\\nActiveState=failed\\nSubState=failed\\nStatusText=Stopping.\\nMainPID=0\\nResult=success\\nConditionResult=no\\n'
  elif [ -e "$RECORD.fails" ]; then
    printf 'LoadState=loaded\\nActiveState=failed\\nSubState=failed\\nMainPID=0\\nResult=exit-code\\nConditionResult=yes\\nInvocationID=0123456789abcdef0123456789abcdef\\n'
  else printf 'LoadState=loaded\\nActiveState=active\\nSubState=running\\nUnitFileState=enabled\\nStatusText=1 of 1 folder watched\\nMainPID=42\\nResult=success\\n'; fi ;;
  status*) printf '  Condition: start condition failed at Sun 2026-11-22 09:00:00 UTC; 1s ago\\n             └─ ConditionPathExists=/etc/receiptd/receiptd.yaml was not met\\n'; exit 3 ;;
  enable*) [ ! -e "$RECORD.refuses" ] || { echo 'Failed to enable unit.' >&2; exit 1; } ;;
  stop*) [ ! -e "$RECORD.denies" ] || { echo 'Failed to stop receiptd.service: Interactive authentication required.' >&2; exit 1; } ;;
  restart*) [ ! -e "$RECORD.fails" ] || { echo 'Job for receiptd.service failed.' >&2; exit 1; } ;;
esac
`;
/** The log of a run that failed, if there is one. */
const JOURNALCTL = `#!/bin/sh
case "$*" in *_SYSTEMD_INVOCATION_ID=0123456789abcdef0123456789abcdef*) cat "$RECORD.fails" ;; esac
`;
/** A job that is ended is there for a while: it is found three times more. */
const LAUNCHCTL = `#!/bin/sh
echo "launchctl $*" >> "$RECORD"
case "$1" in
  print) [ ! -e "$RECORD.going" ] || { echo . >> "$RECORD.going"; [ $(wc -l < "$RECORD.going") -lt 4 ] || rm "$RECORD.going" "$RECORD.loaded"; }
    [ -e "$RECORD.loaded" ] || exit 113; printf 'receiptd = {\\n\\tstate = running\\n\\tpid = 42\\n}\\n' ;;
  bootstrap) [ ! -e "$RECORD.loaded" ] || { echo 'Bootstrap failed: 5: Input/output error' >&2; exit 5; }; touch "$RECORD.loaded" ;;
  bootout) touch "$RECORD.going" ;;
esac
`;

interface Place {
  readonly dir: string;
  readonly host: Host;
  readonly io: Io;
  readonly exec: string;
  readonly folder: string;
  readonly unit: string;
  asked(): Promise<string[]>;
  config(folder?: object): Promise<Config>;
}

/** `exec`: the built program, or one whose `check` finds nothing, where what it finds is not the point. */
async function place(exec: 'built' | 'content' = 'built'): Promise<Place> {
  const dir = await temporaryDirectory();
  await chmod(dir, 0o755);
  const [folder, bin, record] = [join(dir, 'scans'), join(dir, 'bin'), join(dir, 'record')];
  for (const each of [folder, bin, join(dir, 'etc'), join(dir, 'units')]) await mkdir(each, { mode: 0o755 });
  await writeFile(record, '');
  const program = join(bin, 'receiptd');
  const built = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  await writeFile(program, exec === 'built' ? built : "#!/bin/sh\necho '[]'\n");
  await writeFile(join(bin, 'systemctl'), SYSTEMCTL);
  await writeFile(join(bin, 'launchctl'), LAUNCHCTL);
  await writeFile(join(bin, 'journalctl'), JOURNALCTL);
  await writeFile(join(bin, 'useradd'), '#!/bin/sh\necho "useradd $*" >> "$RECORD"\nexit 1\n');
  for (const name of ['receiptd', 'useradd', 'systemctl', 'journalctl', 'launchctl'])
    await chmod(join(bin, name), 0o755);
  const env = { PATH: `${bin}:${process.env['PATH']}`, RECORD: record, HOME: dir };
  const host: Host = {
    platform: 'linux',
    uid: process.geteuid?.() ?? -1,
    userName: 'root',
    home: dir,
    env,
    definitionsDir: join(dir, 'units'),
  };
  const { stdin, stdout, stderr } = process;
  const stop = new AbortController().signal;
  const file = join(dir, 'etc/receiptd.yaml');
  return {
    dir,
    host,
    io: { stdin, stdout, stderr, env, cwd: dir, stop, onReload: () => () => {} },
    exec: program,
    folder,
    unit: join(dir, 'units/receiptd.service'),
    asked: async () =>
      (await readFile(record, 'utf8'))
        .trim()
        .split('\n')
        .filter((line) => line !== ''),
    config: async (more = {}) => {
      const config = {
        service: { baseUrl: 'http://127.0.0.1:9' },
        endpoints: { office: { uid: OFFICE } },
        folders: [{ path: folder, endpoint: 'office', ...more }],
        stateDir: join(dir, 'state'),
      };
      await writeFile(file, JSON.stringify(config));
      await chmod(file, 0o644);
      return loadConfig(file, { env: {}, platform: 'linux', home: dir, cwd: dir, isRoot: true });
    },
  };
}

const SYSTEM: InstallOptions = { scope: 'system', user: 'nobody', start: true, dryRun: false };

function install(at: Place, config: Config, more: Partial<InstallOptions> = {}) {
  return installService(at.io, config, { ...SYSTEM, exec: at.exec, ...more }, at.host);
}

/** The configuration as it is, wherever it was moved to. */
function loadFrom(at: Place, file: string): Promise<Config> {
  return loadConfig(file, { env: {}, platform: 'linux', home: at.dir, cwd: at.dir, isRoot: true });
}

// Only root installs for another user.
describe.skipIf(!isRoot)('installed for the machine', () => {
  test('the unit is written, enabled and started, and its user has the state directory', async () => {
    const at = await place('content');
    const made = await install(at, await at.config());
    expect(made).toMatchObject({ file: at.unit, manager: 'systemd', user: 'nobody', started: true });
    expect(await readFile(at.unit, 'utf8')).toBe(made.text);
    expect((await stat(at.unit)).mode & 0o777).toBe(0o644);
    expect(await stat(join(at.dir, 'state'))).toMatchObject({ uid: NOBODY, mode: 0o40700 });
    expect(await at.asked()).toEqual([
      'systemctl show --property=Version',
      'systemctl daemon-reload',
      'systemctl enable receiptd.service',
      'systemctl restart receiptd.service',
      expect.stringMatching(/^systemctl show receiptd.service /),
    ]);
    // And once more: nothing changes, and it says so.
    const again = await install(at, await at.config(), { start: false });
    expect(again.notes).toContain(`${at.unit} was not changed.`);
  });

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

  test('a unit that was changed by hand stays, unless it is forced', async () => {
    const at = await place('content');
    const config = await at.config();
    await install(at, config);
    const changed = (await readFile(at.unit, 'utf8')).replace('RestartSec=10', 'RestartSec=77');
    await writeFile(at.unit, changed);
    await expect(install(at, config)).rejects.toMatchObject({ code: 'INSTALL_EDITED' });
    expect(await readFile(at.unit, 'utf8')).toBe(changed);
    const { notes } = await install(at, config, { force: true });
    expect(notes.join('\n')).toContain('- RestartSec=77\n+ RestartSec=10');
  });

  test('what systemd says when it does not start is handed on', async () => {
    const at = await place('content');
    await writeFile(join(at.dir, 'record.fails'), '');
    await expect(install(at, await at.config())).rejects.toMatchObject({
      code: 'MANAGER_FAILED',
      message: '`systemctl restart receiptd.service` failed: Job for receiptd.service failed.',
    });
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

  test('a dry run names the steps of the real one in their order, and changes nothing', async () => {
    const at = await place('content');
    const config = await at.config();
    const before = await readdir(at.dir, { recursive: true });
    const dry = await install(at, config, { dryRun: true });
    expect(dry).toMatchObject({ started: false, refusal: null });
    expect(dry.notes.filter((note) => note.startsWith('Would '))).toEqual([
      `Would create the state directory ${config.stateDir}, or give it to nobody.`,
      `Would write ${at.unit} and set it to start with the machine.`,
      'Would start or restart the service.',
    ]);
    expect((await readdir(at.dir, { recursive: true })).sort()).toEqual(before.sort());
    expect((await at.asked()).filter((line) => !/ show /.test(`${line} `))).toEqual([]);
    const real = await install(at, config);
    expect({ text: real.text, warnings: real.notes }).toEqual({
      text: dry.text,
      warnings: dry.notes.filter((note) => !note.startsWith('Would ')),
    });
    // Over the same definition there is less to do.
    const again = await install(at, config, { dryRun: true });
    expect(again.notes).toContain(`${at.unit} was not changed.`);
    expect(again.notes.join()).not.toContain('state directory');
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

  test('credentials that systemd holds are not missed, others are', async () => {
    const at = await place();
    const config = await at.config();
    const store = join(at.dir, 'credstore');
    await mkdir(store);
    const host = { ...at.host, credentialStores: [store] };
    const missed = async () => {
      const how = { ...SYSTEM, exec: at.exec };
      const { notes } = await installService(at.io, config, how, host);
      return notes.filter((note) => note.includes('CREDENTIALS_MISSING')).length;
    };
    await writeFile(join(store, 'receiptd.client_id'), 'x', { mode: 0o600 });
    expect(await missed()).toBe(1);
    await writeFile(join(store, 'receiptd.client_secret'), 'x', { mode: 0o600 });
    expect(await missed()).toBe(0);
  });

  test('what systemd does not take is not left behind', async () => {
    const at = await place('content');
    await writeFile(join(at.dir, 'record.refuses'), '');
    await expect(install(at, await at.config())).rejects.toMatchObject({ code: 'MANAGER_FAILED' });
    await expect(stat(at.unit)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a unit that a removed package left masked is no unit of anybody, and is unmasked', async () => {
    const at = await place('content');
    await symlink('/dev/null', at.unit);
    const { notes, text } = await install(at, await at.config());
    expect(notes).toContainEqual(expect.stringContaining('was masked'));
    expect((await lstat(at.unit)).isFile()).toBe(true);
    expect(await readFile(at.unit, 'utf8')).toBe(text);
  });
});

test('systemd is asked to stop, start and forget it, and says how it is', async () => {
  const at = await place();
  const manager = new Systemd(at.host, 'system', 'nobody');
  await manager.start();
  await manager.stop();
  await writeFile(at.unit, 'x');
  expect(await manager.status()).toEqual({
    isInstalled: true,
    isRunning: true,
    isEnabled: true,
    state: 'active (running)',
    says: '1 of 1 folder watched',
    pid: 42,
  });
  await manager.uninstall();
  await expect(stat(at.unit)).rejects.toMatchObject({ code: 'ENOENT' });
  expect((await at.asked()).filter((line) => !line.includes(' show '))).toEqual([
    'systemctl start receiptd.service',
    'systemctl stop receiptd.service',
    'systemctl disable --now receiptd.service',
    'systemctl daemon-reload',
    'systemctl reset-failed receiptd.service',
  ]);
  expect(new Systemd(at.host, 'user', 'x').logs({ lines: 5, follow: true })).toEqual(
    expect.arrayContaining(['--user-unit=receiptd.service', '--lines=5', '--follow']),
  );
});

test('what does not start says why: the condition that is not met, or the error that it ended with', async () => {
  const at = await place();
  const manager = new Systemd(at.host, 'system', 'nobody');
  await writeFile(join(at.dir, 'record.waits'), '');
  await expect(manager.start()).rejects.toMatchObject({
    code: 'MANAGER_FAILED',
    message:
      'receiptd.service did not start: the condition ConditionPathExists=/etc/receiptd/receiptd.yaml in its unit is not met.',
  });
  expect(await manager.status()).toMatchObject({ isRunning: false, says: null });
  await rm(join(at.dir, 'record.waits'));
  const log = 'Starting.\nerror: a.yaml:1:1: one\na.yaml:2:1: two [CONFIG_INVALID]\nFailed.\n';
  await writeFile(join(at.dir, 'record.fails'), log);
  await expect(manager.restart()).rejects.toMatchObject({
    code: 'MANAGER_FAILED',
    message: 'receiptd.service did not start: a.yaml:1:1: one; a.yaml:2:1: two [CONFIG_INVALID]',
  });
});

test('who may not stop a service of the machine is sent to root', async () => {
  const at = await place();
  await writeFile(join(at.dir, 'record.denies'), '');
  const manager = new Systemd({ ...at.host, uid: 1_000 }, 'system', 'nobody');
  await expect(manager.stop()).rejects.toMatchObject({ code: 'ROOT_NEEDED', hint: 'Use sudo.' });
});

test('launchd loads it, waits until it has gone, loads it again, stops and forgets it', async () => {
  const at = await place();
  const manager = new Launchd({ ...at.host, platform: 'darwin' }, 'system', '_receiptd', at.dir);
  await manager.install('text');
  await manager.restart();
  await manager.restart();
  expect(await manager.status()).toMatchObject({ isInstalled: true, isRunning: true, pid: 42 });
  await manager.stop();
  expect(await manager.status()).toMatchObject({ isInstalled: true, isRunning: false });
  await manager.uninstall();
  expect(await manager.status()).toMatchObject({ isInstalled: false });
  expect((await at.asked()).filter((line) => !line.includes(' print '))).toEqual([
    'launchctl enable system/receiptd',
    `launchctl bootstrap system ${join(at.dir, 'units/receiptd.plist')}`,
    'launchctl bootout system/receiptd',
    `launchctl bootstrap system ${join(at.dir, 'units/receiptd.plist')}`,
    'launchctl bootout system/receiptd',
  ]);
});

describe('the built program', () => {
  const run = promisify(execFile);

  test('prints a unit and nothing else on a dry run, without root, the user or a service manager', async () => {
    const at = await place();
    const { file } = await at.config();
    const words = ['service', 'install', '--dry-run', '--user', 'receiptd-of-a-package', '--config', file];
    const without = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    const [program, ...args] = [
      ...without,
      process.execPath,
      MAIN,
      ...words,
      '--exec',
      '/usr/bin/receiptd',
      '--config-at',
      '/etc/receiptd/receiptd.yaml',
    ];
    const { stdout, stderr } = await run(program, args, {
      env: { PATH: process.env['PATH'], HOME: '/' },
      cwd: '/',
    });
    expect(stdout).toMatch(/^# Made by .*\n\[Unit\]\n/);
    expect(stdout).toContain(`ExecStart=/usr/bin/receiptd run --config /etc/receiptd/receiptd.yaml\n`);
    expect(stdout).toContain('User=receiptd-of-a-package\n');
    expect(stderr).toBe('');
  });

  test('says what to do where no service manager is', async () => {
    const at = await place();
    const { file } = await at.config();
    const command = ['service', 'status', '--scope', 'system', '--config', file];
    const asked = run(process.execPath, [MAIN, ...command], {
      env: { PATH: at.dir, HOME: at.dir },
      cwd: '/',
    });
    await expect(asked).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: This machine does not run systemd.*`receiptd run` in the foreground\. \[MANAGER_ABSENT\]\n$/,
      ),
    });
  });
});

test('a service of the machine is installed by root, one of a user by that user', async () => {
  const at = await place();
  const ordinary = { ...at, host: { ...at.host, uid: 1_000 } };
  await expect(install(ordinary, await at.config())).rejects.toMatchObject({ code: 'ROOT_NEEDED' });
  const root = { ...at, host: { ...at.host, uid: 0 } };
  const own = { scope: 'user' as const, user: 'root' };
  await expect(install(root, await at.config(), own)).rejects.toMatchObject({ code: 'USAGE' });
  expect(await at.asked()).toEqual([]);
});
