import { expect, it } from 'vitest';
import { ERROR_CODES, ReceiptdError, systemCode } from '../../../src/core/domain/errors.ts';

it.each([
  [/^CONFIG_/, 'config'],
  [/^LEDGER_|^DISK_FULL$/, 'ledger'],
  [/^CREDENTIALS_|^KEYCHAIN_/, 'credentials'],
] as const)('lists codes such as %s under their kind, %s', (family, kind) => {
  const of = (code: (typeof ERROR_CODES)[number]) => new ReceiptdError({ code, message: 'x' }).kind;
  expect(ERROR_CODES.filter((code) => of(code) === kind)).toEqual(
    ERROR_CODES.filter((code) => family.test(code)),
  );
});

it('names errors of shares and quotas that the runtime has no name for', () => {
  const coded = (code: string) => Object.assign(new Error(code), { code });
  expect(systemCode(coded('Unknown system error -116'))).toBe('ESTALE');
  expect(systemCode(coded('Unknown system error -122'))).toBe('EDQUOT');
  expect(systemCode(coded('Unknown system error -9999'))).toBe('Unknown system error -9999');
  expect(systemCode(coded('EACCES'))).toBe('EACCES');
});
