import { expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { readYaml } from '../../src/config/yamlSource.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { refuseKeysBeyondConsole } from '../../src/wiring/consoleReach.ts';

const FILE = '/etc/receiptd/receiptd.yaml';
const TEXT = `
service: { baseUrl: https://api.example.com }
accounts: { branch: { store: file } }
endpoints: { office: { uid: u-1 } }
folders: [ { path: /srv/scans } ]
`;
const context = { env: {}, platform: 'linux', home: '/root', cwd: '/', isRoot: true } as const;
const reach = { file: FILE, platform: 'linux' as const, now: parseConfig(TEXT, FILE, context) };
const data = (more: string) => readYaml(`${TEXT}${more}\n`, FILE).data;
const may = (before: string, after: string) => mayBecome(data(before), data(after));

function mayBecome(before: unknown, after: unknown): boolean {
  try {
    refuseKeysBeyondConsole(before, after, reach);
    return true;
  } catch (error) {
    if (error instanceof ReceiptdError) return false;
    throw error;
  }
}

const FILE_ONLY = SETTINGS.filter(({ why }) => why !== null);

it('only the file changes programs, secret files, listen addresses and destinations of credentials', () => {
  const kept = FILE_ONLY.map(({ key }) => key);
  const sensitive = /command|File$|\.file$|listen$|tls\.|Url$|\.url$|\.ca$|proxy|nsecure/;
  const changed = SETTINGS.map(({ key }) => key).filter((key) => sensitive.test(key) && !kept.includes(key));
  // A destination of alerts, without a secret.
  expect(changed).toEqual(['alerts.webhook.url']);
});

it.each(FILE_ONLY.map(({ key }) => key))(
  'the console can neither set, change nor remove %s, in any notation',
  (key) => {
    const path = key.replace('accounts.*', 'accounts.branch').split('.');
    const base = data('') as Record<string, object>;
    const nest = (value: unknown) =>
      path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, object>;
    const [section = ''] = path;
    const holding = (value: unknown) => ({ ...base, ...nest(value) });
    for (const value of ['x', ['/bin/sh'], { deep: ['/bin/sh'] }, 7, true, ''])
      expect(mayBecome(base, holding(value)), JSON.stringify(value)).toBe(false);
    expect(mayBecome(holding('x'), holding('y'))).toBe(false);
    // Together with its section.
    const { [section]: _, ...without } = holding('x');
    expect(mayBecome(holding('x'), without)).toBe(false);
    expect(mayBecome(without, holding('x'))).toBe(false);
    expect(mayBecome(holding('x'), holding('x'))).toBe(true);
  },
);

it('the console can set everything else', () => {
  const program = 'command: [ /usr/bin/notify ]';
  expect(may('', 'alerts: { digest: "07:30", email: { to: [ a@example.com ] } }')).toBe(true);
  expect(
    may(`alerts: { ${program} }`, `alerts: { ${program}, after: 5m, quietHours: [ Sat 00:00-24:00 ] }`),
  ).toBe(true);
  expect(may(`alerts: { ${program}, after: 5m }`, `alerts: { ${program} }`)).toBe(true);
  expect(may('alerts:', '')).toBe(true);
  expect(may('', 'console: { hosts: [ nas ] }\nspool: always')).toBe(true);
  expect(may('', 'unknown: 1')).toBe(false);
  expect(may('', 'alerts: { unknown: 1 }')).toBe(false);
  expect(may('', 'alerts: [ 1 ]')).toBe(false);
});

it('the console can add and remove folders and endpoints', () => {
  const more = TEXT.replace('u-1 }', 'u-1 }, depot: { uid: u-2, account: branch }').replace(
    'folders: [',
    'folders: [ { path: /srv/a, endpoint: depot },',
  );
  const both = [readYaml(TEXT, FILE).data, readYaml(more, FILE).data];
  expect(mayBecome(both[0], both[1])).toBe(true);
  expect(mayBecome(both[1], both[0])).toBe(true);
});

it('the console cannot redirect a secret that the file names', () => {
  const mail = (server: string, more = '') =>
    `alerts: { email: { server: ${server}, user: scans, ${more} } }`;
  const held = 'passwordFile: /etc/mail-password';
  expect(may(mail('smtp://a.example.com'), mail('smtp://b.example.com'))).toBe(true);
  expect(may(mail('smtp://a.example.com', held), mail('smtp://b.example.com', held))).toBe(false);
  expect(
    may(mail('smtp://a.example.com', held), mail('smtp://a.example.com', `${held}, from: a@b.example`)),
  ).toBe(true);
  const hook = (url: string) => `alerts: { webhook: { url: ${url}, secretFile: /etc/hook } }`;
  expect(() =>
    refuseKeysBeyondConsole(data(hook('https://a.example')), data(hook('https://b.example')), reach),
  ).toThrow(
    expect.objectContaining({
      code: 'CONSOLE_REFUSED',
      message:
        "The console can't change alerts.webhook.url while alerts.webhook.secretFile is set to a secret for it.",
      hint: `Change it in ${FILE}.`,
    }),
  );
});
