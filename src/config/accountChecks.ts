import type { Draft, DraftEndpoint } from './draft.ts';
import { nearest } from '../core/domain/nearest.ts';
import { invalid, type ConfigProblem } from './problems.ts';
import type { PathRelations } from './resolve.ts';
import { shorten } from './show.ts';

export function checkAccount(
  { alias, settings: { account } }: DraftEndpoint,
  names: readonly string[],
): ConfigProblem[] {
  if (account === null || names.includes(account)) return [];
  const [meant, known] = [nearest(account, names) ?? null, shorten(names.join(', '))];
  const flaw = { is: 'accountUnknown', account: shorten(account), meant, known } as const;
  return [{ code: 'ACCOUNT_UNKNOWN', path: ['endpoints', alias, 'account'], flaw }];
}

/** Checks that no two accounts share a credentials file or environment variables, which would mix up their credentials. */
export function checkAccounts(
  { accountNames, accounts, credentialsFile }: Draft,
  { same }: PathRelations,
): ConfigProblem[] {
  const names = accountNames.flatMap((name, index) => {
    const twin = accountNames.slice(0, index).find((other) => variable(other) === variable(name));
    return twin === undefined
      ? []
      : [invalid(['accounts', name], { is: 'accountSimilar', of: twin, variable: variable(name) })];
  });
  const files = accounts.flatMap(({ name, file }, index) => {
    const twin = accounts.slice(0, index).find((other) => same(other.file, file));
    const of = same(credentialsFile, file) ? 'credentials' : twin && `accounts.${twin.name}`;
    return of === undefined
      ? []
      : [invalid(['accounts', name, 'file'], { is: 'accountFile', of, file: shorten(file) })];
  });
  return [...names, ...files];
}

/** Ending of the account's environment variables. Names that differ only in case share it, and many file systems mix them up too. */
function variable(name: string): string {
  return `…_${name.toUpperCase().replaceAll('-', '_')}`;
}
