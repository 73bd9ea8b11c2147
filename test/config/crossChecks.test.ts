import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { isSharedDirectory } from '../../src/core/domain/sharedDirectories.ts';
import { parse, problemsOf, refusal, yaml } from './support.ts';
import { agentName, databaseOf, sharesOf } from '../../src/config/fleetMember.ts';
import type { PostgresConfig } from '../../src/config/config.ts';
import { oddUids } from '../../src/config/oddUids.ts';
import { BUILT_IN_IGNORES, OWN_FILES } from '../../src/config/ignores.ts';

const folders = (...items: string[]) =>
  yaml({ folders: `[${items.map((item) => `{ ${item} }`).join(', ')}]` });

describe('the address of the service', () => {
  it.each([
    'http://api.example.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
  ])('has to be https: %s', (address) => {
    expect(refusal(yaml({ service: `{ baseUrl: "${address}" }` })).key).toBe('HTTPS_REQUIRED.settings');
  });

  it.each([
    'http://127.0.0.1:8080',
    'http://127.8.9.1',
    'http://localhost:1',
    'http://[::1]:80/x',
    'HTTP://LOCALHOST',
  ])('may be http on this machine: %s', (address) => {
    expect(parse(yaml({ service: `{ baseUrl: "${address}" }` })).service.baseUrl).toMatch(/^http:/);
  });

  it('may be http if the config says so explicitly', () => {
    const service = '{ baseUrl: "http://nas.example", allowInsecureHttp: true }';
    expect(parse(yaml({ service })).service.baseUrl).toBe('http://nas.example');
  });
});

describe('the account of an endpoint', () => {
  const endpoints = '{ office: { uid: u-1 }, depot: { uid: u-2, account: branch } }';
  const folders = '[{ path: /a, endpoint: office }]';
  const withAccounts = (more: string) => yaml({ endpoints, folders, more: `accounts: ${more}` });

  it('is one of the configured accounts, with its own names in every store', () => {
    const config = parse(withAccounts('{ branch: { store: file } }'));
    expect(config.endpoints.map(({ account }) => account)).toEqual([null, 'branch']);
    expect(config.accounts).toEqual([
      {
        name: 'branch',
        credentials: { store: 'file', file: '/var/lib/receiptd/credentials-branch.json' },
      },
    ]);
    expect(parse(withAccounts('{ branch: { file: keys.json } }')).accounts[0]?.credentials).toEqual({
      store: 'auto',
      file: '/etc/receiptd/keys.json',
    });
  });

  it('is guessed or listed if it is unknown', () => {
    expect(refusal(withAccounts('{ brnach: {} }')).code).toBe('ACCOUNT_UNKNOWN');
    const unknown = { at: '2:55', key: 'endpoints.depot.account', is: 'accountUnknown', account: 'branch' };
    expect(problemsOf(withAccounts('{ brnach: {} }'))).toMatchObject([{ ...unknown, meant: 'brnach' }]);
    expect(problemsOf(withAccounts('{ main: {} }'))).toEqual([{ ...unknown, meant: null, known: 'main' }]);
    expect(problemsOf(withAccounts('{}'))).toEqual([{ ...unknown, meant: null, known: '' }]);
  });

  it('is never mistaken for another', () => {
    expect(problemsOf(withAccounts('{ branch: {}, a-b: {}, A_B: {} }'))).toEqual([
      { at: '4:34', key: 'accounts.A_B', is: 'accountSimilar', of: 'a-b', variable: '…_A_B' },
    ]);
    const twice = '{ branch: { file: x.json }, other: { file: x.json } }';
    expect(problemsOf(withAccounts(twice))).toMatchObject([
      { key: 'accounts.other.file', is: 'accountFile', of: 'accounts.branch', file: '/etc/receiptd/x.json' },
    ]);
    const own = '/var/lib/receiptd/credentials.json';
    expect(problemsOf(withAccounts(`{ branch: { file: "${own}" } }`))).toMatchObject([{ of: 'credentials' }]);
    expect(problemsOf(withAccounts('{ branch: {}, none: {} }'))).toMatchObject([
      { expected: { is: 'accountName' } },
    ]);
    const endpoints = '{ office: { uid: u-1 }, depot: { uid: u-1, account: branch } }';
    expect(problemsOf(yaml({ endpoints, folders, more: 'accounts: { branch: {} }' }))).toEqual([
      { at: '2:45', key: 'endpoints.depot.uid', is: 'uidOfAccount', of: 'endpoints.office' },
    ]);
  });

  it('holds no secret in the file', () => {
    expect(problemsOf(withAccounts('{ branch: { clientSecret: very-secret } }'))).toMatchObject([
      { is: 'secret' },
    ]);
  });
});

