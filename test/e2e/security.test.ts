import { spawnSync } from 'node:child_process';
import { chmod, chown, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanUp } from '../support/cleanUp.ts';
import { asOrdinaryUser } from '../support/ordinaryUser.ts';
import { drawReceipt } from '../support/images.ts';
import { requirement } from '../support/requires.ts';
import { prepare, type Site, storedOnce, until } from './support/agent.ts';
import { expectNoTrace, giveAway, ordinaryUserCanRun, quickly, shell } from './support/commandLine.ts';
import { isRoot } from '../support/root.ts';

const strace = requirement(
  'strace, with leave to trace',
  spawnSync('strace', ['-f', 'true']).status === 0,
  'apt-get install strace',
);

async function scan(site: Site, name: string): Promise<void> {
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
}

/** Rights of other users on anything in the state directory. */
async function openToOthers(dir: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of ['.', ...(await readdir(dir, { recursive: true }))]) {
    const status = await lstat(join(dir, entry)).catch(() => null);
    if (status && !status.isSymbolicLink() && (status.mode & 0o077) !== 0)
      found.push(`${entry} ${(status.mode & 0o777).toString(8)}`);
  }
  return found;
}

test('nothing in the state directory is accessible to others, whatever the umask, with or without a running agent; an open one is made private at the start, which is reported', async () => {
  const umask = process.umask(0);
  cleanUp(() => process.umask(umask));
  const site = await prepare();
  site.env = {};
  await scan(site, 'a.jpg');
  const login = ['login', '--store', 'file', '--client-id', 'e2e', '--config', site.config];
  expect((await quickly(site, login, { input: 'e2e-secret\n' })).status).toBe(0);
  const agent = await site.quickStart();
  await until(() => site.sandbox.received().length === 1);
  expect(await readdir(site.stateDir)).toEqual(
    expect.arrayContaining(['control.sock', 'credentials.json', 'ledger.db-wal']),
  );
  expect(await openToOthers(site.stateDir)).toEqual([]);
  await agent.stop();
  await scan(site, 'b.jpg');
  expect((await site.quickOnce()).status).toBe(0);
  expect(await openToOthers(site.stateDir)).toEqual([]);

  await chmod(site.stateDir, 0o755);
  await chmod(join(site.stateDir, 'ledger.db'), 0o644);
  const ended = await site.quickOnce();
  expect(ended.status).toBe(0);
  expect(ended.stderr).toContain(`Other users had access to ${site.stateDir} (mode 755)`);
  expect(await openToOthers(site.stateDir)).toEqual([]);
});

test('a state directory behind a link into a world-writable directory is refused', async () => {
  const site = await prepare();
  await mkdir(site.file('elsewhere'));
  await symlink(site.file('elsewhere'), site.stateDir);
  const ended = await site.quickOnce();
  expect(ended.stderr).toContain('symbolic link');
  expect(ended.stderr).toContain('[STATE_UNWRITABLE]');
  expect(await readdir(site.file('elsewhere'))).toEqual([]);
});

test.skipIf(!isRoot)('only the owner can use the control socket', async () => {
  const site = await prepare();
  const agent = await site.quickStart();
  // Even if the directory would let them through.
  await chmod(site.dir, 0o711);
  await chmod(site.stateDir, 0o711);
  const code = await asOrdinaryUser(
    () =>
      new Promise((done) => {
        const socket = connect(join(site.stateDir, 'control.sock'));
        socket
          .on('connect', () => done('connected'))
          .on('error', (error) => done(Reflect.get(error, 'code')));
      }),
  );
  expect(code).toBe('EACCES');
  await agent.stop();
});

const CHANGES =
  'open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,chown,fchownat,utimensat';

