import { chmod, chown, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ask, own, perform, signIn } from '../console/server/browser.ts';
import { asOrdinaryUser, ordinaryOwner } from '../support/ordinaryUser.ts';
import { MAIN, Running, prepare, until, type Ended, type Site } from './support/agent.ts';
import { begin, giveAway, ordinaryUserCanRun, quickly, receiptd, shell } from './support/commandLine.ts';
import { freePort } from '../support/ports.ts';
import { isRoot } from '../support/root.ts';

const ANOTHER = 65_533;
const MEMBER = 54_321;
const PASSWORD = 'correct horse battery';

/** Runs a script as a user who is neither root nor the user of the agent. */
function asAnother(site: Site, script: string): Promise<Ended> {
  const { PATH = '' } = process.env;
  const child = spawn('/bin/sh', ['-c', script], {
    cwd: '/',
    env: { PATH, RECEIPTD: `${process.execPath} ${MAIN}`, STATE: site.stateDir, CONFIG: site.config },
    uid: ANOTHER,
    gid: ANOTHER,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Running(child).ended;
}

/** An agent of an ordinary user, whose desktop has a browser that runs until a file `close` exists. */
async function withDesktop(): Promise<Site> {
  const site = await prepare();
  await mkdir(site.file('bin'));
  await writeFile(
    site.file('bin', 'xdg-open'),
    `#!/bin/sh\necho "$@" > ${site.file('opened.new')}\nmv ${site.file('opened.new')} ${site.file('opened')}\nwhile [ -e ${site.file('opened')} ] && [ ! -e ${site.file('close')} ]; do sleep 0.05; done\n`,
  );
  await chmod(site.file('bin', 'xdg-open'), 0o755);
  site.env = { ...site.env, PATH: `${site.file('bin')}:${process.env['PATH'] ?? ''}`, DISPLAY: ':0' };
  await giveAway(site.dir);
  const agent = begin(site, ['run', '--config', site.config], { ordinary: true });
  await agent.logged('receiptd has started');
  return site;
}

async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}

describe.skipIf(!isRoot || !ordinaryUserCanRun)('another user of the same machine', () => {
  test('sees no link on any command line while a browser is opened with it, and gets nothing without a session: neither from the port, nor from files, nor from the socket', async () => {
    const site = await withDesktop();
    const command = begin(site, ['console', '--config', site.config], { ordinary: true });
    const seen: string[] = [];
    await until(async () => {
      seen.push(...(await commandLines()));
      return !command.alive && (await stat(site.file('opened')).catch(() => null)) !== null;
    });
    const ended = await command.ended;
    expect([ended.status, ended.stderr]).toEqual([0, expect.stringMatching(/^Your browser should open /)]);
    const link = ended.stdout.trim();
    const token = link.split('#token=')[1] ?? '';
    expect(token).toHaveLength(43);
    // The browser is still running with its arguments.
    const page = fileURLToPath((await readFile(site.file('opened'), 'utf8')).trim());
    seen.push(...(await commandLines()));
    expect(seen.filter((line) => line.includes(page))).not.toEqual([]);
    expect(seen.filter((line) => line.includes(token))).toEqual([]);

    expect(page).toBe(site.file('state', 'console-open.html'));
    expect(await readFile(page, 'utf8')).toContain(`url=${link}"`);
    const { mode, uid } = await stat(page);
    expect([mode & 0o777, uid]).toEqual([0o600, ordinaryOwner().uid]);
    expect(await asAnother(site, `cat ${page}`)).toMatchObject({ status: 1, stdout: '' });
    await signIn(link);
    await until(async () => (await stat(page).catch(() => null)) === null, 'the page to be removed');
    await writeFile(site.file('close'), '');

    const ofOwner = (args: readonly string[], input = '') =>
      asOrdinaryUser(() => quickly(site, [...args, '--config', site.config], { input }));
    const set = await ofOwner(['console', 'password'], `${PASSWORD}\n`);
    expect(set).toMatchObject({ status: 0, stderr: '' });
    const opened = await ofOwner(['console', '--no-open']);
    const { origin } = new URL(opened.stdout.trim());
    const cookie = await signIn(opened.stdout.trim());

    const files = [
      'console-password',
      'control.sock',
      'ledger.db',
      'ledger.journal',
      'logs/receiptd.log',
      'console-open.html',
      '',
    ];
    for (const file of files) {
      const { status, stdout, stderr } = await asAnother(site, `cat "$STATE/${file}"`);
      expect([file, status, stdout, stderr]).toEqual([
        file,
        1,
        '',
        expect.stringContaining('Permission denied'),
      ]);
    }
    // With their own configuration of the same state directory.
    const text = await readFile(site.config, 'utf8');
    const own2 = `f=$(mktemp); cat > $f <<'END'\n${text}END\n$RECEIPTD console --no-open --config $f; s=$?; $RECEIPTD console password --remove --config $f && s=0; rm $f; exit $s`;
    expect(await asAnother(site, own2)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/\[(?:CONTROL_FAILED|NOT_RUNNING)\]/) as string,
    });

    // Everyone can reach the port, but not the data behind it.
    const script = `for (const [method, path] of [['GET','/v1/events'],['GET','/v1/documents.csv'],['POST','/v1/status'],['POST','/v1/config'],['POST','/v1/pause']]) {
      const answer = await fetch('${origin}' + path, { method, body: method === 'POST' ? '{}' : undefined, headers: { origin: '${origin}', 'content-type': 'application/json', 'x-receiptd': 'console' } });
      console.log(answer.status, (await answer.json()).code);
    }`;
    const tried = await asAnother(
      site,
      `${process.execPath} --input-type=module -e "$(cat <<'END'\n${script}\nEND\n)"`,
    );
    expect(tried).toMatchObject({ status: 0, stdout: '401 CONSOLE_SIGNED_OUT\n'.repeat(5) });
    expect((await perform(origin, cookie, 'status')).status).toBe(200);
    const guessed = await ask(origin, {
      method: 'POST',
      path: '/session',
      headers: own(origin),
      body: '{"password":"guess"}',
    });
    expect(guessed.status).toBe(401);
  });
});

