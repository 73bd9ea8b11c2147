import { describe, expect, it } from 'vitest';
import type { PostgresConfig } from '../../src/config/config.ts';
import { readLiveConfig } from '../../src/config/live.ts';
import { context, FILE, parse, problemsOf, yaml } from './support.ts';

const URL = 'postgres://receiptd@db.example.com/receiptd';

function ledger(settings: string): string {
  return yaml({ more: `ledger: { kind: postgres, ${settings} }` });
}

function ledgerOf(settings: string): PostgresConfig {
  const { ledger: found } = parse(ledger(settings));
  if (found.kind !== 'postgres') throw new Error('It is no ledger in PostgreSQL.');
  return found;
}

describe('a ledger in PostgreSQL', () => {
  it('needs only its address', () => {
    expect(ledgerOf(`url: ${URL}`)).toEqual({
      kind: 'postgres',
      url: `${URL}?sslmode=verify-full`,
      passwordFile: null,
      ca: null,
      agent: null,
      lease: 15_000,
    });
  });

  it('accepts every setting', () => {
    const settings = `url: ${URL}, passwordFile: ~/pw, ca: ca.pem, agent: front-office, lease: 1m`;
    expect(ledgerOf(settings)).toMatchObject({
      passwordFile: '/home/ann/pw',
      ca: '/etc/receiptd/ca.pem',
      agent: 'front-office',
      lease: 60_000,
    });
  });

  it.each([
    ['db.example.com/l', '', 'verify-full'],
    ['db.example.com/l?sslmode=verify-ca', '', 'verify-full'],
    ['db.example.com/l?sslmode=require', '', 'verify-full'],
    ['db.example.com/l?sslmode=require', ', allowInsecure: true', 'no-verify'],
    ['db.example.com/l?sslmode=prefer', ', allowInsecure: true', 'disable'],
    ['db.example.com/l', ', allowInsecure: true', 'verify-full'],
    ['127.0.0.1:5433/l', '', 'disable'],
    ['localhost/l?sslmode=prefer', '', 'disable'],
    ['localhost/l?sslmode=verify-full', '', 'verify-full'],
    ['/l?host=/run/postgresql', '', 'disable'],
    ['localhost,db.example.com/l', '', 'verify-full'],
  ])('at %s%s is reached with sslmode=%s', (place, more, mode) => {
    const { url } = ledgerOf(`url: 'postgres://ann@${place}'${more}`);
    expect(url.match(/sslmode=/g)).toHaveLength(1);
    expect(url).toMatch(new RegExp(`[?&]sslmode=${mode}$`));
  });

  it.each([
    ['', { key: 'ledger.url', is: 'urlMissing' }],
    ["url: 'postgres://ann:S3cret@db/l'", { key: 'ledger.url', is: 'urlPassword' }],
    ["url: 'postgres://ann@db/l?password=S3cret'", { is: 'urlPassword' }],
    ['url: mysql://ann@db/l', { key: 'ledger.url', expected: { is: 'database' } }],
    ['url: postgres://db.example.com/l', { is: 'urlLacks', parts: ['user'] }],
    ['url: postgres://', { is: 'urlLacks', parts: ['user', 'host', 'database'] }],
    ["url: 'postgres://ann@db/l?sslmode=on'", { is: 'sslmode', mode: 'on' }],
    ["url: 'postgres://ann@db/l?sslmode=prefer'", { is: 'sslmodeOpen', mode: 'prefer', host: 'db' }],
    ["url: 'postgres://ann@localhost,db/l?sslmode=disable'", { is: 'sslmodeOpen', host: 'db' }],
    ["url: 'postgres://ann@db/l?sslrootcert=/x'", { is: 'urlParameter', parameter: 'sslrootcert' }],
    [`url: ${URL}, lease: 4s`, { key: 'ledger.lease', expected: { atLeast: '5s', atMost: '10m' } }],
    [`url: ${URL}, lease: 11m`, { key: 'ledger.lease', expected: { is: 'duration' } }],
    [`url: ${URL}, agent: 'front office'`, { key: 'ledger.agent', expected: { is: 'agentName' } }],
    [`url: ${URL}, agent: share`, { expected: { is: 'agentName' } }],
    [`url: ${URL}, agent: c`, { expected: { is: 'agentName' } }],
    [`url: ${URL}, password: S3cret`, { key: 'ledger.password', is: 'secret' }],
  ])('is refused with %s', (settings, flaw) => {
    const found = problemsOf(ledger(settings));
    expect(found).toMatchObject([flaw]);
    expect(JSON.stringify(found)).not.toContain('S3cret');
  });

  it('is refused without `kind: postgres`', () => {
    expect(problemsOf(yaml({ more: `ledger: { url: '${URL}' }` }))).toMatchObject([
      { key: 'ledger.url', is: 'urlUnused' },
    ]);
  });
});

describe('shared folders', () => {
  const two = (first: string, second: string) =>
    `[{ path: /a, share: ${first} }, { path: /b, share: ${second} }]`;
  const shared = `ledger: { kind: postgres, url: '${URL}' }`;

  it('each have a name', () => {
    const { folders } = parse(yaml({ folders: two('scans', 'none'), more: shared }));
    expect(folders.map(({ share }) => share)).toEqual(['scans', null]);
    expect(problemsOf(yaml({ folders: two('scans', 'scans'), more: shared }))).toMatchObject([
      { key: 'folders[1].share', is: 'sameShare', of: 'folders[0]' },
    ]);
    expect(problemsOf(yaml({ folders: two('"my scans"', 'none'), more: shared }))).toMatchObject([
      { key: 'folders[0].share', expected: { is: 'shortNameOrNone' }, found: { text: '"my scans"' } },
    ]);
  });

  it('need a shared ledger', () => {
    expect(problemsOf(yaml({ folders: two('scans', 'none') }))).toMatchObject([
      { key: 'folders[0].share', is: 'shareUnshared' },
    ]);
  });
});

describe('while the agent runs', () => {
  const shared = (url: string, folders: string) =>
    yaml({ folders, more: `ledger: { kind: postgres, url: '${url}' }` });
  const read = (text: string, start: ReturnType<typeof readLiveConfig> | null) =>
    readLiveConfig(text, FILE, context(), start);

  it('the ledger stays where it is until a restart', () => {
    const start = read(yaml(), null);
    const live = read(shared(URL, '[{ path: /srv/scans }]'), start);
    expect(live.config.ledger).toEqual({ kind: 'sqlite' });
    expect(live.parsed).toEqual(start.parsed);
    expect(live.restartNeeded).toEqual(['ledger.kind', 'ledger.url']);
  });

  it('a folder keeps the share it had, and a new one that is shared waits', () => {
    const start = read(
      shared(URL, '[{ path: /a, share: one }, { path: /b }, { path: /c, share: three }]'),
      null,
    );
    const text = shared(
      URL,
      '[{ path: /b, share: two }, { path: /c }, { path: /d, share: one }, { path: /e }]',
    );
    const live = read(text, start);
    expect(live.config.folders.map(({ path, share }) => [path, share])).toEqual([
      ['/b', null],
      ['/c', 'three'],
      ['/e', null],
    ]);
    expect(live.parsed.folders.map(({ path, share }) => [path, share])).toEqual([
      ['/b', null],
      ['/c', 'three'],
      ['/e', null],
    ]);
    expect(live.restartNeeded).toEqual(['folders[0].share', 'folders[1].share', 'folders[2].share']);
  });
});
