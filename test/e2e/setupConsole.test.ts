/** The questions of `receiptd setup` about the console of a system service. The service manager is a stand-in; see service.test.ts. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rename, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import YAML from 'yaml';
import { passwordFile, PasswordFile } from '../../src/console/server/password.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { canMount } from '../support/ownMount.ts';
import { isRoot } from '../support/root.ts';
import { Terminal, terminalIsHere } from '../support/terminal.ts';
import { MAIN } from './support/agent.ts';
import { ordinaryUserCanRun } from './support/commandLine.ts';
import { desk } from './support/desk.ts';
import { NOBODY, onBooted, place } from './support/servicePlace.ts';
import { variables } from './support/unattended.ts';

const PASSWORD = 'correct horse battery';
const ADDRESS = '127.0.0.1:8471';

test.skipIf(!isRoot || !terminalIsHere || !canMount() || !ordinaryUserCanRun)(
  'setup of a service offers a fixed address with a password, and lets the console save; later runs keep or change that',
  async () => {
    const [at, here] = [await place(), await desk()];
    for (const path of [here.dir, join(here.dir, 'home'), here.scans]) await chmod(path, 0o755);
    const config = join(here.dir, 'receiptd/receiptd.yaml');
    const { RECORD = '', PATH = '' } = at.host.env;
    const env = {
      ...here.env,
      ...variables(here),
      PATH,
      RECORD,
      RECEIPTD_CONFIG: config,
      RECEIPTD_SETUP_RATE: '60/min',
      RECEIPTD_SETUP_NEEDS_ATTENTION: 'none',
      RECEIPTD_SETUP_ALERT_EMAIL: 'none',
      RECEIPTD_SETUP_SERVICE: 'system',
      RECEIPTD_SETUP_SERVICE_USER: 'nobody',
      RECEIPTD_SETUP_TEST_RECEIPT: 'no',
    };
    const command = onBooted(process.execPath, MAIN, 'setup');
    const owners = async () =>
      Promise.all([dirname(config), config].map(async (path) => (await stat(path)).uid));
    const listen = async () =>
      (YAML.parse(await readFile(config, 'utf8')) as { console?: { listen: string } }).console?.listen;

    const terminal = new Terminal(command, { cwd: here.dir, env });
    cleanUp(() => terminal.close());
    await terminal.chooses('How do people open the console', `At ${ADDRESS}`);
    await terminal.answers('Password for the console', 'too short');
    await terminal.sees('[USAGE]');
    await terminal.answers('Password for the console', PASSWORD);
    await terminal.answers('The same password again:', `${PASSWORD}!`);
    await terminal.sees('[USAGE]');
    await terminal.answers('Password for the console', PASSWORD);
    await terminal.answers('The same password again:', PASSWORD);
    await terminal.answers('May people who sign in to the console change settings?');
    await terminal.answers('Go ahead?');
    expect(await terminal.ends()).toBe(0);
    expect(terminal.raw).not.toContain(PASSWORD);
    expect(await listen()).toBe(ADDRESS);
    expect(await owners()).toEqual([NOBODY, NOBODY]);
    const stateDir = join(here.dir, 'state');
    expect((await stat(passwordFile(stateDir))).uid).toBe(NOBODY);
    expect(await (await new PasswordFile(stateDir).current())?.matches(PASSWORD)).toBe(true);

    const again = async (...flags: string[]) => {
      const [program = '', ...args] = [...command, '--yes', '--json', ...flags];
      return JSON.parse((await promisify(execFile)(program, args, { cwd: here.dir, env })).stdout) as unknown;
    };
    expect(await again()).toMatchObject({ console: { listen: null, password: false, saves: null } });
    expect(await owners()).toEqual([NOBODY, NOBODY]);
    const no = { changed: true, console: { listen: 'onDemand', password: false, saves: false } };
    expect(await again('--console-saves', 'no', '--console-listen', 'onDemand')).toMatchObject(no);
    expect(await owners()).toEqual([0, 0]);
    expect(await listen()).toBe('onDemand');
    // Whoever owned the directory may have put a link there.
    await mkdir(join(here.dir, 'theirs/receiptd'), { recursive: true });
    await rename(config, join(here.dir, 'theirs/receiptd/receiptd.yaml'));
    await symlink('../theirs/receiptd/receiptd.yaml', config);
    await expect(again('--console-saves', 'yes')).rejects.toMatchObject({ code: 2 });
    expect(await owners()).toEqual([0, 0]);
    const shared = again('--console-saves', 'yes', '--config', here.config);
    await expect(shared).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('[USAGE]') });
    expect(await stat(here.dir)).toMatchObject({ uid: 0 });
  },
);
