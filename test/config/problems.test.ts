import { describe, expect, it } from 'vitest';
import { problemsOf, refusal, yaml } from './support.ts';

describe('a problem in a config file', () => {
  it('is reported with all others, one a line with its position, in the order of the file', () => {
    const text = `service:
  baseUrl: https://api.example.com
  timeout: 5s
endpoints:
  office:
    uid: u-1
    rate: 60/m
folders:
  - path: /srv/scans
    endpoint: ofice
    recursiv: true
    settle: { short: 200 }
  - recursive: true
delivery:
  concurrency: many
`;
    expect(problemsOf(text)).toMatchObject([
      { at: '3:3', key: 'service.timeout', is: 'unknownKey', meant: 'timeouts' },
      {
        at: '7:5',
        key: 'endpoints.office.rate',
        expected: { is: 'rate', unit: 'min' },
        found: { text: '"60/m"' },
      },
      { at: '11:5', key: 'folders[0].recursiv', is: 'unknownKey', meant: 'recursive' },
      { at: '12:15', key: 'folders[0].settle.short', expected: { atLeast: '10ms', atMost: '24d' } },
      { at: '13:5', key: 'folders[1].path', is: 'missing', expected: { is: 'path' } },
      { at: '15:3', key: 'delivery.concurrency', expected: { min: 1, max: 64 }, found: { text: '"many"' } },
    ]);
    expect(refusal(text).code).toBe('CONFIG_INVALID');
  });

  it('may be a contradiction between keys that are valid themselves', () => {
    const folders = '[{ path: /a, endpoint: ofice }, { path: /b, colour: red }]';
    const text = yaml({ folders, more: 'log: { level: loud }' });
    expect(refusal(text).code).toBe('CONFIG_INVALID');
    expect(problemsOf(text)).toMatchObject([
      { at: '3:23', key: 'folders[0].endpoint', is: 'endpointUnknown', meant: 'office' },
      { at: '3:54', key: 'folders[1].colour', is: 'unknownKey', meant: null },
      { at: '4:8', key: 'log.level', expected: { is: 'oneOf', values: ['debug', 'info', 'warn', 'error'] } },
    ]);
  });

  it('may be a key that belongs in another section', () => {
    expect(problemsOf(yaml({ more: 'rate: 30/min' }))).toMatchObject([
      { key: 'rate', is: 'unknownKey', meant: 'delivery.rate' },
    ]);
  });

  it.each([
    ['recursive: yes', { expected: { is: 'trueOrFalse' }, found: { text: '"yes"' } }],
    ['include: "*.jpg"', { expected: { is: 'list' }, found: { text: '"*.jpg"' } }],
    ['include: []', { expected: { is: 'aPattern' }, found: { is: 'emptyList' } }],
    ['ignore: ["!keep.jpg"]', { expected: { is: 'pattern' }, found: { text: '"!keep.jpg"' } }],
    ['ignore: [/srv/scans/x]', { expected: { is: 'pattern' } }],
    [
      'settle:',
      { expected: { is: 'mapping', keys: ['short', 'long', 'patience'] }, found: { is: 'nothing' } },
    ],
    ['settle: { long: 25d }', { expected: { is: 'duration', atLeast: '10ms', atMost: '24d' } }],
    ['silentAfter: 5m', { expected: { is: 'silentAfter' }, found: { text: '"5m"' } }],
    ['nameMaxBytes: 10', { expected: { is: 'wholeNumber', min: 64, max: 1000 }, found: { text: '10' } }],
    ['nameMaxBytes: 99.5', { expected: { is: 'wholeNumber' }, found: { text: '99.5' } }],
    ['accept: [jpg]', { expected: { is: 'oneOf' }, found: { text: '"jpg"' }, meant: 'jpeg' }],
    ['accept: []', { expected: { is: 'aType' } }],
    ['maxFileSize: 50', { expected: { is: 'size', atLeast: '1B', atMost: '1GB' }, found: { text: '50' } }],
    ['maxFileSize: 2GB', { expected: { is: 'size' } }],
    ['existing: since 2026-02-30', { expected: { is: 'existing' } }],
    ['existing: since', { expected: { is: 'existing' } }],
    ['afterUpload: remove', { expected: { values: ['keep', 'archive', 'delete'] } }],
    ['archiveTo: ~bob/archive', { expected: { is: 'path' } }],
  ])('names the value and what was expected: %s', (setting, flaw) => {
    const folders = `\n  - path: /srv/scans\n    ${setting}`;
    expect(problemsOf(yaml({ folders }))).toMatchObject([flaw]);
  });

  it.each(['https://api.example.com/v2', 'https://api.example.com/v2/', 'https://example.com/api/v2'])(
    'the address %s, which has the version at its end',
    (address) => {
      expect(problemsOf(yaml({ service: `{ baseUrl: ${address} }` }))).toMatchObject([
        { at: '1:12', key: 'service.baseUrl', expected: { is: 'baseUrlAlone' } },
      ]);
    },
  );

  it.each([
    'api.example.com',
    'ftp://api.example.com',
    'https://api.example.com/?a=b',
    'https://api.example.com/#x',
    '5',
    "''",
  ])('refuses %s as an address', (address) => {
    expect(problemsOf(yaml({ service: `{ baseUrl: ${address} }` }))).toMatchObject([
      { at: '1:12', key: 'service.baseUrl', expected: { is: 'baseUrl' } },
    ]);
  });

  it.each(['perDay: 0', 'perMonth: -1', 'perDay: none', 'perDay: 1.5'])('refuses the budget %s', (budget) => {
    expect(problemsOf(yaml({ more: `delivery: { ${budget} }` }))).toMatchObject([
      { expected: { is: 'uploads' } },
    ]);
  });

  it.each(['image/jpeg; charset=x', 'jpeg', 'image/', 'a\\nb/c'])('refuses the media type %s', (type) => {
    expect(
      problemsOf(yaml({ service: `{ baseUrl: https://x.example, uploadContentType: "${type}" }` })),
    ).toMatchObject([{ expected: { is: 'contentType' } }]);
  });

  it('is reported for a missing section, an empty one and an odd name', () => {
    expect(problemsOf('folders: []\nendpoints: {}\n')).toMatchObject([
      { at: '1:1', key: 'service', is: 'missing' },
      { at: '1:1', key: 'folders', expected: { is: 'aFolder' }, found: { is: 'emptyList' } },
      { at: '2:1', key: 'endpoints', expected: { is: 'anEndpoint' }, found: { is: 'emptyMapping' } },
    ]);
    expect(problemsOf(yaml({ endpoints: '{ "head office": { uid: u } }' }))).toMatchObject([
      { at: '2:14', key: 'endpoints.head office', expected: { is: 'shortName' }, found: null },
    ]);
  });

  it('is reported for a file that is empty, only comments, or not a mapping', () => {
    expect(refusal('').key).toBe('CONFIG_INVALID.empty');
    expect(refusal('# nothing yet\n').key).toBe('CONFIG_INVALID.empty');
    const mapping = { at: '1:1', key: '', expected: { is: 'mapping' } };
    expect(problemsOf('- a\n- b\n')).toMatchObject([{ ...mapping, found: { is: 'list' } }]);
    expect(problemsOf('hello')).toMatchObject([{ ...mapping, found: { text: '"hello"' } }]);
  });

  it('shows at most 60 characters of a value, and none that move a cursor', () => {
    const level = (text: string) => problemsOf(yaml({ more: `log: { level: "${text}" }` }));
    expect(level('x'.repeat(500))).toMatchObject([{ found: { text: `"${'x'.repeat(60)}…"` } }]);
    expect(level('a\\e[2Jb')).toMatchObject([{ found: { text: '"a\uFFFD[2Jb"' } }]);
    const [key] = problemsOf(yaml({ more: `? "${'k'.repeat(500)}"\n: 1` }));
    expect(key).toMatchObject({ key: `${'k'.repeat(60)}…`, is: 'unknownKey' });
  });

  it('is found behind YAML aliases', () => {
    const text = `base: &base { path: /a, recursive: 3 }\n${yaml({ folders: '[*base]' })}`;
    expect(problemsOf(text)).toMatchObject([
      { at: '1:1', key: 'base', is: 'unknownKey' },
      { at: '1:25', key: 'folders[0].recursive', expected: { is: 'trueOrFalse' } },
    ]);
  });
});

