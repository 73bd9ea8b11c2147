import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXAMPLE_UID } from '../../src/config/exampleUid.ts';
import { OFFICE, prepare, temporaryDirectory, type Site } from './support/agent.ts';
import { commandsOfProgram, quickly, receiptd } from './support/commandLine.ts';
import { runInProcess } from './support/inProcess.ts';

/** A valid configuration file with other text in place of one line. */
function text(
  site: Site,
  change: Partial<Record<'service' | 'endpoints' | 'folders' | 'more', string>>,
): string {
  const lines = {
    service: `service: { baseUrl: ${JSON.stringify(site.sandbox.url)} }`,
    endpoints: `endpoints: { office: { uid: ${OFFICE} } }`,
    folders: `folders: [{ path: ${JSON.stringify(site.file('inbox'))}, endpoint: office }]`,
    more: `stateDir: ${JSON.stringify(site.stateDir)}`,
    ...change,
  };
  return `${Object.values(lines).join('\n')}\n`;
}

/** What commands refuse to do without before they read the configuration. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  doctor: ['--list'],
  retry: ['--all'],
  dismiss: ['--all'],
  erase: ['--before', '2020-01-01'],
  set: ['x', '1'],
  'results show': ['1'],
  'ledger archive': ['--before', '2020-01-01', '--dir', '.'],
};

describe('a configuration file is refused with one sentence', () => {
  const REFUSED: [what: string, change: Parameters<typeof text>[1], code: string, words: string[]][] = [
    ['that is broken YAML', { service: 'service: { baseUrl: "x' }, 'CONFIG_SYNTAX', [':1:', 'never closed']],
    [
      'with an unknown key',
      { more: 'statedir: /x' },
      'CONFIG_INVALID',
      [':4:1:', 'statedir', 'did you mean stateDir?'],
    ],
    [
      'with a value of a wrong type',
      { more: 'delivery: { concurrency: many }' },
      'CONFIG_INVALID',
      ['delivery.concurrency', 'whole number from 1 to 64', 'found "many"'],
    ],
    [
      'with folders nested in each other',
      { folders: 'folders: [{ path: /srv/a, recursive: true }, { path: /srv/a/b }]' },
      'FOLDERS_NESTED',
      ['folders[1].path', 'is in folders[0]', '/srv/a'],
    ],
    [
      'with the same folder twice',
      { folders: 'folders: [{ path: /srv/a }, { path: /srv/a/ }]' },
      'FOLDERS_NESTED',
      ['folders[1].path', 'same folder as folders[0]'],
    ],
    [
      'with a bad name template',
      { folders: 'folders: [{ path: /srv/a, name: "{stam}" }]' },
      'TEMPLATE_INVALID',
      ['folders[0].name', '{stam}', 'Did you mean {stem}?'],
    ],
    [
      'with an endpoint that is not there',
      { folders: 'folders: [{ path: /srv/a, endpoint: ofice }]' },
      'ENDPOINT_UNKNOWN',
      ['folders[0].endpoint', '"ofice"', 'did you mean office?'],
    ],
    [
      'with an account that is not there',
      { endpoints: `endpoints: { office: { uid: ${OFFICE}, account: branch } }` },
      'ACCOUNT_UNKNOWN',
      ['endpoints.office.account', '"branch"'],
    ],
    [
      'with http to another machine',
      { service: 'service: { baseUrl: "http://service.example" }' },
      'HTTPS_REQUIRED',
      ['service.baseUrl', 'use https'],
    ],
    [
      'whose state directory is watched',
      { more: 'stateDir: /srv/a/state', folders: 'folders: [{ path: /srv/a }]' },
      'FOLDERS_NESTED',
      ['stateDir', 'is inside the watched folder'],
    ],
  ];

  test('whatever is wrong with it', async () => {
    const site = await prepare();
    for (const [what, change, code, words] of REFUSED) {
      await writeFile(site.config, text(site, change));
      expect(await site.look('check'), what).toBeRefused(2, code, site.config, ...words);
    }
  });

  test('with a line for each mistake, also if all have one code', async () => {
    const site = await prepare();
    const folders = ['/srv/a, recursive: true', '/srv/a/b', '/srv/a/c'].map((path) => `{ path: ${path} }`);
    await writeFile(site.config, text(site, { folders: `folders: [${folders.join(', ')}]` }));
    const ended = await site.look('check');
    expect(ended.status).toBe(2);
    expect(ended.stderr).toMatch(/^error: .*folders\[1\].*\n.*folders\[2\].* \[FOLDERS_NESTED\]\n$/);
  });

  test('if it contains a secret, which is not shown', async () => {
    const site = await prepare();
    await writeFile(site.config, text(site, { more: 'credentials: { clientSecret: hunter2-hunter2 }' }));
    const ended = await site.look('check');
    expect(ended).toBeRefused(2, 'CONFIG_INVALID', 'credentials.clientSecret', 'receiptd login');
    expect(ended.stderr).not.toContain('hunter2');
  });

  test('if it is not UTF-8', async () => {
    const site = await prepare();
    await writeFile(site.config, Buffer.from(text(site, { more: '# Büro' }), 'latin1'));
    expect(await site.look('check')).toBeRefused(2, 'CONFIG_SYNTAX', site.config, 'UTF-8');
  });

  test('if it is empty, missing, or a directory', async () => {
    const site = await prepare();
    await writeFile(site.config, '');
    expect(await site.look('check')).toBeRefused(2, 'CONFIG_INVALID', site.config, 'receiptd init');
    const gone = site.file('gone.yaml');
    const here = { cwd: site.dir, env: {} };
    expect(await runInProcess(['check', '--config', gone], here)).toBeRefused(
      2,
      'CONFIG_NOT_FOUND',
      gone,
      'receiptd setup',
    );
    expect(await quickly(site, ['check'], { env: { RECEIPTD_CONFIG: gone } })).toBeRefused(
      2,
      'CONFIG_NOT_FOUND',
      gone,
      'RECEIPTD_CONFIG',
    );
    const dir = site.file('inbox');
    expect(await runInProcess(['check', '--config', dir], here)).toBeRefused(
      2,
      'CONFIG_UNREADABLE',
      dir,
      'is a directory',
    );
  });
});

test('every command reads the configuration that --config names', async () => {
  const cwd = await temporaryDirectory();
  const broken = join(cwd, 'broken.yaml');
  await writeFile(broken, 'folders: [');
  for (const [name, { options, registeredArguments }] of await commandsOfProgram()) {
    if (!options.some(({ long }) => long === '--config') || name === 'restore') continue;
    const needed = MORE[name] ?? registeredArguments.flatMap(({ required }) => (required ? ['x'] : []));
    const args = [...name.split(' '), ...needed, '--config', broken];
    const { status, stdout, stderr } = await runInProcess(args, { cwd, env: { HOME: cwd } });
    expect([name, status === 0, `${stdout}${stderr}`]).toEqual([
      name,
      false,
      expect.stringContaining(broken),
    ]);
  }
});

describe('the example uid of `init`', () => {
  test('is refused before anything is queued for it', async () => {
    const site = await prepare();
    const file = site.file('new.yaml');
    // The file names no state directory; for root, it would be that of the machine.
    site.env['RECEIPTD_STATE_DIR'] = site.stateDir;
    const where = ['--base-url', site.sandbox.url, '--folder', site.file('inbox')];
    const { stdout } = await quickly(site, ['init', '--config', file, ...where]);
    expect(stdout).toContain('`receiptd endpoint create NAME`');
    await writeFile(site.file('inbox', 'a.jpg'), 'whatever it is');
    for (const form of [['run'], ['run', '--once']])
      expect(await quickly(site, [...form, '--config', file])).toBeRefused(
        2,
        'ENDPOINT_IS_EXAMPLE',
        file,
        'receiptd endpoint create',
      );
    const check = await quickly(site, ['check', '--offline', '--config', file]);
    expect([check.status, check.stdout]).toEqual([
      1,
      expect.stringMatching(/^FAIL {2}config: .*ENDPOINT_IS_EXAMPLE\]$/m),
    ]);
  });

  test('does not affect a folder with another endpoint', async () => {
    const site = await prepare();
    await site.configure({ endpoints: { office: { uid: OFFICE }, later: { uid: EXAMPLE_UID } } });
    expect(await site.quickOnce()).toMatchObject({ status: 0 });
  });
});

describe('init', () => {
  test('leaves an existing configuration file unchanged', async () => {
    const site = await prepare();
    const before = await readFile(site.config, 'utf8');
    expect(await site.look('init')).toBeRefused(1, 'CONFIG_EXISTS', site.config, '--config');
    expect(await readFile(site.config, 'utf8')).toBe(before);
  });

  test('names the file that the new one overrides, or says that commands will not find it', async () => {
    const site = await prepare();
    await mkdir(site.file('work'));
    await mkdir(site.file('home', '.config', 'receiptd'), { recursive: true });
    const user = site.file('home', '.config', 'receiptd', 'receiptd.yaml');
    const env = { XDG_CONFIG_HOME: site.file('home', '.config'), RECEIPTD_CONFIG: '' };
    const init = (...args: string[]) => runInProcess(['init', ...args], { cwd: site.file('work'), env });
    expect((await init()).stdout.split('\n')).toEqual([
      `Wrote ${site.file('work', 'receiptd.yaml')}.`,
      expect.stringMatching(/^Next: /),
      '',
    ]);
    await rm(site.file('work', 'receiptd.yaml'));
    await writeFile(user, '');
    expect((await init()).stdout).toContain(
      `In this directory, commands now use this file instead of ${user}.`,
    );
    expect((await init('--config', 'other.yaml')).stdout).toContain(
      'To make commands use this file, add `--config FILE`',
    );
  });

  test('names a directory that it cannot write', async () => {
    const site = await prepare();
    const file = site.file('nowhere', 'receiptd.yaml');
    expect(await receiptd(site, ['init', '--config', file])).toBeRefused(
      1,
      'OUTPUT_UNWRITABLE',
      file,
      'folder does not exist',
    );
  });
});
