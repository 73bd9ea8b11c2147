import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { installService } from '../../src/cli/serviceInstall.ts';
import { canMount } from '../support/ownMount.ts';
import { MAIN } from './support/agent.ts';
import { BOOTED, install, place, SYSTEM } from './support/servicePlace.ts';
import { isRoot } from '../support/root.ts';

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
    const script = `${BOOTED}
    receiptd() { asked service "$@"; }
    touch record.refuses; receiptd ${install}; rm record.refuses; ls $unit 2>/dev/null
    ln -s /dev/null $unit; receiptd ${install} --no-start; stat -c '%U %a %F' $unit state
    touch record.fails; receiptd start; rm record.fails
    for verb in start stop restart 'status --json' 'logs --lines 7 --follow' uninstall; do receiptd $verb --scope user; done
    edit; receiptd ${install} --scope user; receiptd ${install}; receiptd ${install} --force
    edit; receiptd uninstall; receiptd uninstall --force
    touch record.absent; receiptd stop`;
    const env = { ...at.host.env, NODE: process.execPath, MAIN, RECEIPTD_CONFIG: file };
    const { stdout } = await promisify(execFile)('unshare', ['-m', 'sh', '-c', script], { env });
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

test('root installs a service of the machine, and a user their own service', async () => {
  const at = await place();
  const ordinary = { ...at, host: { ...at.host, uid: 1_000 } };
  await expect(install(ordinary, await at.config())).rejects.toMatchObject({ code: 'ROOT_NEEDED' });
  const root = { ...at, host: { ...at.host, uid: 0 } };
  const own = { scope: 'user' as const, user: 'root' };
  await expect(install(root, await at.config(), own)).rejects.toMatchObject({ code: 'USAGE' });
  expect(await at.asked()).toEqual([]);
});