describe('a secret in the config file', () => {
  const places: [string, (secret: string) => string][] = [
    ['at the top', (secret) => yaml({ more: `clientSecret: ${secret}` })],
    ['in another style', (secret) => yaml({ more: `client_secret: ${secret}` })],
    ['as a password', (secret) => yaml({ service: `{ baseUrl: https://x.example, Password: ${secret} }` })],
    ['as a token in a folder', (secret) => yaml({ folders: `[{ path: /a, access-token: ${secret} }]` })],
    ['in a list', (secret) => yaml({ more: `secrets: [a, ${secret}]` })],
    ['among the credentials', (secret) => yaml({ more: `credentials: { clientSecret: ${secret} }` })],
    [
      'beside the endpoints',
      (secret) => yaml({ endpoints: `{ office: { uid: u }, clientSecret: ${secret} }` }),
    ],
  ];

  it.each(places)('%s is refused with a hint to login', (_where, write) => {
    expect(problemsOf(write('"hunter2hunter2"'))).toMatchObject([{ is: 'secret' }]);
  });

  const unnamed: [string, (secret: string) => string][] = [
    ['in place of the credentials', (secret) => yaml({ more: `credentials: ${secret}` })],
    ['in place of the store', (secret) => yaml({ more: `credentials: { store: ${secret} }` })],
    [
      'in the address',
      (secret) => yaml({ service: `{ baseUrl: https://ann:${secret.replaceAll('"', '')}@x.example }` }),
    ],
    ['in a file that is not YAML', (secret) => `clientSecret: ${secret.slice(0, -1)}\nservice: { a: b }\n`],
    ['before a tab', (secret) => `token: ${secret}\nservice:\n\ta: ${secret}\n`],
    ['without a colon', (secret) => `service: {}\nclientSecret ${secret}\nfolders: []\n`],
    ['in a comment with a mistake', (secret) => `a: @b # token ${secret}\n`],
  ];

  it.each([...places, ...unnamed])('%s is never shown', (_where, write) => {
    // Also longer than what is shown of a value.
    for (const length of [10, 32, 81]) {
      const error = refusal(write(JSON.stringify('S3CR'.repeat(30).slice(0, length))));
      expect(`${error.sentence()} ${String(error.stack)}`).not.toContain('S3CRS3CRS3');
    }
  });

  it('is not suspected in an endpoint with such a name', () => {
    expect(() => refusal(yaml({ endpoints: '{ token-desk: { uid: u } }' }))).toThrow('Nothing is wrong');
  });
});
