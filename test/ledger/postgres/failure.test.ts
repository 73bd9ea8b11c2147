import { expect, it } from 'vitest';
import { ledgerFailure } from '../../../src/ledger/postgres/failure.ts';

it.each([
  ['unable to verify the first certificate', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ledger.ca'],
  ['self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN', 'ledger.ca'],
  ["Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
  ['no pg_hba.conf entry for host "::1", user "a", no encryption', '28000', 'sslmode=verify-full'],
  ['password authentication failed for user "receiptd"', '28P01', 'ledger.passwordFile'],
  ['permission denied for schema receiptd', '42501', 'receiptd ledger prepare --role'],
  ['database "nodb" does not exist', '3D000', '`ledger`'],
])('%s is refused with a hint', (message, code, word) => {
  const failure = ledgerFailure(Object.assign(new Error(message), { code }), 'db.example/receiptd');
  expect(failure.code).toBe('LEDGER_REFUSED');
  expect(failure.message).toBe(`The ledger at db.example/receiptd can't be used: ${message}.`);
  expect(failure.hint).toContain(word);
});

it('a missing password is reported in plain words', () => {
  const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  expect(ledgerFailure(error, 'db')).toMatchObject({
    code: 'LEDGER_REFUSED',
    message: "The ledger at db can't be used: the server asks for a password, and none was given.",
    hint: expect.stringContaining('ledger.passwordFile') as string,
  });
});
