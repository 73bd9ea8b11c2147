import { DatabaseSync } from '@photostructure/sqlite';
import { spawnSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { canMount, withSmallDisk } from '../support/ownMount.ts';
import { MAIN, prepare, until, type Site } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { begin, giveAway, ordinaryUserCanRun, receiptd } from './support/commandLine.ts';
import { listen } from '../support/ports.ts';

/** Each of them differs in every encoding. */
const SECRETS = {
  client: 'e2e-secret',
  variable: 'Zq1-in-a-variable?&=%+/"x',
  proxy: 'Zq2-in-a-proxy-variable',
  url: 'Zq3pathOfAWebhook',
  hookFile: `whsec_${Buffer.alloc(32, 'Zq4-in-secretFile-and-more').toString('base64')}`,
  mailFile: 'Zq5 in passwordFile ä',
  loggedMessage: 'Zq6-in-a-log-message',
  loggedField: 'Zq7 in a field of the log',
  loggedLine: 'Zq8-in-a-line-that-is-no-json',
  credentials: 'Zq9-in-credentials-json',
  account: 'Zq0-in-the-file-of-an-account',
  results: 'ZqA-in-results-secret',
  console: 'ZqB-in-console-password',
  image: 'ZqC-bytes-of-an-image',
  configValue: 'ZqD-in-a-config-value',
  configUrl: 'ZqE-in-a-config-url',
  configComment: 'ZqF-in-a-comment',
  incident: 'ZqG-logged-in-base64',
};
const NAMES = ['Anna', 'Schmidt', 'FRITZI', 'frieda', 'Muellerinbox', 'annas-desk'];

function forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const found = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), bytes.toString('hex')];
  for (let shift = 0; shift < 3; shift += 1) {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    const [from, until] = [Math.ceil((shift * 8) / 6), Math.floor((padded.length * 8) / 6)];
    for (const kind of ['base64', 'base64url'] as const) found.push(padded.toString(kind).slice(from, until));
  }
  return found;
}

/** The secrets that a bundle contains, in any encoding. */
async function leaks(bundle: string, values: readonly string[]): Promise<string[]> {
  const bytes = gunzipSync(await readFile(bundle));
  return values.filter((value) => forms(value).some((form) => bytes.includes(form)));
}

async function plant(site: Site): Promise<void> {
  const { stateDir } = site;
  site.env['OFFICE_TOKEN'] = SECRETS.variable;
  site.env['RECEIPTD_CLIENT_ID_FRITZI'] = 'fritzi';
  site.env['ALL_PROXY'] = `http://anna:${SECRETS.proxy}@127.0.0.1:9`;
  await writeFile(site.file('hook'), SECRETS.hookFile, { mode: 0o600 });
  await writeFile(site.file('mail'), `${SECRETS.mailFile}\n`, { mode: 0o600 });
  await mkdir(join(stateDir, 'logs'), { recursive: true, mode: 0o700 });
  const encoded = Buffer.from(`x${SECRETS.client}`).toString('base64');
  await appendFile(
    join(stateDir, 'logs', 'receiptd.log'),
    [
      JSON.stringify({
        level: 'error',
        message: `Sent with Bearer ${SECRETS.loggedMessage}`,
        time: new Date().toISOString(),
        code: 'DISK_FULL',
      }),
      JSON.stringify({
        level: 'warn',
        message: 'A file was sent',
        detail: `${SECRETS.loggedField} in /srv/Anna Schmidt.jpg`,
        encoded,
      }),
      JSON.stringify({
        level: 'warn',
        message: 'A file was sent',
        [SECRETS.incident]: Buffer.from(SECRETS.incident).toString('base64'),
      }),
      JSON.stringify({ level: 'warn', message: `A file was sent ${SECRETS.account}` }),
      `oops ${SECRETS.loggedLine}`,
      '',
    ].join('\n'),
  );
  for (const [name, text] of [
    ['credentials.json', JSON.stringify({ clientId: 'e2e', clientSecret: SECRETS.credentials })],
    ['credentials-frieda.json', '{}'],
    ['credentials-anna.json', JSON.stringify({ clientId: 'anna', clientSecret: SECRETS.account })],
    ['results-secret', SECRETS.results],
    ['console-password', SECRETS.console],
  ] as const)
    await writeFile(join(stateDir, name), text, { mode: 0o600 });
}