describe('the endpoint of a folder', () => {
  const endpoints = '{ office: { uid: u-1 }, branch: { uid: u-2 } }';

  it('must be in the file; a typo is guessed', () => {
    const named = (endpoint: string) => yaml({ endpoints, folders: `[{ path: /a, endpoint: ${endpoint} }]` });
    expect(refusal(named('brnach')).code).toBe('ENDPOINT_UNKNOWN');
    const unknown = { at: '3:23', key: 'folders[0].endpoint', is: 'endpointUnknown' };
    expect(problemsOf(named('brnach'))).toMatchObject([{ ...unknown, meant: 'branch' }]);
    expect(problemsOf(named('garage'))).toMatchObject([{ ...unknown, meant: null, known: 'office, branch' }]);
  });

  it('may be left out if there is only one', () => {
    expect(parse(yaml()).folders[0]?.alias).toBe('office');
    expect(problemsOf(yaml({ endpoints }))).toMatchObject([{ key: 'folders[0]', is: 'endpointNeeded' }]);
  });

  it('is not called unknown when its own settings are wrong', () => {
    const text = yaml({
      endpoints: '{ office: { uid: u-1, rate: fast } }',
      folders: '[{ path: /a, endpoint: office }]',
    });
    expect(problemsOf(text)).toMatchObject([{ key: 'endpoints.office.rate' }]);
  });
});

describe('two names for one endpoint', () => {
  it('may not claim different limits', () => {
    const endpoints = '{ a: { uid: u-1, rate: 1/s }, b: { uid: u-1 } }';
    expect(problemsOf(yaml({ endpoints, folders: '[{ path: /x, endpoint: a }]' }))).toEqual([
      { at: '2:47', key: 'endpoints.b.uid', is: 'uidLimits', of: 'endpoints.a' },
    ]);
  });

  it('may not differ only in letter case, which would give two series of names', () => {
    const endpoints = '{ a: { uid: u-1 }, b: { uid: U-1 } }';
    expect(problemsOf(yaml({ endpoints, folders: '[{ path: /x, endpoint: a }]' }))).toEqual([
      { at: '2:36', key: 'endpoints.b.uid', is: 'uidCase', of: 'endpoints.a' },
    ]);
  });

  it('may have the same limits', () => {
    const endpoints = '{ a: { uid: u-1, rate: 1/s }, b: { uid: u-1, rate: 1/s } }';
    expect(parse(yaml({ endpoints, folders: '[{ path: /x, endpoint: b }]' })).folders[0]?.alias).toBe('b');
  });
});

describe('watched folders', () => {
  const nested = (text: string, overrides = {}) => {
    expect(refusal(text, overrides).code).toBe('FOLDERS_NESTED');
    return problemsOf(text, overrides);
  };

  it('differ by letter case only if the platform distinguishes it', () => {
    const text = folders('path: /srv/Scans', 'path: /srv/scans');
    expect(parse(text, { platform: 'linux' }).folders).toHaveLength(2);
    expect(nested(text, { platform: 'darwin' })).toMatchObject([{ is: 'sameFolder' }]);
    const composed = folders('path: "/srv/Caf\\u00e9"', 'path: "/srv/Cafe\\u0301"');
    expect(nested(composed, { platform: 'darwin' })).toMatchObject([{ is: 'sameFolder' }]);
  });

  it('never hold the state directory', () => {
    const watched = { is: 'stateWatched', by: 'folders[0]' };
    expect(nested(`${yaml()}stateDir: /srv/scans/state`)).toMatchObject([{ key: 'stateDir', ...watched }]);
    expect(nested(yaml(), { env: { RECEIPTD_STATE_DIR: '/srv/scans' } })).toMatchObject([
      { key: 'folders[0].path', ...watched },
    ]);
    expect(parse(`${yaml()}stateDir: /srv/scans`, { env: { RECEIPTD_STATE_DIR: '/state' } }).stateDir).toBe(
      '/state',
    );
    expect(parse(`${yaml()}stateDir: /srv/state`).stateDir).toBe('/srv/state');
  });
});

