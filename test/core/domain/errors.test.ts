import { expect, it } from 'vitest';
import { ERROR_CODES, ReceiptdError } from '../../../src/core/domain/errors.ts';

it.each([
  [/^CONFIG_/, 'config'],
  [/^LEDGER_|^DISK_FULL$/, 'ledger'],
  [/^CREDENTIALS_|^KEYCHAIN_/, 'credentials'],
] as const)('lists codes such as %s under their kind, %s', (family, kind) => {
  const of = (code: (typeof ERROR_CODES)[number]) => new ReceiptdError(code, 'x').kind;
  expect(ERROR_CODES.filter((code) => of(code) === kind)).toEqual(
    ERROR_CODES.filter((code) => family.test(code)),
  );
});