async function planted(): Promise<Site> {
  const site = await prepare();
  const inbox = site.file('Muellerinbox');
  await site.configure({
    // ALL_PROXY points nowhere.
    service: { baseUrl: site.sandbox.url, proxy: 'direct' },
    endpoints: { 'annas-desk': { uid: '11111111-2222-4333-8444-555555555555' } },
    folders: [{ path: inbox, endpoint: 'annas-desk' }],
    alerts: {
      webhook: { url: `https://hooks.example/${SECRETS.url}`, secretFile: site.file('hook') },
      email: {
        server: 'smtp://127.0.0.1:9',
        user: 'anna',
        passwordFile: site.file('mail'),
        to: ['anna@example.com'],
      },
    },
    log: { level: 'debug' },
  });
  await appendFile(site.config, `# ${SECRETS.configComment}\n`);
  await plant(site);
  const image = await drawReceipt({ type: 'jpeg', seed: 'a' });
  // A comment segment, similar to that of EXIF.
  const text = Buffer.from(SECRETS.image);
  const segment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, text.length + 2]), text]);
  await writeFile(
    join(inbox, 'Anna Schmidt.jpg'),
    Buffer.concat([image.subarray(0, 2), segment, image.subarray(2)]),
  );
  return site;
}

test('the bundle of a running agent contains useful findings, but no secret, image or name in any encoding', async () => {
  const site = await planted();
  const agent = await site.quickStart();
  await until(() => site.sandbox.received().length === 1);
  const [document] = site.sandbox.received();
  const bundle = site.file('help.tar.gz');
  const { status, stdout } = await site.run('doctor', '--offline', '--output', bundle);
  expect({ status, wrong: stdout.split('\n').filter((line) => line.startsWith('FAIL')) }).toEqual({
    status: 0,
    wrong: [],
  });
  expect(stdout).toMatch(/^(?:receiptd works; \d+ warnings?|All is well)\.\n/);
  expect(stdout).toContain('Errors in the last 24 hours: DISK_FULL (1).');
  expect((await stat(bundle)).mode & 0o777).toBe(0o600);
  expect(await leaks(bundle, [...Object.values(SECRETS), ...NAMES, document?.name ?? 'none'])).toEqual([]);
  const bytes = gunzipSync(await readFile(bundle)).toString('latin1');
  for (const part of [
    'findings.txt',
    'config.yaml',
    'ledger.json',
    'agent.json',
    'journal-tail.jsonl',
    'logs/receiptd.log',
  ])
    expect(stdout).toContain(`  ${part} (`);
  expect(bytes).not.toMatch(/[\w-]{200,}/);
  // It is still useful.
  expect(bytes).toContain('"state": "accepted"');
  expect(bytes).toContain('DISK_FULL');
  expect(bytes).toContain('receiptd has started');
  expect(bytes).toMatch(/"pid": \d+/);
  await agent.stop();

  const named = site.file('named.tar.gz');
  await site.look('doctor', '--offline', '--with-names', '--output', named);
  expect(await leaks(named, ['Muellerinbox'])).toEqual(['Muellerinbox']);
  // With names, unknown text of the log stays; known secrets are still removed.
  const { loggedField: _, incident: __, ...known } = SECRETS;
  expect(await leaks(named, Object.values(known))).toEqual([]);
});

test('`doctor --list` writes nothing, and `doctor` leaves an existing file alone', async () => {
  const site = await planted();
  const before = await readdir(site.dir);
  expect((await site.look('doctor', '--offline', '--list')).stdout).toContain('The file would contain:');
  expect(await readdir(site.dir)).toEqual(before);
  const { status, stderr } = await site.look('doctor', '--offline', '--output', site.config);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('[OUTPUT_UNWRITABLE]') as string,
  });
});

