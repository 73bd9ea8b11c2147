import { ReceiptdError } from '../core/domain/errors.ts';
import { isLoopback } from '../core/domain/loopback.ts';
import { readPostgresUrl, withParameter } from '../core/domain/postgresUrl.ts';
import type { Draft } from './draft.ts';
import { invalid, type ConfigProblem } from './problems.ts';
import type { ParsedLedger } from './schema.ts';
import type { Flaw } from '../texts/en/settingFlaws.ts';
import { shorten, showPath } from './show.ts';

/** Modes without protection against eavesdropping or an impersonated server between agent and database. */
const OPEN_MODES = ['disable', 'allow', 'prefer'];
const MODES = [...OPEN_MODES, 'require', 'verify-ca', 'verify-full'];
/** Parameters that the address may set. The agent decides the others, such as timeouts and the application name. */
const PARAMETERS = ['sslmode', 'host', 'target_session_attrs'];

/** Checks the ledger's keys against each other and against the folders. */
export function checkLedger({ ledger, folders }: Draft): ConfigProblem[] {
  if (ledger === undefined) return [];
  return [
    ...(ledger.kind === 'postgres' ? checkPostgres(ledger) : checkSqlite(ledger)),
    ...folders.flatMap(({ index, settings: { share } }) => {
      if (share === null) return [];
      const path = ['folders', index, 'share'];
      if (ledger.kind !== 'postgres') return [invalid(path, { is: 'shareUnshared' })];
      const twin = folders.find((other) => other.index < index && other.settings.share === share);
      if (twin === undefined) return [];
      return [invalid(path, { is: 'sameShare', of: showPath(['folders', twin.index]) })];
    }),
  ];
}

/** A database address without `kind: postgres` is a mistake. */
function checkSqlite({ url }: ParsedLedger): ConfigProblem[] {
  return url === 'none' ? [] : [invalid(['ledger', 'url'], { is: 'urlUnused' })];
}

function checkPostgres(ledger: Pick<ParsedLedger, 'url' | 'allowInsecure'>): ConfigProblem[] {
  const flaw = urlFlaw(ledger);
  return flaw === null ? [] : [invalid(['ledger', 'url'], flaw)];
}

function urlFlaw({ url, allowInsecure }: Pick<ParsedLedger, 'url' | 'allowInsecure'>): Flaw | null {
  if (url === 'none') return { is: 'urlMissing' };
  const read = readPostgresUrl(url);
  if (read === null) return null;
  // Never show any part of an address with a password.
  if (read.hasPassword) return { is: 'urlPassword' };
  const parameter = [...read.parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (parameter !== undefined)
    return { is: 'urlParameter', parameter: shorten(parameter), known: PARAMETERS };
  const parts = (['user', 'host', 'database'] as const).filter((part) =>
    part === 'host' ? read.hosts.length === 0 : read[part] === '',
  );
  if (parts.length > 0) return { is: 'urlLacks', parts };
  const mode = read.parameters.get('sslmode');
  if (mode === undefined) return null;
  if (!MODES.includes(mode)) return { is: 'sslmode', mode: shorten(mode), modes: MODES };
  const other = read.hosts.find((host) => !isThisMachine(host));
  if (allowInsecure || other === undefined || !OPEN_MODES.includes(mode)) return null;
  return { is: 'sslmodeOpen', mode, host: shorten(other) };
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
  const flaw = urlFlaw({ url: given, allowInsecure });
  if (flaw !== null) throw new ReceiptdError('USAGE.unfitDatabase', { flaw });
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
