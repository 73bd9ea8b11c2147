import { ReceiptdError, systemCode } from '../../domain/errors.ts';

/** SQLSTATE classes and codes (PostgreSQL, appendix A) after which a connection is of no use. */
const LOST = /^(?:08|57P0[1-5]|53300|25006)/;
/** The server let nobody in, or not this one: waiting does not help. */
const REFUSED = /^(?:28|3D000|3F000|42501|0LP01)/;
/** Node's and the package's own words for a connection that ended or never was. */
const SYSTEM =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT|ECONNABORTED)$/;
const WORDS =
  /Connection terminated|Query read timeout|timeout expired|not queryable|connection error|socket (?:hang up|disconnected)/i;
/** The package's, where it was given no password, or an empty one. */
const NO_PASSWORD = /client password must be a/;
/** Of TLS, by the codes that OpenSSL and Node give. */
const TLS = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH/;

/** Whether the connection is gone with it, or never was. */
export function isLost(error: unknown): boolean {
  if (error instanceof ReceiptdError) return error.code === 'LEDGER_UNREACHABLE';
  const code = systemCode(error) ?? '';
  if (LOST.test(code) || SYSTEM.test(code)) return true;
  return error instanceof Error && code === '' && WORDS.test(error.message);
}

/** Two transactions stood in each other's way; the same work again goes through. */
export function isConflict(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(systemCode(error) ?? '');
}

/** Trouble of the server that is no fault of what was to be written. */
export function isOfServer(error: unknown): boolean {
  return isLost(error) || isConflict(error) || /^(?:53|57|58|XX|55)/.test(systemCode(error) ?? '');
}

/** Whether the server itself said it: a SQLSTATE has five characters and, other than the codes of the system, a digit. */
export function isFromServer(error: unknown): boolean {
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(systemCode(error) ?? '');
}

/** What anything thrown by the database says about the ledger. */
export function ledgerFailure(error: unknown, where: string): ReceiptdError {
  if (error instanceof ReceiptdError) return error;
  const code = systemCode(error) ?? '';
  const words = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  if (code === '42501')
    return new ReceiptdError('LEDGER_REFUSED', `The ledger at ${where} can't be used: ${words}.`, {
      hint: 'Its owner gives this role what it needs: `receiptd ledger prepare --role NAME`.',
      cause: error,
    });
  if (NO_PASSWORD.test(words))
    return new ReceiptdError(
      'LEDGER_REFUSED',
      `The ledger at ${where} asks for a password, and there is none.`,
      {
        hint: 'Put it into a file of its own and name that (ledger.passwordFile, or --password-file).',
        cause: error,
      },
    );
  if (REFUSED.test(code) || TLS.test(code) || /self-signed|does not support SSL|SASL|SCRAM/i.test(words))
    return new ReceiptdError('LEDGER_REFUSED', `The ledger at ${where} can't be used: ${words}.`, {
      hint: 'Correct `ledger` in the configuration, or what the server allows.',
      cause: error,
    });
  if (isLost(error))
    return new ReceiptdError('LEDGER_UNREACHABLE', `The ledger at ${where} can't be reached: ${words}.`, {
      cause: error,
    });
  return new ReceiptdError('LEDGER_WRITE_FAILED', `The ledger at ${where} failed: ${words}.`, {
    cause: error,
  });
}