describe('alerts', () => {
  it.each([
    ['email: { to: [a@b.example] }', 'email.to', 'mailUnset'],
    ['webhook: { secretFile: /secret }', 'webhook.secretFile', 'webhookUnset'],
    ['webhook: { url: "http://hooks.example" }', 'webhook.url', 'webhookPlain'],
    ['email: { server: "smtp://mail.example" }', 'email.to', 'noRecipient'],
    [
      'email: { server: "smtp://mail.example", to: [a@b.example], passwordFile: /p }',
      'email.user',
      'noMailUser',
    ],
  ])('have somewhere to go: %s', (alerts, key, is) => {
    expect(problemsOf(`${yaml()}alerts: { ${alerts} }\n`)).toMatchObject([{ key: `alerts.${key}`, is }]);
  });

  it('may have no recipient', () => {
    const { alerts } = parse(`${yaml()}alerts: { email: { to: [] }, webhook: { secretFile: none } }\n`);
    expect([alerts.email, alerts.webhook]).toEqual([null, null]);
  });
});

it('a name template is read with the file', () => {
  const error = refusal(yaml({ folders: "[{ path: /a, name: '{stem' }]" }));
  expect(error.key).toBe('TEMPLATE_INVALID.settings');
  expect(error.params).toMatchObject({ problems: [{ key: 'folders[0].name', line: 3, col: 23 }] });
});

describe('what listens', () => {
  it('has an address of its own', () => {
    const more = 'monitoring: { listen: "127.0.0.1:9464" }\nresults: { listen: "127.0.0.1:9464" }';
    expect(problemsOf(yaml({ more }))).toEqual([
      { at: '5:12', key: 'results.listen', is: 'sameAddress', of: 'monitoring' },
    ]);
    const others = 'monitoring: { listen: "127.0.0.1:9464" }\nresults: { listen: "127.0.0.1:9465" }';
    expect(parse(yaml({ more: others })).results.listen).toEqual({ host: '127.0.0.1', port: 9465 });
  });

  it.each(['127.0.0.1:0', 'onDemand'])('is refused where it is no address: %s', (listen) => {
    for (const key of ['monitoring', 'results']) {
      const problems = problemsOf(yaml({ more: `${key}: { listen: "${listen}" }` }));
      expect(problems).toMatchObject([{ key: `${key}.listen`, expected: { is: 'listenOrOff' } }]);
    }
  });
});

describe('a password in an address', () => {
  it.each([
    "alerts: { email: { server: 'smtp://u:PASSW0RD@h', to: [a@example.com] } }",
    "alerts: { webhook: { url: 'https://u:PASSW0RD@h/x' } }",
    "alerts: { webhook: { url: 'ftp://u:PASSW0RD@h/x' } }",
  ])('is in no message: %s', (more) => {
    const problems = problemsOf(yaml({ more }));
    expect(problems).toMatchObject([{ is: 'expected', found: null }]);
    expect(JSON.stringify(problems)).not.toContain('PASSW0RD');
  });
});

describe('the state directory', () => {
  it.each([
    '/',
    '/etc',
    '/etc/',
    '/etc/receiptd',
    '/var/lib',
    '/srv',
    '/root',
    '/home',
    '/home/joe',
    '~/',
    '/Users/joe',
  ])('is a directory of its own: %s is none', (place) => {
    // The root and /srv contain the watched folder, too.
    expect(problemsOf(yaml({ more: `stateDir: ${place}` }))).toContainEqual(
      expect.objectContaining({
        at: '4:1',
        key: 'stateDir',
        is: 'stateShared',
        own: expect.stringMatching(/\/receiptd$/),
      }),
    );
  });

  it.each(['/state', '/var/lib/receiptd', '/home/joe/receiptd', '/etc/receiptd/state', '/data'])(
    'may be %s',
    (place) => {
      expect(parse(yaml({ more: `stateDir: ${place}` })).stateDir).toBe(place);
    },
  );

  it('is none in the environment either', () => {
    expect(problemsOf(yaml(), { env: { RECEIPTD_STATE_DIR: '/var/lib' } })).toHaveLength(1);
  });

  it.each(['C:\\', 'c:\\Windows\\System32', 'C:\\ProgramData', 'C:\\Users\\joe', '\\\\nas\\share'])(
    'is a directory of its own on Windows: %s is none',
    (place) => {
      expect(isSharedDirectory(place, 'win32')).toBe(true);
      expect(isSharedDirectory(`${place}\\receiptd`, 'win32')).toBe(place.includes('System32'));
    },
  );
});

