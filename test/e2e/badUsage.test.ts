import { spawnSync } from 'node:child_process';
import { chmod, copyFile, cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepForFile } from '../support/cleanUp.ts';
import { drawReceipt } from '../support/images.ts';
import { requirement } from '../support/requires.ts';
import { isRoot } from '../support/root.ts';
import { MAIN, prepare, type Site } from './support/agent.ts';
import { expectNoTrace, ordinaryUserCanRun, quickly, receiptd, shell } from './support/commandLine.ts';

/** With an accepted document and a rejected file. */
let site: Site;
let end: (() => Promise<void>) | undefined;
const env = () => ({ RECEIPTD_CONFIG: site.config });

beforeAll(async () => {
  site = await prepare();
  await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
  await writeFile(site.file('inbox', 'b.jpg'), 'Milk 1.20, bread 2.40, sum 3.60');
  await site.quickOnce();
  end = keepForFile();
});
afterAll(() => end?.());

describe('a command line is refused with one sentence', () => {
  const REFUSED: [args: string[], words: string[]][] = [
    [['lst'], ['"lst"', 'Did you mean list?', 'receiptd --help']],
    [['endpoint', 'frob'], ['"frob"']],
    [['start'], ['receiptd run', 'receiptd service start']],
    [['stop'], ['receiptd service stop']],
    [['install'], ['receiptd service install', 'receiptd setup']],
    [['upload'], ['receiptd send FILE', 'receiptd run --once']],
    [['version'], ['receiptd --version']],
    [['CONFIG'], ['receiptd setup', 'receiptd check']],
    [
      ['list', '--limt', '3'],
      ['"--limt"', 'Did you mean --limit?', '--help'],
    ],
    [['show'], ['"document"', '--help']],
    [['resend'], ['"document"']],
    [['endpoint', 'create'], ['"name"']],
    [
      ['endpoint', 'create', ' '],
      ['" "', 'name of an endpoint'],
    ],
    [
      ['endpoint', 'create', 'Off\nice'],
      ['Off', 'line breaks'],
    ],
    [
      ['endpoint', 'create', 'Office', '--language', 'deutsch'],
      ['"deutsch"', 'de-DE'],
    ],
    [
      ['endpoint', 'create', 'Office', '--outgoing-url', 'example'],
      ['"example"', 'https://'],
    ],
    [
      ['help', 'bogus'],
      ['"bogus"', 'receiptd --help'],
    ],
    [
      ['list', '--where', '--config', 'x.yaml'],
      ['--where needs a value', '--help'],
    ],
    [['doctor', '--list', '--output', '--config', 'x.yaml'], ['--output needs a value']],
    [['list', 'more'], ['Too many arguments']],
    [['dismiss', '--all', '--limit', '3'], ['takes no --limit']],
    [['list', '--state'], ['--state']],
    [
      ['list', '--state', 'nonsense'],
      ['--state', '"nonsense"', 'queued, uploading'],
    ],
    [
      ['list', '--since', '2026-02-30'],
      ['--since', '"2026-02-30"', '2026-01-31'],
    ],
    [
      ['list', '--limit', '0'],
      ['--limit', '"0"'],
    ],
    [
      ['export', '--format', 'xml'],
      ['csv, json', '"xml"'],
    ],
    [['retry'], ['--all']],
    [
      ['pause', 'nothing'],
      ['"nothing"', 'office'],
    ],
    [
      ['run', '--wait', 'long'],
      ['--wait', '"long"', '30s'],
    ],
    [
      ['login', '--store', 'cloud'],
      ['keychain, file, systemd', '"cloud"'],
    ],
    // No command takes a secret as an argument, which the process list and the shell's history would reveal.
    [['login', '--client-secret', 's3cret'], ['"--client-secret"']],
    [['whoami', '--client-secret', 's3cret'], ['"--client-secret"']],
    [
      ['sandbox', '--port', 'x'],
      ['--port', '"x"'],
    ],
    [
      ['sandbox', '--fault', 'frob'],
      ['--fault', '"frob"', 'sandbox --help'],
    ],
    [
      ['sandbox', '--port', '0', '--fault', '{"kind":"frob"}'],
      ['--fault', 'frob'],
    ],
    [
      ['sandbox', '--port', '0', '--fault', 'status=9'],
      ['--fault', 'status=9'],
    ],
    [
      ['sandbox', '--endpoint-uid', 'x'],
      ['--endpoint-uid', '"x"', 'UUID'],
    ],
  ];

  test('whatever is wrong with it', async () => {
    for (const [args, words] of REFUSED)
      expect(await quickly(site, args, { env: env() }), args.join(' ')).toBeRefused(2, 'USAGE', ...words);
    expect(await site.look('list', '--endpoint', 'ofice')).toBeRefused(
      2,
      'ENDPOINT_UNKNOWN',
      '"ofice"',
      'office',
    );
    for (const command of ['show', 'retry', 'resend'])
      expect(await site.look(command, 'gone')).toBeRefused(1, 'DOCUMENT_UNKNOWN', '"gone"', 'receiptd list');
  });

  test('by the binary too, or with the help if there is no command', async () => {
    const lst = await receiptd(site, ['lst'], { env: env() });
    expect(lst).toBeRefused(2, 'USAGE', '"lst"', 'Did you mean list?', 'receiptd --help');
    const none = await quickly(site, []);
    expect(none).toMatchObject({ status: 2, stdout: '' });
    expect(none.stderr).toContain('Usage: receiptd');
    expect(none.stderr).toContain('Start with `receiptd setup`.');
  });

  test('in English if an upgrade has taken the files of the language away', async () => {
    const { dir } = site;
    const dist = join(dir, 'dist');
    await cp(dirname(MAIN), dist, { recursive: true });
    await symlink(join(dirname(MAIN), '..', 'node_modules'), join(dir, 'node_modules'));
    await copyFile(join(dirname(MAIN), '..', 'package.json'), join(dir, 'package.json'));
    await rm(join(dist, 'de.js'));
    const run = spawnSync(process.execPath, [join(dist, basename(MAIN)), 'retry'], {
      env: { ...process.env, LANG: 'de_DE.UTF-8', LC_ALL: '', LC_MESSAGES: '' },
      encoding: 'utf8',
    });
    expect(run).toBeRefused(2, 'USAGE', '--all');
  });
});

