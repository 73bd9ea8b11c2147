import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, readConfigFile } from '../../src/config/load.ts';
import { context, parse, yaml } from './support.ts';
import { asOrdinaryUser } from '../support/ordinaryUser.ts';
import { tempDir } from '../support/tempDir.ts';

describe('a config that says as little as possible', () => {
  const config = parse(yaml());

  it('names documents after their file and content', () => {
    const names = config.folders[0]?.template.propose(
      {
        folder: '/srv/scans',
        path: 'SCAN0001.jpg',
        hash: 'ab'.repeat(32),
        host: 'h',
        endpoint: 'office',
        date: new Date(0),
        captured: new Date(0),
        maxBytes: 300,
      },
      1,
    );
    expect(names?.[0]).toBe('SCAN0001-abababababab');
  });

  it('shares no default between two loads', () => {
    expect(config.folders[0]?.accept).not.toBe(parse(yaml()).folders[0]?.accept);
  });
});

describe('a config', () => {
  it('is read with all units', () => {
    const { folders, delivery, endpoints, results, intake, log, spool, storage } = parse(
      yaml({
        endpoints: '{ office: { uid: u-1, concurrency: 2, rate: 30/min, perDay: 500, perMonth: unlimited } }',
        folders:
          '[{ path: /a, settle: { long: 3s }, existing: since 2026-03-09, maxFileSize: 1GB, builtInIgnores: false, ignore: [x] }]',
        more: 'results: { rate: 30 }\ndelivery: { rate: 120, perMonth: 9000, grace: 0s, bandwidth: 500kB/s, hours: [ Mon-Fri 07:00-19:00 ] }\nspool: always\nstorage: { spoolLimit: 20MB, backupEvery: 1h }\nintake: { reconcileEvery: 5m }\nlog: { maxSize: 500kB }',
      }),
    );
    expect(endpoints[0]?.limits).toEqual({
      concurrency: 2,
      rate: { count: 30, intervalMs: 60_000 },
      spread: true,
      perDay: 500,
      perMonth: null,
    });
    // The unit of a number alone is that of the setting.
    expect(results.rate).toEqual({ count: 30, intervalMs: 1_000 });
    expect(delivery).toEqual({
      concurrency: 4,
      rate: { count: 120, intervalMs: 60_000 },
      spread: true,
      perDay: null,
      perMonth: 9_000,
      bandwidth: 500_000,
      hours: [{ days: [1, 2, 3, 4, 5], from: 420, until: 1140 }],
      grace: 0,
      parkAfter: 5,
    });
    expect(folders[0]).toMatchObject({
      settle: { shortMs: 200, longMs: 3_000, patienceMs: 600_000 },
      existing: { kind: 'since', at: new Date(2026, 2, 9).getTime(), text: '2026-03-09' },
      maxFileSize: 1_000_000_000,
      ignore: ['.receiptd-*', 'x'],
    });
    expect(spool).toBe('always');
    expect(storage).toMatchObject({ spoolLimit: 20_000_000, backupEvery: 3_600_000 });
    expect(intake.reconcileEvery).toBe(300_000);
    expect(log.maxSize).toBe(500_000);
  });

  it.each([
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com///', 'https://api.example.com'],
    ['https://API.example.com:443/base/', 'https://api.example.com/base'],
  ])('names the service in one way only: %s', (written, baseUrl) => {
    const config = parse(yaml({ service: `{ baseUrl: "${written}" }` }));
    expect(config.service.baseUrl).toBe(baseUrl);
    expect(config.folders[0]?.endpoint.baseUrl).toBe(baseUrl);
  });

  it('lets an endpoint use the whole concurrency unless told otherwise', () => {
    expect(parse(yaml({ more: 'delivery: { concurrency: 9 }' })).endpoints[0]?.limits.concurrency).toBe(9);
  });

  it('has paths relative to the file, the home directory, or the folder', () => {
    const config = parse(
      yaml({
        folders:
          '[{ path: scans, archiveTo: ../done }, { path: ~/in, archiveTo: ~/done }, { path: "~" , archiveTo: /x/ }]',
        more: 'credentials: { file: keys.json }\nstateDir: ./state',
      }),
    );
    expect(config.folders.map(({ path, archiveTo }) => [path, archiveTo])).toEqual([
      ['/etc/receiptd/scans', '/etc/receiptd/done'],
      ['/home/ann/in', '/home/ann/done'],
      ['/home/ann', '/x'],
    ]);
    expect(config.credentials.file).toBe('/etc/receiptd/keys.json');
    expect(config.stateDir).toBe('/etc/receiptd/state');
  });
});