const LEDGER: PostgresConfig = {
  kind: 'postgres',
  url: 'postgres://receiptd@db1:5433,db2/office?sslmode=verify-full',
  passwordFile: null,
  ca: null,
  agent: null,
  lease: 15_000,
};

it.each([
  ['scan-pc', 'scan-pc'],
  ['Scan_PC.office.example.com', 'Scan_PC-office-example-com'],
  ['-x', 'agent-x'],
  ['share', 'agent-share'],
  ['büro', 'b-ro'],
  [`${'a'.repeat(62)}.example`, 'a'.repeat(62)],
  ['…', 'agent'],
])('an agent on the host %s is called %s', (host, name) => {
  expect(agentName(LEDGER, host)).toBe(name);
  expect(agentName({ ...LEDGER, agent: 'front' }, host)).toBe('front');
});

it('shares are listed by their paths on this machine', () => {
  const folders = [
    { path: '/a', share: 'scans' },
    { path: '/b', share: null },
  ];
  expect([...sharesOf(folders)]).toEqual([['/a', 'scans']]);
});

it('the location of the ledger contains no user name', () => {
  expect(databaseOf(LEDGER)).toEqual({ database: 'office', hosts: ['db1', 'db2'] });
});

const key = (uid: string) => ({ baseUrl: 'https://service.example', uid });
const limits = { concurrency: 1, rate: null, perDay: null, perMonth: null };
const odd = (uid: string) =>
  oddUids({ endpoints: [{ alias: 'office', key: key(uid), account: null, limits }] });

it('accepts a lowercase UUID', () => {
  expect(odd('0b8d6a52-6f5e-4c0a-9d3b-1d7a4c2e9f10')).toEqual([]);
});

it.each([
  ['0B8D6A52-6F5E-4C0A-9D3B-1D7A4C2E9F10', 'uidCapitals'],
  ['0b8d6a526f5e4c0a9d3b1d7a4c2e9f10', 'uidOdd'],
  ['u-1', 'uidOdd'],
])('warns of the uid %s: %s', (uid, is) => {
  expect(odd(uid)).toEqual([{ is, alias: 'office', uid }]);
});

/** As folders are read: a pattern without a slash matches a name at any depth. */
function matcher(patterns: readonly string[]): (path: string) => boolean {
  const matches = picomatch([...patterns], { dot: true, flags: 'is' });
  return (path) => path.split('/').some((name) => matches(name));
}

describe('the built-in ignores', () => {
  const ignored = matcher(BUILT_IN_IGNORES);

  const LEFT_ALONE = [
    'scan.jpg.tmp SCAN.TMP thumbs.db scan.jpg.part scan.jpg.crdownload scan.jpg.filepart ~$scan.docx scan.jpg~',
    '.scan.jpg.swp .hidden.jpg ._scan.jpg .DS_Store Thumbs.db desktop.ini @eaDir/scan.jpg/SYNOPHOTO_THUMB_M.jpg',
    '#recycle/scan.jpg $RECYCLE.BIN/S-1/scan.jpg .snapshot/daily/scan.jpg lost+found/#123.jpg a/b/@eaDir/c.jpg',
    'a/.hidden/c.jpg a/b/scan.partial',
  ].flatMap((line) => line.split(' '));
  it.each([...LEFT_ALONE, 'System Volume Information/x.jpg'])('leave %s alone', (path) => {
    expect(ignored(path)).toBe(true);
  });

  const LET_THROUGH =
    'scan.jpg a/b/scan.tif temp/scan.jpg part.png eaDir/x.jpg lostfound/x.jpg a~b.jpg سند.jpg';
  it.each(LET_THROUGH.split(' '))('let %s through', (path) => {
    expect(ignored(path)).toBe(false);
  });

  it('are all matched by their own names', () => {
    expect(BUILT_IN_IGNORES.filter((name) => !ignored(`x/${name.replace('*', 'some')}`))).toEqual([]);
  });
});

it('files that the agent set aside are always ignored', () => {
  const own = matcher(OWN_FILES);
  expect(own('.receiptd-1a2b-scan.jpg')).toBe(true);
  expect(own('a/.receiptd-x/scan.jpg')).toBe(true);
  expect(own('receiptd-x.jpg')).toBe(false);
});