const removable = requirement(
  'A deletable current folder',
  process.platform !== 'win32',
  'Windows does not allow it',
);
test.skipIf(!removable)('a command in a folder that was deleted asks for another folder', async () => {
  const inDeleted = (args: string) =>
    shell(site, `mkdir gone && cd gone && rmdir ../gone && $RECEIPTD ${args}`);
  expect(await inDeleted('status')).toBeRefused(2, 'USAGE', 'no longer exists', 'cd');
  expect(await inDeleted('list --help')).toMatchObject({ status: 0, stderr: '' });
});

describe('the output of a command', () => {
  test('never overwrites a file', async () => {
    const before = await readFile(site.config, 'utf8');
    const ended = await site.look('export', '--format', 'csv', '--output', site.config);
    expect(ended).toBeRefused(1, 'OUTPUT_UNWRITABLE', site.config, 'already exists', '--output');
    expect(await readFile(site.config, 'utf8')).toBe(before);
    const nowhere = site.file('nowhere', 'a.csv');
    const other = await site.look('export', '--format', 'csv', '--output', nowhere);
    expect(other).toBeRefused(1, 'OUTPUT_UNWRITABLE', nowhere, 'folder does not exist');
  });

  test('may be cut off by its reader, as by head, and the exit status still says what was found', async () => {
    const broken = await prepare();
    await broken.quickOnce();
    await rm(broken.file('inbox'), { recursive: true });
    await writeFile(broken.file('inbox'), '');
    // Nobody reads any more when the command writes.
    const script = `{ sleep 0.1; $RECEIPTD audit --config ${broken.config}; echo "status=$?" >&2; } | true`;
    expect((await shell(broken, script)).stderr).toBe('status=4\n');
  });

  const full = requirement('/dev/full', process.platform === 'linux', 'Linux has it');
  test.skipIf(!full)('is an error if the disk has no space for it', async () => {
    const ended = await shell(site, `$RECEIPTD list --json --config ${site.config} > /dev/full`);
    expect(ended).toBeRefused(1, 'OUTPUT_UNWRITABLE', 'Standard output', 'no space is left');
  });
});

test('every --json output is valid JSON', async () => {
  const [row] = await site.list('--state', 'accepted');
  const commands = await readFile(new URL('../../docs/commands.md', import.meta.url), 'utf8');
  const fields = commands.slice(commands.indexOf('## `list --json`'), commands.indexOf('## `check --json`'));
  expect(Object.keys(row ?? {}).sort()).toEqual(
    [...fields.matchAll(/^\| (`.*?`) +\|/gm)]
      .flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, field = '']) => field))
      .sort(),
  );
  const name = row?.name ?? '';
  for (const args of [
    ['status'],
    ['list'],
    ['list', '--state', 'lost'],
    ['show', name],
    ['check'],
    ['check', '--offline'],
    ['whoami'],
    ['endpoint', 'create', 'Branch', '--language', 'en-GB', '--outgoing-url', 'https://office.example/x'],
    ['endpoint', 'list'],
    ['pause'],
    ['resume', 'office'],
    ['retry', '--all'],
    ['resend', name],
    ['resend', name, '--endpoint', 'depot'],
  ]) {
    const ended = await site.look(...args, '--json');
    expect(ended.status, `${args.join(' ')}: ${ended.stderr}`).toBe(0);
    expect(() => JSON.parse(ended.stdout) as unknown, args.join(' ')).not.toThrow();
    expectNoTrace(ended);
  }
  expect(site.sandbox.endpoints().at(-1)).toMatchObject({
    name: 'Branch',
    dominantLanguage: 'en-GB',
    outgoingUrl: 'https://office.example/x',
  });
  const listed: unknown = JSON.parse(await site.quickMust('list', '--json'));
  expect(JSON.parse(await site.quickMust('export', '--format', 'json'))).toEqual(listed);
  expect(await site.quickMust('export', '--output', 'receipts.json')).toContain(
    `Wrote ${site.file('receipts.json')}, `,
  );
  expect(JSON.parse(await readFile(site.file('receipts.json'), 'utf8'))).toEqual(listed);
  expect(await site.quickMust('export')).toBe(await site.quickMust('export', '--format', 'csv'));
});

test.skipIf(!isRoot || !ordinaryUserCanRun)(
  'a user without a name or a home, as in a container, can run commands',
  async () => {
    const { dir, config } = await prepare();
    await chmod(dir, 0o755);
    const nobodyKnown = {
      uid: 54_321,
      gid: 54_321,
      env: { PATH: process.env['PATH'], RECEIPTD_CONFIG: config },
    };
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'endpoint', 'list'], nobodyKnown);
    expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' });
  },
);