/** Paths that a traced process changed. */
function changed(trace: string, cwd: string): string[] {
  const paths: string[] = [];
  for (const line of trace.split('\n')) {
    const [, call = '', args = ''] = /^\d+ +(\w+)\((.*)\) += (?!-1)/.exec(line) ?? [];
    if (call === '') continue;
    if (call.startsWith('open') && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(args)) continue;
    // strace shows the file of each descriptor, however it was opened.
    const [, real] = / = \d+<(\/.*?)>$/.exec(line) ?? [];
    const named = [...args.matchAll(/(?:\d+<(\/[^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)].map(([, dir, path = '']) =>
      resolve(dir ?? cwd, path),
    );
    paths.push(...(real === undefined ? named : [real]));
  }
  return paths;
}

test.skipIf(!strace)('the agent writes only in the configured folders and the state directory', async () => {
  const site = await prepare();
  const archive = site.file('archive');
  await site.configure({
    folders: [
      { path: site.file('inbox'), endpoint: 'office', afterUpload: 'archive', archiveTo: archive },
      { path: site.file('second'), endpoint: 'depot', afterUpload: 'delete' },
    ],
    spool: 'always',
  });
  await mkdir(site.file('outside'));
  await writeFile(site.file('outside', 'x.jpg'), await drawReceipt({ type: 'jpeg', seed: 'x' }));
  await symlink(site.file('outside'), site.file('inbox', 'sub'));
  await symlink(site.file('outside', 'x.jpg'), site.file('second', 'linked.jpg'));
  await scan(site, 'a.jpg');
  await writeFile(site.file('second', 'b.jpg'), await drawReceipt({ type: 'jpeg', seed: 'b' }));
  const trace = site.file('trace');
  const command = `strace -f -y -qq -s 4096 -o ${trace} -e trace=${CHANGES} $RECEIPTD run --once --config ${site.config}`;
  expect((await shell(site, command)).status).toBe(0);
  expect((await storedOnce(site)).size).toBeGreaterThanOrEqual(2);
  const paths = changed(await readFile(trace, 'utf8'), site.dir);
  // Proves that the trace is the relevant one.
  expect(paths).toContain(join(site.stateDir, 'ledger.db'));
  expect(paths.some((path) => path.startsWith(archive))).toBe(true);
  const allowed = [site.stateDir, site.file('inbox'), site.file('second'), archive];
  // Below an open directory, which was opened by one of these names.
  const viaDescriptor = /^\/proc\/(?:self|\d+)\/fd\/\d+\//;
  const stray = paths.filter(
    (path) =>
      !allowed.some((dir) => path === dir || path.startsWith(`${dir}/`)) &&
      !viaDescriptor.test(path) &&
      !['/dev/null', '/dev/tty'].includes(path) &&
      !/^(?:pipe|anon_inode|\/proc\/self\/)/.test(path),
  );
  expect(stray).toEqual([]);
  expect(await readdir(site.file('outside'))).toEqual(['x.jpg']);
});

test.skipIf(!strace)('a helper process gets no secret in its arguments or its environment', async () => {
  const site = await prepare();
  await site.writeConfig({
    credentials: { store: 'keychain' },
    folders: [{ path: site.file('inbox'), endpoint: 'office' }],
  });
  site.env = {
    ...site.env,
    HTTP_PROXY: 'http://me:word-of-the-proxy@127.0.0.1:1',
    SOME_KEY: 'key-of-another',
  };
  const CLIENT_SECRET = site.env['RECEIPTD_CLIENT_SECRET'] ?? '';
  const trace = site.file('trace');
  await shell(
    site,
    `strace -f -v -qq -s 100000 -o ${trace} -e trace=execve $RECEIPTD whoami --config ${site.config}`,
  );
  const [first = '', ...helpers] = (await readFile(trace, 'utf8'))
    .split('\n')
    .filter((line) => line.includes('execve('));
  expect(first).toContain(CLIENT_SECRET);
  expect(helpers.join('\n')).toContain('keychainHelper');
  for (const secret of [CLIENT_SECRET, 'word-of-the-proxy', 'key-of-another'])
    expect(helpers.join('\n')).not.toContain(secret);
});

/** Root uses the state directory of a service; and a state directory without a ledger. */
describe('the state of others', () => {
  const NOBODY = 65_534;

  test('without a ledger, every command that needs one is refused, and creates nothing', async () => {
    const site = await prepare();
    const commands =
      'backup, retry --all, retry x, dismiss --all, erase x --yes, resend x, resume, list, show x, audit, ledger verify, ledger head';
    const refused = async () => {
      for (const words of commands.split(', ')) {
        const ended = await site.look(...words.split(' '));
        expect(ended, words).toBeRefused(1, 'LEDGER_MISSING', site.stateDir);
        expectNoTrace(ended);
      }
    };
    await refused();
    expect(await readdir(site.stateDir).catch(() => null)).toBeNull();
    await mkdir(site.stateDir, { mode: 0o700 });
    await refused();
    expect(await readdir(site.stateDir)).toEqual([]);
  });

  test('a pause before the first run works, and warns that the ledger is new', async () => {
    const site = await prepare();
    const { status, stderr } = await site.look('pause');
    expect(status).toBe(0);
    expect(stderr).toBe(`warning: ${site.stateDir} had no ledger; a new one was created.\n`);
    expect((await site.look('pause')).stderr).toBe('');
  });

  test.skipIf(!isRoot)(
    'root is told to run commands as the user of the service, and finds no fault with its state directory',
    async () => {
      const site = await prepare();
      await mkdir(site.stateDir, { recursive: true, mode: 0o700 });
      await chown(site.stateDir, NOBODY, NOBODY);
      for (const words of [['pause', 'office'], ['endpoint', 'create', 'Depot 2'], ['run']]) {
        const { status, stderr } = await site.look(...words);
        expect(status).not.toBe(0);
        expect(stderr).toContain(
          'it belongs to a different user (nobody) than the one running receiptd (root)',
        );
        expect(stderr).toMatch(/Run it as that user: (?:runuser -u nobody --|sudo -u nobody) receiptd …\./);
        expect(stderr).not.toContain('Set stateDir');
      }
      expect(site.sandbox.received()).toEqual([]);
      expect(await site.quickMust('status')).toMatch(
        /^Not running\. Start it with `receiptd service start`\.\n/,
      );
      const check = await site.look('check', '--offline');
      expect(check.stdout).toContain(`ok    state: ${site.stateDir} belongs to the user nobody. `);
      expect(check.stdout).not.toContain('FAIL');
      const doctor = await site.look('doctor', '--offline', '--list');
      expect(doctor.stdout).toContain(`${site.stateDir} belongs to the user nobody (mode 700)`);
      expect(doctor.stdout).not.toMatch(/FAIL {2}state/);
      expect(await readdir(site.stateDir)).toEqual([]);
    },
  );
});

describe('check', () => {
  test.skipIf(!ordinaryUserCanRun || !isRoot)(
    "`check` run by root tries folders and secrets as the service's user",
    async () => {
      const site = await prepare();
      const passwordFile = site.file('mail-password');
      await writeFile(passwordFile, 'secret', { mode: 0o600 });
      const email = { server: 'smtp://127.0.0.1:9', user: 'scans', passwordFile, to: ['office@example.com'] };
      await site.configure({ alerts: { email }, folders: [site.folder(), site.folder('second')] });
      await site.quickOnce();
      await giveAway(site.dir);
      await chmod(site.dir, 0o755);
      // Only root can read these; a check as root would find nothing wrong.
      await chown(site.file('inbox'), 0, 0);
      await chmod(site.file('inbox'), 0o700);
      await chown(passwordFile, 0, 0);
      const bad = await site.run('check', '--offline');
      expect(bad.stdout).toMatch(/^ok {4}.*second: .* \(Checked as the user \w+\.\)$/m);
      expect(bad.stdout).toMatch(/^FAIL {2}.*inbox: .*\[FOLDER_UNREADABLE\] \(Checked as the user \w+\.\)$/m);
      expect(bad.stdout).toMatch(/^FAIL {2}alerts: .*mail-password.* \(Checked as the user \w+\.\)$/m);
      expect(bad.status).toBe(1);
    },
  );
});
