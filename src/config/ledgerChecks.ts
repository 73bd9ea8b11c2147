import { isLoopback } from '../core/domain/loopback.ts';
import { readPostgresUrl, type PostgresUrl } from '../core/domain/postgresUrl.ts';
import type { Draft } from './draft.ts';
import type { Problem } from './problems.ts';
import type { ParsedLedger } from './schemaLedger.ts';
import { shorten, showPath } from './show.ts';

/** Modes in which nobody would notice another server, or a listener, between agent and database. */
const OPEN_MODES = ['disable', 'allow', 'prefer'];
const MODES = [...OPEN_MODES, 'require', 'verify-ca', 'verify-full'];
/** The rest is decided here: which host is used, how long is waited, what the connection is called. */
const PARAMETERS = ['sslmode', 'host', 'target_session_attrs'];

/** What the keys of the ledger ask of each other, and of the folders. */
export function checkLedger({ ledger, folders }: Draft): Problem[] {
  if (ledger === undefined) return [];
  return [
    ...(ledger.kind === 'postgres' ? checkPostgres(ledger) : checkSqlite(ledger)),
    ...folders.flatMap(({ index, settings: { share } }) => {
      if (share === 'none') return [];
      const path = ['folders', index, 'share'];
      if (ledger.kind !== 'postgres') {
        const text =
          'folders can only be shared through a shared ledger; set ledger.kind: postgres, or remove share';
        return [invalid(path, text)];
      }
      const twin = folders.find((other) => other.index < index && other.settings.share === share);
      if (twin === undefined) return [];
      return [
        invalid(path, `is also the share of ${showPath(['folders', twin.index])}; each folder needs its own`),
      ];
    }),
  ];
}

/** Somebody who names a database means to use it. */
function checkSqlite({ url }: ParsedLedger): Problem[] {
  if (url === 'none') return [];
  const text = 'has no effect while ledger.kind is sqlite; set ledger.kind: postgres, or remove url';
  return [invalid(['ledger', 'url'], text)];
}

function checkPostgres({ url, allowInsecure }: Pick<ParsedLedger, 'url' | 'allowInsecure'>): Problem[] {
  const path = ['ledger', 'url'];
  if (url === 'none') {
    const text =
      'is missing: kind postgres needs a database address such as postgres://receiptd@db.example.com/receiptd';
    return [invalid(path, text)];
  }
  const read = readPostgresUrl(url);
  if (read === null) return [];
  // Nothing of such an address may be shown.
  if (read.hasPassword)
    return [
      invalid(
        path,
        'contains a password; put it in a separate file and set ledger.passwordFile to that file',
      ),
    ];
  const parameter = [...read.parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (parameter !== undefined)
    return [
      invalid(
        path,
        `has the unsupported parameter "${shorten(parameter)}"; supported are ${PARAMETERS.join(', ')}`,
      ),
    ];
  const lacking = [
    read.user === '' ? 'a user' : null,
    read.hosts.length === 0 ? 'a host' : null,
    read.database === '' ? 'a database' : null,
  ].filter((part) => part !== null);
  if (lacking.length > 0)
    return [invalid(path, `needs ${lacking.join(' and ')}: postgres://user@host/database`)];
  return checkMode(read, allowInsecure);
}

function checkMode({ parameters, hosts }: PostgresUrl, allowInsecure: boolean): Problem[] {
  const path = ['ledger', 'url'];
  const mode = parameters.get('sslmode');
  if (mode === undefined) return [];
  if (!MODES.includes(mode))
    return [invalid(path, `has sslmode=${shorten(mode)}; use one of ${MODES.join(', ')}`)];
  const other = hosts.find((host) => !isThisMachine(host));
  if (allowInsecure || other === undefined || !OPEN_MODES.includes(mode)) return [];
  const text = `sslmode=${mode} would send the ledger to "${shorten(other)}" unencrypted; use sslmode=verify-full, or set ledger.allowInsecure: true`;
  return [invalid(path, text)];
}

/** What is wrong with an address, as what completes a sentence about it. */
export function problemsOfUrl(url: string, allowInsecure: boolean): readonly string[] {
  return checkPostgres({ url, allowInsecure }).map(({ text }) => text);
}

/** Also a Unix socket. */
function isThisMachine(host: string): boolean {
  return host.startsWith('/') || isLoopback(host);
}

/**
 * How the way to the database is kept, in the words of the client: `disable`, `no-verify` (encrypted only) or `verify-full`. One
 * mode for all hosts: the strictest that one of them needs.
 */
export function tlsMode(url: string, allowInsecure: boolean): 'disable' | 'no-verify' | 'verify-full' {
  const read = readPostgresUrl(url);
  const mode = read?.parameters.get('sslmode');
  if (mode === undefined) return read?.hosts.every(isThisMachine) === true ? 'disable' : 'verify-full';
  if (OPEN_MODES.includes(mode)) return 'disable';
  return mode === 'require' && allowInsecure ? 'no-verify' : 'verify-full';
}

function invalid(path: readonly PropertyKey[], text: string): Problem {
  return { code: 'CONFIG_INVALID', path, text };
}
