import { ReceiptdError } from '../core/domain/errors.ts';
import { isLoopback } from '../core/domain/loopback.ts';
import { readPostgresUrl, withParameter, type PostgresUrl } from '../core/domain/postgresUrl.ts';
import type { Draft } from './draft.ts';
import { invalid, type Problem } from './problems.ts';
import type { ParsedLedger } from './schema.ts';
import { shorten, showPath } from './show.ts';

/** Modes without protection against eavesdropping or an impersonated server between agent and database. */
const OPEN_MODES = ['disable', 'allow', 'prefer'];
const MODES = [...OPEN_MODES, 'require', 'verify-ca', 'verify-full'];
/** Parameters that the address may set. The agent decides the others, such as timeouts and the application name. */
const PARAMETERS = ['sslmode', 'host', 'target_session_attrs'];

/** Checks the ledger's keys against each other and against the folders. */
export function checkLedger({ ledger, folders }: Draft): Problem[] {
  if (ledger === undefined) return [];
  return [
    ...(ledger.kind === 'postgres' ? checkPostgres(ledger) : checkSqlite(ledger)),
    ...folders.flatMap(({ index, settings: { share } }) => {
      if (share === null) return [];
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

/** A database address without `kind: postgres` is a mistake. */
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
  // Never show any part of an address with a password.
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

/**
 * Checks a database address from the command line and adds its `sslmode`, as for an address in the configuration.
 * @throws ReceiptdError USAGE
 */
export function ledgerUrl(given: string, allowInsecure: boolean): string {
  const read = readPostgresUrl(given);
  if (read === null) throw new ReceiptdError('USAGE.notDatabase');
  // A password would remain in the shell history and be visible to all users in the process list.
  if (read.hasPassword) throw new ReceiptdError('USAGE.passwordVisible');
  const [problem] = checkPostgres({ url: given, allowInsecure });
  if (problem !== undefined) throw new ReceiptdError('USAGE.unfitDatabase', { detail: problem.text });
  return withParameter(given, 'sslmode', tlsMode(given, allowInsecure));
}

/** True for a Unix socket as well. */
function isThisMachine(host: string): boolean {
  return host.startsWith('/') || isLoopback(host);
}

/**
 * TLS mode for the database client: `disable`, `no-verify` (encrypted only) or `verify-full`. One mode for all hosts: the
 * strictest that any of them needs.
 */
export function tlsMode(url: string, allowInsecure: boolean): 'disable' | 'no-verify' | 'verify-full' {
  const read = readPostgresUrl(url);
  const mode = read?.parameters.get('sslmode');
  if (mode === undefined) return read?.hosts.every(isThisMachine) === true ? 'disable' : 'verify-full';
  if (OPEN_MODES.includes(mode)) return 'disable';
  return mode === 'require' && allowInsecure ? 'no-verify' : 'verify-full';
}
