import { endpointId, type EndpointKey } from './document.ts';

/**
 * An account is one set of credentials at the service, under a local name; null is the default one, the only one that most
 * configurations have. Every endpoint is used with one account.
 */
export type AccountOf = (endpoint: EndpointKey) => string | null;

/** For a configuration without accounts. */
export const DEFAULT_ACCOUNT: AccountOf = () => null;

/** An endpoint that is in no configuration any more counts to the default account. */
export function accountsAmong(
  endpoints: readonly { readonly key: EndpointKey; readonly account?: string | null }[],
): AccountOf {
  const named = new Map(endpoints.map(({ key, account }) => [endpointId(key), account ?? null]));
  return (endpoint) => named.get(endpointId(endpoint)) ?? null;
}

/** The key of what is on hold because of an account's credentials. No URL holds a space. */
export function credentialsKey(baseUrl: string, account: string | null): string {
  return account === null ? baseUrl : `${baseUrl} account ${account}`;
}

/** The account that such a key names. */
export function accountOfKey(key: string): string | null {
  return /^\S+ account (\S+)$/.exec(key)?.[1] ?? null;
}

/** To follow "the credentials"; nothing for the default account. */
export function ofAccount(account: string | null): string {
  return account === null ? '' : ` of account ${account}`;
}

/** The options of a command that is about an account. */
export function accountOption(account: string | null): string {
  return account === null ? '' : ` --account ${account}`;
}
