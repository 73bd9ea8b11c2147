import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { isSharedDirectory } from '../../src/core/domain/sharedDirectories.ts';
import { parse, problemsOf, refusal, yaml } from './support.ts';
import { agentName, databasePlace, sharesOf } from '../../src/config/fleetMember.ts';
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
    const error = refusal(yaml({ service: `{ baseUrl: "${address}" }` }));
    expect(error.code).toBe('HTTPS_REQUIRED');
    expect(error.message).toContain('service.allowInsecureHttp: true');
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
    const error = refusal(withAccounts('{ brnach: {} }'));
    expect(error.code).toBe('ACCOUNT_UNKNOWN');
    expect(error.message).toBe(
      '/etc/receiptd/receiptd.yaml:2:55: endpoints.depot.account: unknown account "branch"; did you mean brnach?',
    );
    expect(problemsOf(withAccounts('{ main: {} }'))).toEqual([
      '2:55: endpoints.depot.account: unknown account "branch"; accounts are main',
    ]);
    expect(problemsOf(withAccounts('{}'))[0]).toContain('add it under accounts, or remove the key');
  });

  it('is never mistaken for another', () => {
    expect(problemsOf(withAccounts('{ branch: {}, a-b: {}, A_B: {} }'))).toEqual([
      '4:34: accounts.A_B: is too similar to a-b: both would be …_A_B in the environment',
    ]);
    expect(problemsOf(withAccounts('{ branch: { file: x.json }, other: { file: x.json } }'))).toEqual([
      '4:48: accounts.other.file: is also the file of accounts.branch: /etc/receiptd/x.json; choose a different one',
    ]);
    const own = '/var/lib/receiptd/credentials.json';
    expect(problemsOf(withAccounts(`{ branch: { file: "${own}" } }`))[0]).toContain(
      'is also the file of credentials',
    );
    expect(problemsOf(withAccounts('{ branch: {}, none: {} }'))[0]).toContain('other than none');
    const twice = '{ office: { uid: u-1 }, depot: { uid: u-1, account: branch } }';
    expect(problemsOf(yaml({ endpoints: twice, folders, more: 'accounts: { branch: {} }' }))).toEqual([
      '2:45: endpoints.depot.uid: is also the uid of endpoints.office, which uses a different account; keep only one of them',
    ]);
  });

  it('holds no secret in the file', () => {
    expect(problemsOf(withAccounts('{ branch: { clientSecret: very-secret } }'))[0]).toContain(
      'credentials must not be in this file',
    );
  });
});

describe('the endpoint of a folder', () => {
  const endpoints = '{ office: { uid: u-1 }, branch: { uid: u-2 } }';

  it('must be in the file; a typo is guessed', () => {
    const error = refusal(yaml({ endpoints, folders: '[{ path: /a, endpoint: brnach }]' }));
    expect(error.code).toBe('ENDPOINT_UNKNOWN');
    expect(error.message).toBe(
      '/etc/receiptd/receiptd.yaml:3:23: folders[0].endpoint: unknown endpoint "brnach"; did you mean branch?',
    );
    expect(problemsOf(yaml({ endpoints, folders: '[{ path: /a, endpoint: garage }]' }))).toEqual([
      '3:23: folders[0].endpoint: unknown endpoint "garage"; endpoints are office, branch',
    ]);
  });

  it('may be left out if there is only one', () => {
    expect(parse(yaml()).folders[0]?.alias).toBe('office');
    const error = refusal(yaml({ endpoints }));
    expect(error.code).toBe('ENDPOINT_UNKNOWN');
    expect(error.message).toContain('folders[0]: needs the key endpoint; endpoints are office, branch');
  });

  it('is not called unknown when its own settings are wrong', () => {
    const text = yaml({
      endpoints: '{ office: { uid: u-1, rate: fast } }',
      folders: '[{ path: /a, endpoint: office }]',
    });
    expect(problemsOf(text)).toEqual([expect.stringContaining('endpoints.office.rate')]);
  });
});

