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

/** What is wrong, without where. */
function wrong(text: string): string[] {
  return problemsOf(text).map((line) => line.replace(/^\d+:\d+: /, ''));
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
    ['', /^ledger\.url: is missing: kind postgres needs a database address such as postgres:/],
    [
      "url: 'postgres://ann:S3cret@db/l'",
      /^ledger\.url: contains a password; put it in a separate file and set ledger\.passwordFile to that file$/,
    ],
    ["url: 'postgres://ann@db/l?password=S3cret'", /contains a password/],
    ['url: mysql://ann@db/l', /^ledger\.url: expected none, or the address of a PostgreSQL database such as/],
    ['url: postgres://db.example.com/l', /^ledger\.url: needs a user: postgres:\/\/user@host\/database$/],
    ['url: postgres://', /needs a user and a host and a database/],
    ["url: 'postgres://ann@db/l?sslmode=on'", /has sslmode=on; use one of disable, allow, prefer, require, /],
    [
      "url: 'postgres://ann@db/l?sslmode=prefer'",
      /sslmode=prefer would send the ledger to "db" unencrypted; use sslmode=verify-full, or set ledger\.allowInsecure: true$/,
    ],
    ["url: 'postgres://ann@localhost,db/l?sslmode=disable'", /to "db" unencrypted/],
    ["url: 'postgres://ann@db/l?sslrootcert=/x'", /has the unsupported parameter "sslrootcert"/],
    [`url: ${URL}, lease: 4s`, /^ledger\.lease: expected a duration from 5s to 10m/],
    [`url: ${URL}, lease: 11m`, /^ledger\.lease: expected a duration from 5s to 10m/],
    [`url: ${URL}, agent: 'front office'`, /^ledger\.agent: expected a short name/],
    [`url: ${URL}, agent: share`, /^ledger\.agent: expected a short name .*other than share/],
    [`url: ${URL}, agent: c`, /^ledger\.agent: expected a short name of at least two/],
    [`url: ${URL}, password: S3cret`, /^ledger\.password: .*must not be in this file/],
  ])('is refused with %s', (settings, sentence) => {
    const found = wrong(ledger(settings));
    expect(found[0]).toMatch(sentence);
    expect(found).toHaveLength(1);
    expect(found.join()).not.toContain('S3cret');
  });

  it('is refused without `kind: postgres`', () => {
    expect(wrong(yaml({ more: `ledger: { url: '${URL}' }` }))).toEqual([
      'ledger.url: has no effect while ledger.kind is sqlite; set ledger.kind: postgres, or remove url',
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
    expect(wrong(yaml({ folders: two('scans', 'scans'), more: shared }))).toEqual([
      'folders[1].share: is also the share of folders[0]; each folder needs its own',
    ]);
    expect(wrong(yaml({ folders: two('"my scans"', 'none'), more: shared }))).toEqual([
      'folders[0].share: expected a short name of letters, digits, - and _, or none, found "my scans"',
    ]);
  });

  it('need a shared ledger', () => {
    expect(wrong(yaml({ folders: two('scans', 'none') }))).toEqual([
      'folders[0].share: folders can only be shared through a shared ledger; set ledger.kind: postgres, or remove share',
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
