import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, test } from 'vitest';
import { checkUnit } from '../../src/cli/checkUnit.ts';
import { definedService, installService } from '../../src/cli/serviceInstall.ts';
import { canMount } from '../support/ownMount.ts';
import { MAIN, OFFICE, prepare, until } from './support/agent.ts';
import { booted, install, place, SYSTEM } from './support/servicePlace.ts';
import { isRoot } from '../support/root.ts';
import { canNotify, type NotifySocket, openNotifySocket } from '../support/notifySocket.ts';
import { Launchd } from '../../src/features/os-service/launchd/manager.ts';
import { packagedUnit } from '../../src/features/os-service/packagedUnit.ts';
import { Systemd } from '../../src/features/os-service/systemd/manager.ts';
import { defaultConfigText } from '../../src/config/template.ts';
import { ordinaryUserCanRun } from './support/commandLine.ts';
import { desk } from './support/desk.ts';
import { variables } from './support/unattended.ts';

// Only root installs for another user.
describe.skipIf(!isRoot)('an installation of the service for the machine', () => {
  test('as a dry run lists the same steps in the same order, and changes nothing', async () => {
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
    // There is less to do if the definition is the same.
    const again = await install(at, config, { dryRun: true });
    expect(again.notes).toContain(`${at.unit} was not changed.`);
    expect(again.notes.join()).not.toContain('state directory');
  });

  test('finds credentials that systemd holds, and reports missing ones otherwise', async () => {
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

  test('says what to do without a service manager', async () => {
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

test.skipIf(!isRoot || !canMount())(
  'each service command asks the service manager for its work, and each option changes it',
  async () => {
    const at = await place('content');
    const { file } = await at.config();
    const install = `install --user nobody --exec ${at.exec}`;
    const EDIT = 'sed -i s/RestartSec=10/RestartSec=77/ "$UNIT"';
    const stdout = await booted(
      at,
      `touch record.refuses
      receiptd service ${install}
      rm record.refuses; ls "$UNIT" 2>/dev/null || true; ln -s /dev/null "$UNIT"
      receiptd service ${install} --no-start
      stat -c '%U %a %F' "$UNIT" state; touch record.fails
      receiptd service start
      rm record.fails
      receiptd service start --scope user
      receiptd service stop --scope user
      receiptd service restart --scope user
      receiptd service status --json --scope user
      receiptd service logs --lines 7 --follow --scope user
      receiptd service uninstall --scope user
      ${EDIT}
      receiptd service ${install} --scope user
      receiptd service ${install}
      receiptd service ${install} --force
      ${EDIT}
      receiptd service uninstall
      receiptd service uninstall --force
      touch record.absent
      receiptd service stop`,
      { RECEIPTD_CONFIG: file },
    );
    expect(stdout.replaceAll(install, 'install')).toBe(`> service install
MANAGER_FAILED
systemctl daemon-reload
systemctl enable receiptd.service
> service install --no-start
receiptd.service was masked, probably by a removed package, and has been unmasked.
systemctl daemon-reload
systemctl enable receiptd.service
root 644 regular file
nobody 700 directory
> service start
MANAGER_FAILED
systemctl start receiptd.service
journalctl _SYSTEMD_INVOCATION_ID=0123456789abcdef0123456789abcdef _SYSTEMD_UNIT=receiptd.service --lines=200 --no-pager --output=cat --quiet
> service start --scope user
systemctl --user start receiptd.service
> service stop --scope user
systemctl --user stop receiptd.service
> service restart --scope user
systemctl --user restart receiptd.service
> service status --json --scope user
"1 of 1 folder watched",
> service logs --lines 7 --follow --scope user
journalctl --user-unit=receiptd.service --lines=7 --no-pager --output=cat --follow
> service uninstall --scope user
NOT_INSTALLED
> service install --scope user
USAGE
> service install
INSTALL_EDITED
> service install --force
- RestartSec=77
+ RestartSec=10
systemctl daemon-reload
systemctl enable receiptd.service
systemctl restart receiptd.service
> service uninstall
INSTALL_EDITED
> service uninstall --force
systemctl disable --now receiptd.service
systemctl daemon-reload
systemctl reset-failed receiptd.service
> service stop
NOT_INSTALLED
`);
  },
);

test('`check` finds what the unit in effect forbids, until it is installed for the configuration', async () => {
  const at = await place();
  const config = await at.config({ afterUpload: 'archive', needsAttention: 'look here' });
  const unit = join(at.dir, 'record.unit');
  const found = async () =>
    (await checkUnit(config, at.host)).map(({ level, fact }) =>
      fact.is === 'error' ? [level, fact.error.key, fact.error.params] : [level, fact.is],
    );
  // Nobody can say, or it runs another agent.
  expect(await found()).toEqual([]);
  await writeFile(unit, packagedUnit());
  expect(await found()).toEqual([]);
  const packaged = packagedUnit().replaceAll('/etc/receiptd/receiptd.yaml', config.file);
  const of = {
    unit: '/lib/systemd/system/receiptd.service',
    command: `sudo receiptd service install --config ${config.file}`,
  };
  await writeFile(unit, `# ${of.unit}\n${packaged.replace('PrivateTmp=yes', 'PrivateTmp=no')}`);
  const places = [config.stateDir, dirname(config.file), at.folder];
  expect(await found()).toEqual([['fail', 'FOLDER_UNWRITABLE.unit', { ...of, places }]]);
  await writeFile(unit, `# ${of.unit}\n${packaged}`);
  expect(await found()).toMatchObject([['fail', 'FOLDER_UNREADABLE.unit', { places: [at.folder] }], {}]);
  const dropIn = `# /etc/systemd/system/receiptd.service.d/override.conf
[Service]
PrivateTmp=no
ReadWritePaths=
ReadWritePaths=-${at.folder} \\
  "${config.stateDir}"
`;
  await writeFile(unit, `# ${of.unit}\n${packaged}\n${dropIn}`);
  expect(await found()).toEqual([
    ['warn', 'FOLDER_UNWRITABLE.unit', { ...of, places: [dirname(config.file)] }],
  ]);
  const { text } = await definedService(at.io, config, { ...SYSTEM, exec: at.exec }, at.host);
  await writeFile(unit, `# ${at.unit}\n${text}`);
  expect(await found()).toEqual([['ok', 'unitFits']]);
});

test('root installs a service of the machine, and a user their own service', async () => {
  const at = await place();
  const ordinary = { ...at, host: { ...at.host, uid: 1_000 } };
  await expect(install(ordinary, await at.config())).rejects.toMatchObject({ code: 'ROOT_NEEDED' });
  const root = { ...at, host: { ...at.host, uid: 0 } };
  const own = { scope: 'user' as const, user: 'root' };
  await expect(install(root, await at.config(), own)).rejects.toMatchObject({ code: 'USAGE' });
  expect(await at.asked()).toEqual([]);
});

describe('the agent of a service', () => {
  let socket: NotifySocket | null = null;
  afterEach(() => socket?.close());

  describe.skipIf(!canNotify)('an agent under a service manager', () => {
    it('reports when it is ready, its status, signs of life, reloads and its stop', async () => {
      const site = await prepare();
      socket = await openNotifySocket(join(site.dir, 'notify'));
      const { said } = socket;
      site.env = { ...site.env, NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '1000000' };
      const agent = await site.start();
      await until(() => said.filter((each) => each === 'WATCHDOG=1').length >= 3);
      expect(said[0]).toBe('READY=1');
      expect(said.filter((each) => each.startsWith('STATUS='))).toEqual([
        expect.stringMatching(/^STATUS=[01] of 1 folder watched, 0 documents wait\.$/),
      ]);
      agent.signal('SIGHUP');
      await until(() => said.filter((each) => each === 'READY=1').length === 2);
      const reloading = said.indexOf('RELOADING=1');
      expect(reloading).toBeGreaterThan(0);
      expect(said[reloading + 1]).toMatch(/^MONOTONIC_USEC=\d+$/);
      expect(said.lastIndexOf('READY=1')).toBeGreaterThan(reloading);
      const { status } = await agent.stop();
      expect(status).toBe(0);
      expect(said).toContain('STOPPING=1');
      expect(agent.stderr).not.toContain('could not be told');
    });
  });
});

describe('service managers', () => {
  test('a service that does not start is reported with the unmet condition or its last error', async () => {
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

  test('a user who may not stop a service of the machine is told to use root', async () => {
    const at = await place();
    await writeFile(join(at.dir, 'record.denies'), '');
    const manager = new Systemd({ ...at.host, uid: 1_000 }, 'system', 'nobody');
    await expect(manager.stop()).rejects.toMatchObject({ code: 'ROOT_NEEDED', hint: 'Use sudo.' });
  });

  test('the service commands load, reload, stop and remove a launchd job', async () => {
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
});

/** Installation of the service by `receiptd setup`, with a stand-in for systemctl that records its arguments; see service.test.ts. */
describe('setup', () => {
  test.skipIf(!isRoot || !canMount() || !ordinaryUserCanRun)(
    'setup installs the service once for --service-user, and leaves it running when it is repeated',
    async () => {
      const [at, here] = [await place(), await desk()];
      for (const path of [here.dir, join(here.dir, 'home'), here.scans]) await chmod(path, 0o755);
      const values = { baseUrl: here.sandbox.url, uid: OFFICE, folder: here.scans };
      await writeFile(here.config, `${defaultConfigText(values)}stateDir: ${join(here.dir, 'state')}\n`);
      const setup = 'receiptd setup --yes --json --store file --service system --service-user nobody';
      const stdout = await booted(
        at,
        `${setup}
        ${setup}
        chmod 777 ${here.scans}; sed -i 's/^ *endpoint: office/&\\n    afterUpload: archive/' "$RECEIPTD_CONFIG"
        ${setup}`,
        variables(here),
      );
      const installed = `"nobody",
systemctl daemon-reload
systemctl enable receiptd.service
systemctl restart receiptd.service
`;
      expect(stdout.split(/^> .*\n/m)).toEqual(['', installed, '"nobody",\n', installed]);
    },
  );
});