test.each([
  [
    'is not valid',
    `service: { baseUrl: 7 }\nclientSecret: ${SECRETS.configValue}\nfoo: http://u:${SECRETS.configUrl}@h/ # ${SECRETS.configComment}\n`,
  ],
  ['is no YAML', `service: [ "${SECRETS.configValue}\npassword: ${SECRETS.configUrl}\n`],
  ['is not text', Buffer.from([0xff, 0xfe, 0xfd])],
])('doctor reports a configuration that %s, and writes the bundle', async (_, text) => {
  const site = await planted();
  await writeFile(site.config, text);
  site.env['RECEIPTD_STATE_DIR'] = site.stateDir;
  const bundle = site.file('help.tar.gz');
  const { status, stdout, stderr } = await site.look('doctor', '--output', bundle);
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  expect(stdout).toMatch(/^\d+ problems? to fix, /);
  expect(stdout).toMatch(/FAIL {2}config: .*\[CONFIG_/);
  expect(await leaks(bundle, [...Object.values(SECRETS), ...NAMES])).toEqual([]);
});

test('doctor reports a missing, damaged or locked ledger, and writes the bundle', async () => {
  const site = await planted();
  await site.quickOnce();
  const ledger = join(site.stateDir, 'ledger.db');
  const good = await readFile(ledger);
  const doctor = async (name: string) => {
    const bundle = site.file(`${name}.tar.gz`);
    const ended = await site.look('doctor', '--offline', '--output', bundle);
    expect(ended.stderr).toBe('');
    expect(await leaks(bundle, [...Object.values(SECRETS), ...NAMES])).toEqual([]);
    return ended;
  };
  const db = new DatabaseSync(ledger);
  db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  expect((await doctor('locked')).stdout).toMatch(/FAIL {2}ledger: /);
  db.exec('ROLLBACK');
  db.close();
  await writeFile(ledger, Buffer.concat([good.subarray(0, 4096), Buffer.alloc(good.length - 4096, 7)]));
  expect((await doctor('damaged')).stdout).toMatch(/FAIL {2}ledger: .*\[LEDGER_DAMAGED\]/);
  await rm(ledger);
  expect((await doctor('missing')).stdout).toMatch(/FAIL {2}ledger: .*\[LEDGER_MISSING\]/);
  await rm(site.stateDir, { recursive: true });
  expect((await doctor('none')).stdout).toMatch(/warn {2}ledger: It does not exist yet/);
});

test.skipIf(process.platform === 'win32')('doctor does not wait for a FIFO in place of a file', async () => {
  const site = await planted();
  const odd = ['logs/receiptd.log.1', 'moved-away.json', 'ledger.db', 'ledger.journal', 'alerts.json'];
  const fifos = [...odd.map((name) => join(site.stateDir, name)), site.file('ca.pem')];
  expect(spawnSync('mkfifo', fifos).status).toBe(0);
  const { status, stdout } = await site.run('doctor', '--offline', '--output', site.file('help.tar.gz'));
  expect(status).toBe(1);
  expect(stdout).toMatch(/FAIL {2}ledger: .*ledger\.db is not a regular file/);
  expect(stdout).toMatch(/FAIL {2}moved: .*\[STATE_MOVED\]/);
  const [ledger = '', ca = ''] = fifos.slice(2, 3).concat(site.file('ca.pem'));
  expect(await site.look('restore', ledger)).toBeRefused(1, 'FILE_UNREADABLE', 'not a file');
  await site.configure({ service: { baseUrl: site.sandbox.url, ca } });
  expect((await site.look('doctor', '--list')).stdout).toContain('is not a file');
});

test('a signal ends doctor while it waits for an answer', async () => {
  const site = await prepare();
  let heard = (): void => {};
  const asked = new Promise<void>((resolve) => (heard = resolve));
  const { port, close } = await listen(createServer(() => heard()));
  cleanUp(close);
  await site.configure({ service: { baseUrl: `http://127.0.0.1:${port}` } });
  const doctor = begin(site, ['doctor', '--config', site.config, '--list']);
  await asked;
  doctor.signal('SIGTERM');
  expect(await doctor.ended).toMatchObject({ status: 130, stdout: '' });
});

test.skipIf(!canMount())(
  'doctor reports a full disk in one sentence after all findings, and leaves no file',
  async () => {
    const site = await planted();
    const small = site.file('small');
    await mkdir(small);
    const figures = Array.from({ length: 5_000 }, (_, n) =>
      JSON.stringify({ level: 'info', figure: (n * 7_919 ** 2) % 104_729 }),
    );
    await appendFile(join(site.stateDir, 'logs', 'receiptd.log'), figures.join('\n'));
    const args = ['doctor', '--offline', '--config', site.config, '--output', join(small, 'help.tar.gz')];
    const quoted = [process.execPath, MAIN, ...args].map((each) => `'${each}'`).join(' ');
    const script = `${quoted}; status=$?; ls '${small}' | wc -l; exit $status`;
    const [program, words] = withSmallDisk(small, '4k', ['sh', '-c', script]);
    const { PATH = '', HOME = '' } = process.env;
    const ended = spawnSync(program, words, { encoding: 'utf8', env: { PATH, HOME, ...site.env } });
    expect(ended.stderr).toMatch(
      /^error: .* can't be written: no space is left\. .*\[OUTPUT_UNWRITABLE\]\n$/,
    );
    expect(ended.status).toBe(1);
    expect(ended.stdout).toContain('versions: receiptd');
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe('0');
  },
);

test.skipIf(!ordinaryUserCanRun)(
  'doctor reports missing permissions, and examines everything else',
  async () => {
    const site = await planted();
    await giveAway(site.dir);
    await chmod(site.stateDir, 0o000);
    const ended = await receiptd(
      site,
      ['doctor', '--offline', '--config', site.config, '--output', site.file('x.tar.gz')],
      { ordinary: true },
    );
    await chmod(site.stateDir, 0o700);
    expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 1, stderr: '' });
    expect(ended.stdout).toMatch(/FAIL {2}state: .*\[STATE_UNWRITABLE\]/);
    expect(await leaks(site.file('x.tar.gz'), [...Object.values(SECRETS), ...NAMES])).toEqual([]);
  },
);
