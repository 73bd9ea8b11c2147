import { describe, expect, test } from 'vitest';
import { tidyBaseUrl, wrongBaseUrl, wrongTransport } from '../../../src/cli/setup/checks.ts';
import { wrongFolder } from '../../../src/wiring/directories.ts';
import { ANSWERS, variableOf, type AnswerName } from '../../../src/cli/setup/answers.ts';
import { managerHere } from '../../../src/cli/setup/install.ts';
import { wrapLine as wrap } from '../../../src/cli/wrap.ts';

const nobody = { env: {}, isRoot: false } as const;
const there =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path);

describe('detection of a service manager', () => {
  const env = { XDG_RUNTIME_DIR: '/run/user/1000' };

  test.each([
    [
      'a machine with systemd, as root',
      { platform: 'linux', env: {}, isRoot: true },
      ['/run/systemd/system'],
      'system',
    ],
    [
      'a machine with systemd, as a signed-in user',
      { platform: 'linux', env, isRoot: false },
      ['/run/systemd/system', '/run/user/1000/systemd'],
      'user',
    ],
    ['a Mac', { platform: 'darwin', ...nobody }, [], 'user'],
    ['Windows', { platform: 'win32', ...nobody }, [], 'system'],
  ] as const)('finds one for %s', (_, around, files, scope) => {
    expect(managerHere(around, 'C:\\ProgramData\\receiptd\\receiptd.yaml', there(...files))).toMatchObject({
      runs: true,
      scope,
    });
  });

  test.each([
    ['a container', { platform: 'linux', env: {}, isRoot: true }, ['/.dockerenv'], 'install.container'],
    [
      'WSL without systemd',
      { platform: 'linux', env: { WSL_DISTRO_NAME: 'Debian' }, isRoot: false },
      [],
      'install.wsl',
    ],
    ['another init', { platform: 'linux', ...nobody }, [], 'install.noSystemd'],
    [
      'systemd without a user manager',
      { platform: 'linux', env, isRoot: false },
      ['/run/systemd/system'],
      'install.noneForUser',
    ],
  ] as const)('finds none for %s, and says what to do instead', (_, around, files, key) => {
    expect(managerHere(around, '/etc/receiptd/receiptd.yaml', there(...files))).toMatchObject({
      runs: false,
      instead: { parts: [{ key }] },
    });
  });
});

test('on Windows, a configuration in a user profile gets no service, and setup says where to put it', () => {
  const around = { platform: 'win32', env: {}, isRoot: false } as const;
  const inProfile = managerHere(around, 'C:\\Users\\ann\\AppData\\Roaming\\receiptd\\receiptd.yaml');
  expect(inProfile).toMatchObject({
    runs: false,
    scope: 'system',
    instead: { parts: [{ key: 'install.inProfile' }] },
  });
});

test.each([
  ['receipts.example.com', 'https://receipts.example.com'],
  [' https://receipts.example.com/v2/ ', 'https://receipts.example.com'],
  ['http://127.0.0.1:8470', 'http://127.0.0.1:8470'],
  ['https://example.com/receipts/', 'https://example.com/receipts'],
])('the address "%s" is taken as people copy it', (typed, meant) => {
  expect(tidyBaseUrl(typed)).toBe(meant);
  expect(wrongBaseUrl(typed)).toBeNull();
});

test.each(['\\\\server\\share\\Scans', 'smb://server/share', 'file:///srv/scans', '/proc', '/dev/shm/scans'])(
  'rejects "%s" as a watched folder on Linux',
  (typed) => {
    expect(wrongFolder(typed, 'linux')).not.toBeNull();
  },
);

test('accepts a share on Windows, and on Linux a path that only looks like a system directory', () => {
  expect(wrongFolder('\\\\server\\share\\Scans', 'win32')).toBeNull();
  expect(wrongFolder('/development/scans', 'linux')).toBeNull();
});

test('rejects an address without HTTPS unless it is local or explicitly allowed', () => {
  expect(wrongTransport('http://service.example', false)).toEqual({ is: 'httpsUrl' });
  expect(wrongTransport('http://service.example', true)).toBeNull();
  expect(wrongTransport('http://127.0.0.1:8470', false)).toBeNull();
});

test('wraps lines between words and keeps their indentation', () => {
  expect(wrap('  Folder: /srv/a long/way off', 16)).toEqual(['  Folder: /srv/a', '  long/way off']);
  expect(wrap('', 16)).toEqual(['']);
});

test('every answer has its own variable, and the secret has no option', () => {
  const names = Object.keys(ANSWERS) as AnswerName[];
  const variables = names.map(variableOf);
  expect(new Set(variables).size).toBe(names.length);
  expect(variables).toContain('RECEIPTD_SETUP_CLIENT_SECRET_FILE');
  expect(names.map((name) => ANSWERS[name].flag)).not.toContain('--client-secret');
});
