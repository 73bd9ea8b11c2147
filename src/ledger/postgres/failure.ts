import { saidBy, ReceiptdError, systemCode } from '../../core/domain/errors.ts';

/** SQLSTATE classes and codes (PostgreSQL, appendix A) after which a connection is useless. */
const LOST = /^(?:08|57P0[1-5]|53300|25006)/;
/** The server refuses everyone or this role: waiting does not help. */
const REFUSED = /^(?:28|3D000|3F000|42501|0LP01)/;
/** Error codes and messages of Node and the driver for a connection that ended or never existed. */
const SYSTEM =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT|ECONNABORTED)$/;
const WORDS =
  /Connection terminated|Query read timeout|timeout expired|not queryable|connection error|socket (?:hang up|disconnected)/i;
/** TLS failures, by the codes of OpenSSL and Node. */
const TLS = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH/;

/** Prepared statements are lost: the schema was changed, or a pooler in between mixes up connections. */
const UNPREPARED = /^(?:26000|42P05)$/;
const STALE_PLAN = /cached plan must not change result type/;

/** Whether the connection is lost, or was never made. */
export function isLost(error: unknown): boolean {
  if (error instanceof ReceiptdError) return error.code === 'LEDGER_UNREACHABLE';
  const code = systemCode(error) ?? '';
  if (LOST.test(code) || SYSTEM.test(code) || UNPREPARED.test(code)) return true;
  if (code === '0A000') return error instanceof Error && STALE_PLAN.test(error.message);
  return error instanceof Error && code === '' && WORDS.test(error.message);
}

/** Two transactions conflicted; repeating the work succeeds. */
export function isConflict(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(systemCode(error) ?? '');
}

/** The server cancelled the statement; the connection is still good. */
export function isGivenUp(error: unknown): boolean {
  return systemCode(error) === '57014';
}

/** Whether the server failed, rather than the data being faulty. */
export function isOfServer(error: unknown): boolean {
  return isLost(error) || isConflict(error) || /^(?:53|57|58|XX|55)/.test(systemCode(error) ?? '');
}

/** What to change after a refusal, by its wording; specific ones come first. */
const CURES = [
  [/unable to (?:verify|get)|self-signed|UNABLE_TO/i, 'authority'],
  [/altnames|HOSTNAME_MISMATCH/i, 'serverName'],
  [/no encryption/, 'encryption'],
  [/password/, 'password'],
] as const;

/** The role can connect, but has no rights in the database. */
const NO_RIGHT = '42501';

/** The driver's message if the server requires a password and none is set. */
const NO_PASSWORD = /client password must be/;

/** Whether the error is from the server: a SQLSTATE has five characters and, unlike system error codes, a digit. */
export function isFromServer(error: unknown): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(systemCode(error) ?? '');
}

/** Converts anything thrown by the database to an error about the ledger. */
export function ledgerFailure(error: unknown, where: string): ReceiptdError {
  if (error instanceof ReceiptdError) return error;
  const code = systemCode(error) ?? '';
  const why = saidBy(error);
  const said = why.detail;
  if (REFUSED.test(code) || TLS.test(code) || /self-signed|does not support SSL|SASL|SCRAM/i.test(said)) {
    const cure = code === NO_RIGHT ? 'privileges' : CURES.find(([of]) => of.test(said) || of.test(code))?.[1];
    const detail = NO_PASSWORD.test(said) ? null : said;
    return new ReceiptdError(
      'LEDGER_REFUSED.connection',
      { where, detail, cure: cure ?? 'settings' },
      { cause: error },
    );
  }
  if (isLost(error))
    return new ReceiptdError('LEDGER_UNREACHABLE.connection', { where, ...why }, { cause: error });
  return new ReceiptdError('LEDGER_WRITE_FAILED.database', { where, ...why }, { cause: error });
}