describe('two names for one endpoint', () => {
  it('may not claim different limits', () => {
    const endpoints = '{ a: { uid: u-1, rate: 1/s }, b: { uid: u-1 } }';
    expect(problemsOf(yaml({ endpoints, folders: '[{ path: /x, endpoint: a }]' }))).toEqual([
      '2:47: endpoints.b.uid: is also the uid of endpoints.a, which has different limits; keep only one of them',
    ]);
  });

  it('may not differ only in letter case, which would give two series of names', () => {
    const endpoints = '{ a: { uid: u-1 }, b: { uid: U-1 } }';
    expect(problemsOf(yaml({ endpoints, folders: '[{ path: /x, endpoint: a }]' }))).toEqual([
      '2:36: endpoints.b.uid: is the uid of endpoints.a in different case; write both the same way',
    ]);
  });

  it('may have the same limits', () => {
    const endpoints = '{ a: { uid: u-1, rate: 1/s }, b: { uid: u-1, rate: 1/s } }';
    expect(parse(yaml({ endpoints, folders: '[{ path: /x, endpoint: b }]' })).folders[0]?.alias).toBe('b');
  });
});

describe('watched folders', () => {
  const nested = (text: string, overrides = {}) => {
    const error = refusal(text, overrides);
    expect(error.code).toBe('FOLDERS_NESTED');
    return error.message.replace('/etc/receiptd/receiptd.yaml:', '');
  };

  it('differ by letter case only if the platform distinguishes it', () => {
    const text = folders('path: /srv/Scans', 'path: /srv/scans');
    expect(parse(text, { platform: 'linux' }).folders).toHaveLength(2);
    expect(nested(text, { platform: 'darwin' })).toContain('is the same folder');
    const composed = folders('path: "/srv/Caf\\u00e9"', 'path: "/srv/Cafe\\u0301"');
    expect(nested(composed, { platform: 'darwin' })).toContain('is the same folder');
  });

  it('never hold the state directory', () => {
    expect(nested(`${yaml()}stateDir: /srv/scans/state`)).toBe(
      '4:1: stateDir: the state directory /srv/scans/state is inside the watched folder folders[0]; move it with stateDir or RECEIPTD_STATE_DIR',
    );
    expect(nested(yaml(), { env: { RECEIPTD_STATE_DIR: '/srv/scans' } })).toContain(
      '3:13: folders[0].path: the state',
    );
    expect(parse(`${yaml()}stateDir: /srv/scans`, { env: { RECEIPTD_STATE_DIR: '/state' } }).stateDir).toBe(
      '/state',
    );
    expect(parse(`${yaml()}stateDir: /srv/state`).stateDir).toBe('/srv/state');
  });
});

describe('alerts', () => {
  it.each([
    [
      'email: { to: [a@b.example] }',
      /alerts\.email\.to: no mail is sent while alerts\.email\.server is none/,
    ],
    [
      'webhook: { secretFile: /secret }',
      /alerts\.webhook\.secretFile: has no effect while alerts\.webhook\.url/,
    ],
  ])('have somewhere to go: %s', (alerts, words) => {
    const error = refusal(`${yaml()}alerts: { ${alerts} }\n`);
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toMatch(words);
  });

  it('may have no recipient', () => {
    const { alerts } = parse(`${yaml()}alerts: { email: { to: [] }, webhook: { secretFile: none } }\n`);
    expect([alerts.email, alerts.webhook]).toEqual([null, null]);
  });
});

it('a name template is read with the file', () => {
  const error = refusal(yaml({ folders: "[{ path: /a, name: '{stem' }]" }));
  expect(error.code).toBe('TEMPLATE_INVALID');
  expect(error.message).toMatch(/^\/etc\/receiptd\/receiptd\.yaml:3:23: folders\[0\]\.name: /);
});

it('problems of several kinds share the code of an invalid config', () => {
  const error = refusal(
    yaml({ service: '{ baseUrl: "http://x.example" }', folders: '[{ path: /a, endpoint: b }]' }),
  );
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message.split('\n')).toHaveLength(2);
});

