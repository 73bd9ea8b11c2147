import * as fc from 'fast-check';
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
    rate: 60
folders:
  - path: /srv/scans
    endpoint: ofice
    recursiv: true
    settle: { short: 200 }
  - recursive: true
delivery:
  concurrency: many
`;
    expect(problemsOf(text)).toEqual([
      '3:3: service.timeout: unknown key; did you mean timeouts?',
      '7:5: endpoints.office.rate: expected N/s, N/min or N/h, such as 120/min, or unlimited, found 60',
      '11:5: folders[0].recursiv: unknown key; did you mean recursive?',
      '12:15: folders[0].settle.short: expected a duration from 10ms to 24d, with a unit: 200ms, 10s, 5m, 1h, 1d, found 200',
      '13:5: folders[1].path: is missing; expected a path (~ works for your own home only)',
      '15:3: delivery.concurrency: expected a whole number from 1 to 64, found "many"',
    ]);
    expect(refusal(text).code).toBe('CONFIG_INVALID');
  });

  it('may be a contradiction between keys that are valid themselves', () => {
    const folders = '[{ path: /a, endpoint: ofice }, { path: /b, colour: red }]';
    expect(problemsOf(yaml({ folders, more: 'log: { level: loud }' }))).toEqual([
      '3:23: folders[0].endpoint: unknown endpoint "ofice"; did you mean office?',
      '3:54: folders[1].colour: unknown key; docs/configuration.md lists the keys',
      '4:8: log.level: expected one of debug, info, warn, error, found "loud"',
    ]);
  });

  it.each([
    ['recursive: yes', 'expected true or false, found "yes"'],
    ['include: "*.jpg"', 'expected a list, found "*.jpg"'],
    ['include: []', 'expected at least one pattern, found an empty list'],
    ['ignore: ["!keep.jpg"]', 'that does not start with / or !, found "!keep.jpg"'],
    ['ignore: [/srv/scans/x]', 'that does not start with / or !, found "/srv/scans/x"'],
    ['settle:', 'expected a mapping with keys such as short, long, patience, found nothing'],
    ['settle: { long: 25d }', 'from 10ms to 24d'],
    [
      'silentAfter: 5m',
      'expected auto, never or a duration of at least 30m, with a unit: 90m, 4h, found "5m"',
    ],
    ['nameMaxBytes: 10', 'expected a whole number from 64 to 1000, found 10'],
    ['nameMaxBytes: 99.5', 'expected a whole number from 64 to 1000, found 99.5'],
    ['accept: [jpg]', 'found "jpg"; did you mean jpeg?'],
    ['accept: []', 'expected at least one type'],
    ['maxFileSize: 50', 'expected a size from 1B to 1GB, with a unit: 500kB, 50MB, 1GB, found 50'],
    ['maxFileSize: 2GB', 'expected a size from 1B to 1GB'],
    ['existing: since 2026-02-30', 'expected send, skip, or since and a day: since 2026-01-31'],
    ['existing: since', 'expected send, skip, or since and a day'],
    ['afterUpload: remove', 'expected one of keep, archive, delete, found "remove"'],
    ['archiveTo: ~bob/archive', 'expected a path (~ works for your own home only)'],
  ])('names the value and what was expected: %s', (setting, expected) => {
    const folders = `\n  - path: /srv/scans\n    ${setting}`;
    expect(problemsOf(yaml({ folders }))).toEqual([expect.stringContaining(expected)]);
  });

  it.each(['https://api.example.com/v2', 'https://api.example.com/v2/', 'https://example.com/api/v2'])(
    'the address %s, which has the version at its end',
    (address) => {
      expect(problemsOf(yaml({ service: `{ baseUrl: ${address} }` }))).toEqual([
        expect.stringMatching(/^1:12: service\.baseUrl: expected an address without \/v2 at the end/),
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
    expect(problemsOf(yaml({ service: `{ baseUrl: ${address} }` }))).toEqual([
      expect.stringMatching(/^1:12: service\.baseUrl: expected an address such as https:/),
    ]);
  });

  it.each(['perDay: 0', 'perMonth: -1', 'perDay: none', 'perDay: 1.5'])('refuses the budget %s', (budget) => {
    expect(problemsOf(yaml({ more: `delivery: { ${budget} }` }))).toEqual([
      expect.stringContaining('expected a whole number of uploads, 1 or more, or unlimited'),
    ]);
  });

  it.each(['image/jpeg; charset=x', 'jpeg', 'image/', 'a\\nb/c'])('refuses the media type %s', (type) => {
    expect(
      problemsOf(yaml({ service: `{ baseUrl: https://x.example, uploadContentType: "${type}" }` })),
    ).toEqual([expect.stringContaining('expected auto or a media type')]);
  });

  it('is reported for a missing section, an empty one and an odd name', () => {
    expect(problemsOf('folders: []\nendpoints: {}\n')).toEqual([
      expect.stringMatching(/^1:1: service: is missing/),
      '1:1: folders: expected at least one folder, found an empty list',
      '2:1: endpoints: expected at least one endpoint, found an empty mapping',
    ]);
    expect(problemsOf(yaml({ endpoints: '{ "head office": { uid: u } }' }))).toEqual([
      '2:14: endpoints.head office: expected a short name of letters, digits, - and _',
    ]);
  });

  it('is reported for a file that is empty, only comments, or not a mapping', () => {
    expect(refusal('').sentence()).toBe(
      `The config file /etc/receiptd/receiptd.yaml is empty or contains only comments. Remove it, then create one with \`receiptd init\` or \`receiptd setup\`. [CONFIG_INVALID]`,
    );
    expect(refusal('# nothing yet\n').message).toContain('is empty');
    expect(problemsOf('- a\n- b\n')).toEqual([
      expect.stringMatching(/^1:1: expected a mapping .*, found a list$/),
    ]);
    expect(problemsOf('hello')).toEqual([
      expect.stringMatching(/^1:1: expected a mapping .*, found "hello"$/),
    ]);
  });

  it('shows at most 60 characters of a value, and none that move a cursor', () => {
    const [line] = problemsOf(yaml({ more: `log: { level: "${'x'.repeat(500)}" }` }));
    expect(line).toContain(`"${'x'.repeat(60)}…"`);
    const [moved] = problemsOf(yaml({ more: `log: { level: "a\\e[2Jb" }` }));
    expect(moved).toContain('"a\uFFFD[2Jb"');
    const [key] = problemsOf(yaml({ more: `? "${'k'.repeat(500)}"\n: 1` }));
    expect(key).toContain(`${'k'.repeat(60)}…: unknown key`);
  });

  it('is found behind YAML aliases', () => {
    const text = `base: &base { path: /a, recursive: 3 }\n${yaml({ folders: '[*base]' })}`;
    expect(problemsOf(text)).toEqual([
      '1:1: base: unknown key; docs/configuration.md lists the keys',
      '1:25: folders[0].recursive: expected true or false, found 3',
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
    expect(problemsOf(write('"hunter2hunter2"'))).toEqual([expect.stringContaining('`receiptd login`')]);
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
    const secrets = fc.stringMatching(/^[A-Z][A-Z0-9]{9,80}$/);
    fc.assert(
      fc.property(secrets, (secret) => {
        const error = refusal(write(JSON.stringify(secret)));
        const told = `${error.sentence()} ${String(error.stack)}`;
        expect(told).not.toContain(secret.slice(0, 10));
      }),
      { numRuns: 20 },
    );
  });

  it('is not suspected in an endpoint with such a name', () => {
    expect(() => refusal(yaml({ endpoints: '{ token-desk: { uid: u } }' }))).toThrow('Nothing is wrong');
  });
});