describe('the state directory', () => {
  const more = 'stateDir: /from/file';

  it('is what the environment says, then the file', () => {
    expect(parse(yaml({ more }), { env: { RECEIPTD_STATE_DIR: 'from/env' } }).stateDir).toBe(
      '/place/from/env',
    );
    expect(parse(yaml({ more }), { env: { RECEIPTD_STATE_DIR: '' } }).stateDir).toBe('/from/file');
    expect(parse(yaml({ more }), { env: { STATE_DIRECTORY: '/of/unit' } }).stateDir).toBe('/from/file');
  });

  it.each([
    [{ isRoot: true }, '/var/lib/receiptd'],
    [{}, '/home/ann/.local/state/receiptd'],
    [{ env: { XDG_STATE_HOME: '/xdg' } }, '/xdg/receiptd'],
    [{ env: { XDG_STATE_HOME: 'relative' } }, '/home/ann/.local/state/receiptd'],
    [{ env: { STATE_DIRECTORY: '/var/lib/of-unit' } }, '/var/lib/of-unit'],
    [{ env: { STATE_DIRECTORY: '/a:/b' } }, '/home/ann/.local/state/receiptd'],
    [{ platform: 'darwin' as const }, '/home/ann/Library/Application Support/receiptd'],
  ])('is by default, for %j, %s', (overrides, expected) => {
    expect(parse(yaml(), overrides, '/home/ann/receiptd.yaml').stateDir).toBe(expected);
  });

  it('of a configuration of the machine is the same for every user', () => {
    for (const overrides of [
      {},
      { isRoot: true },
      { env: { XDG_STATE_HOME: '/xdg' } },
      { platform: 'darwin' },
    ] as const)
      expect(parse(yaml(), overrides, '/etc/receiptd/receiptd.yaml').stateDir).toBe('/var/lib/receiptd');
    const env = { STATE_DIRECTORY: '/var/lib/of-unit' };
    expect(parse(yaml(), { env }, '/etc/receiptd/receiptd.yaml').stateDir).toBe('/var/lib/of-unit');
    expect(parse(yaml({ more }), {}, '/etc/receiptd/receiptd.yaml').stateDir).toBe('/from/file');
  });

  it.each([
    [{}, 'C:\\Users\\Ann\\AppData\\Local\\receiptd'],
    [{ LOCALAPPDATA: 'D:\\Local' }, 'D:\\Local\\receiptd'],
  ])('is on Windows by default, for %j, %s', (env, expected) => {
    const windows = { env, platform: 'win32' as const, home: 'C:\\Users\\Ann', cwd: 'C:\\' };
    const config = parse(yaml({ folders: "[{ path: '~\\scans' }]" }), windows, 'C:\\conf\\receiptd.yaml');
    expect(config.stateDir).toBe(expected);
    expect(config.credentials.file).toBe(`${expected}\\credentials.json`);
    expect(config.folders[0]?.path).toBe('C:\\Users\\Ann\\scans');
  });

  it("is beside the machine's configuration on Windows, for every user", () => {
    const windows = { platform: 'win32' as const, home: 'C:\\Users\\Ann', cwd: 'C:\\' };
    const of = (env: Record<string, string>, file: string) =>
      parse(yaml({ folders: "[{ path: 'C:\\Scans' }]" }), { ...windows, env }, file).stateDir;
    const local = { LOCALAPPDATA: 'C:\\Windows\\ServiceProfiles\\LocalService\\AppData\\Local' };
    const state = 'C:\\ProgramData\\receiptd\\state';
    expect(of(local, 'c:\\programdata\\receiptd\\receiptd.yaml').toLowerCase()).toBe(state.toLowerCase());
    expect(of({ PROGRAMDATA: 'D:\\Data' }, 'D:\\Data\\receiptd\\receiptd.yaml')).toBe(
      'D:\\Data\\receiptd\\state',
    );
  });
});

describe('a config file', () => {
  let dir: string;

  beforeEach(() => {
    dir = tempDir('config');
  });

  it.skipIf(process.platform === 'win32')('is refused without waiting if it is a pipe', async () => {
    const pipe = join(dir, 'pipe.yaml');
    execFileSync('mkfifo', [pipe]);
    await expect(readConfigFile(pipe)).rejects.toMatchObject({
      key: 'CONFIG_UNREADABLE.notAFile',
    });
  });

  it('is reported if it may not be read', async () => {
    const file = join(dir, 'r.yaml');
    await writeFile(file, yaml());
    await chmod(file, 0o000);
    await chmod(dir, 0o755);
    await asOrdinaryUser(async () => {
      await expect(loadConfig(file, context())).rejects.toMatchObject({
        key: 'CONFIG_UNREADABLE.file',
        params: { path: file, system: 'EACCES' },
      });
    });
  });
});