describe('what listens', () => {
  it('has an address of its own', () => {
    const more = 'monitoring: { listen: "127.0.0.1:9464" }\nresults: { listen: "127.0.0.1:9464" }';
    expect(problemsOf(yaml({ more }))).toEqual([
      expect.stringContaining('results.listen: is the address of monitoring.listen; choose another port'),
    ]);
    const others = 'monitoring: { listen: "127.0.0.1:9464" }\nresults: { listen: "127.0.0.1:9465" }';
    expect(parse(yaml({ more: others })).results.listen).toEqual({ host: '127.0.0.1', port: 9465 });
  });

  it.each(['127.0.0.1:99999', '127.0.0.1:0', 'localhost:9464', ':9464', 'onDemand', '9464'])(
    'is refused where it is no address: %s',
    (listen) => {
      for (const key of ['monitoring', 'results']) {
        const [problem] = problemsOf(yaml({ more: `${key}: { listen: "${listen}" }` }));
        expect(problem).toContain(`${key}.listen: expected off, or an address and a port`);
      }
    },
  );
});

describe('a password in an address', () => {
  it.each([
    "alerts: { email: { server: 'smtp://u:PASSW0RD@h', to: [a@example.com] } }",
    "alerts: { webhook: { url: 'https://u:PASSW0RD@h/x' } }",
    "alerts: { webhook: { url: 'ftp://u:PASSW0RD@h/x' } }",
  ])('is in no message: %s', (more) => {
    const problems = problemsOf(yaml({ more }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('without user');
    expect(problems[0]).not.toContain('PASSW0RD');
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
      expect.stringMatching(/^4:1: stateDir: .* belongs to the system or to a person, .*\/receiptd$/),
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
  expect(databasePlace(LEDGER)).toBe('the database office at db1, db2');
});

const key = (uid: string) => ({ baseUrl: 'https://service.example', uid });
const limits = { concurrency: 1, rate: null, perDay: null, perMonth: null };
const odd = (uid: string): string[] =>
  oddUids({ endpoints: [{ alias: 'office', key: key(uid), account: null, limits }] });

it('accepts a lowercase UUID', () => {
  expect(odd('0b8d6a52-6f5e-4c0a-9d3b-1d7a4c2e9f10')).toEqual([]);
});

it.each([
  ['0B8D6A52-6F5E-4C0A-9D3B-1D7A4C2E9F10', 'has capital letters'],
  ['0b8d6a526f5e4c0a9d3b1d7a4c2e9f10', 'is not a UUID'],
  ['u-1', 'is not a UUID'],
])('warns of the uid %s: it %s', (uid, why) => {
  expect(odd(uid)).toEqual([
    `The uid of the endpoint office, ${uid}, ${why}. The service's uids are lowercase UUIDs. Compare it with the one the service shows.`,
  ]);
});

/** As folders are read: a pattern without a slash matches a name at any depth. */
function matcher(patterns: readonly string[]): (path: string) => boolean {
  const matches = picomatch([...patterns], { dot: true, flags: 'is' });
  return (path) => path.split('/').some((name) => matches(name));
}

describe('the built-in ignores', () => {
  const ignored = matcher(BUILT_IN_IGNORES);

  it.each([
    'scan.jpg.tmp',
    'SCAN.TMP',
    'thumbs.db',
    'scan.jpg.part',
    'scan.jpg.crdownload',
    'scan.jpg.filepart',
    '~$scan.docx',
    'scan.jpg~',
    '.scan.jpg.swp',
    '.hidden.jpg',
    '._scan.jpg',
    '.DS_Store',
    'Thumbs.db',
    'desktop.ini',
    '@eaDir/scan.jpg/SYNOPHOTO_THUMB_M.jpg',
    '#recycle/scan.jpg',
    '$RECYCLE.BIN/S-1/scan.jpg',
    '.snapshot/daily/scan.jpg',
    'lost+found/#123.jpg',
    'System Volume Information/x.jpg',
    'a/b/@eaDir/c.jpg',
    'a/.hidden/c.jpg',
    'a/b/scan.partial',
  ])('leave %s alone', (path) => {
    expect(ignored(path)).toBe(true);
  });

  it.each([
    'scan.jpg',
    'a/b/scan.tif',
    'temp/scan.jpg',
    'part.png',
    'eaDir/x.jpg',
    'lostfound/x.jpg',
    'a~b.jpg',
    'سند.jpg',
  ])('let %s through', (path) => {
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