test.skipIf(!isRoot || !ordinaryUserCanRun)(
  'a member of the control group opens the console through their own redirect file',
  async () => {
    const site = await prepare({ control: { group: String(MEMBER) } });
    await chmod(site.dir, 0o755);
    await chmod(site.config, 0o644);
    await mkdir(site.file('bin'));
    await writeFile(
      site.file('bin', 'xdg-open'),
      '#!/bin/sh\necho "$@" > "$HOME/new"\nmv "$HOME/new" "$HOME/opened"\n',
    );
    await chmod(site.file('bin', 'xdg-open'), 0o755);
    await mkdir(site.file('home'));
    await chown(site.file('home'), MEMBER, MEMBER);
    await site.quickStart();
    const child = spawn(process.execPath, [MAIN, 'console', '--config', site.config], {
      cwd: '/',
      env: {
        PATH: `${site.file('bin')}:${process.env['PATH'] ?? ''}`,
        HOME: site.file('home'),
        XDG_RUNTIME_DIR: site.file('home'),
        DISPLAY: ':0',
      },
      uid: MEMBER,
      gid: MEMBER,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { status, stdout } = await new Running(child).ended;
    expect(status).toBe(0);
    await until(async () => (await stat(site.file('home', 'opened')).catch(() => null)) !== null);
    const page = fileURLToPath((await readFile(site.file('home', 'opened'), 'utf8')).trim());
    expect(page.startsWith(`${site.file('home')}/receiptd-`)).toBe(true);
    expect(await readFile(page, 'utf8')).toContain(stdout.trim());
    expect((await stat(page)).mode & 0o777).toBe(0o600);
    await signIn(stdout.trim());
  },
);

test('`console` is refused without an agent, and prints the link with instructions without a desktop, over SSH, and for root', async () => {
  const port = await freePort();
  const site = await prepare({ console: { listen: `127.0.0.1:${port}` } });
  expect(await site.look('console')).toBeRefused(1, 'NOT_RUNNING');
  await site.quickStart();
  const over = await quickly(site, ['console', '--config', site.config], {
    env: { SSH_CONNECTION: '1 2 3 4' },
  });
  expect(over.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n$/);
  expect(over.stderr).toContain(`ssh -L ${port}:127.0.0.1:${port} USER@THIS-MACHINE`);
  const here = await shell(site, `$RECEIPTD console --config ${site.config}`);
  expect(here).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/Open the link yourself within five minutes\.\n$/) as string,
  });
  const only = await site.look('console', '--no-open');
  expect(only).toMatchObject({ status: 0, stderr: '' });
  await expect(stat(site.file('state', 'console-open.html'))).rejects.toThrow('ENOENT');
});

test('the console password is set from standard input and removed; a short one is refused', async () => {
  const site = await prepare();
  const config = ['--config', site.config];
  const short = await quickly(site, ['console', 'password', ...config], { input: 'short\n' });
  expect(short).toBeRefused(2, 'USAGE');
  expect(short.stderr).not.toContain('short\n');
  const set = await receiptd(site, ['console', 'password', ...config], { input: `${PASSWORD}\n` });
  expect(set).toMatchObject({ status: 0, stderr: '' });
  const file = site.file('state', 'console-password');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).not.toContain('horse');
  expect(await site.quickMust('console', 'password', '--remove')).toBe('Removed the console password.\n');
  await expect(stat(file)).rejects.toThrow('ENOENT');
  expect(await site.quickMust('console', 'password', '--remove')).toBe('The console has no password.\n');
});
