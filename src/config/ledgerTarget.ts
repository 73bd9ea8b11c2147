import { ReceiptdError } from '../core/domain/errors.ts';
import { readPostgresUrl, withParameter } from '../core/domain/postgresUrl.ts';
import { problemsOfUrl, tlsMode } from './ledgerChecks.ts';

/**
 * Checks a database address from the command line and adds its `sslmode`, as for an address in the configuration.
 * @throws ReceiptdError USAGE
 */
export function ledgerUrl(given: string, allowInsecure: boolean): string {
  if (readPostgresUrl(given) === null)
    throw usage('--to needs an address such as postgres://receiptd@db.example.com/receiptd.');
  // A password would remain in the shell history and be visible to all users in the process list.
  if (readPostgresUrl(given)?.hasPassword === true)
    throw usage(
      '--to contains a password, which everyone on this machine can see. Remove it, and change the password.',
    );
  const [problem] = problemsOfUrl(given, allowInsecure);
  if (problem !== undefined) throw usage(`--to ${problem}.`);
  return withParameter(given, 'sslmode', tlsMode(given, allowInsecure));
}

function usage(sentence: string): ReceiptdError {
  return new ReceiptdError('USAGE', sentence, {
    hint: 'receiptd reads the password from --password-file, PGPASSWORD or ~/.pgpass.',
  });
}
