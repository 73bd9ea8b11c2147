import { endpointId, type EndpointKey } from './document.ts';

/**
 * An account is one set of credentials for the service, under a local name. Null is the default account, the only one in
 * most configurations. Every endpoint uses exactly one account.
 */
export type AccountOf = (endpoint: EndpointKey) => string | null;

/** For a configuration without accounts. */
export const DEFAULT_ACCOUNT: AccountOf = () => null;

/** Endpoints that were removed from the configuration count towards the default account. */
export function accountsAmong(
  endpoints: readonly { readonly key: EndpointKey; readonly account?: string | null }[],
): AccountOf {
  const named = new Map(endpoints.map(({ key, account }) => [endpointId(key), account ?? null]));
  return (endpoint) => named.get(endpointId(endpoint)) ?? null;
}

/** Key of a hold on an account's credentials. The space is a safe separator, because URLs contain none. */
export function credentialsKey(baseUrl: string, account: string | null): string {
  return account === null ? baseUrl : `${baseUrl} account ${account}`;
}

/** The account in a key made by `credentialsKey`. */
export function accountOfKey(key: string): string | null {
  return /^\S+ account (\S+)$/.exec(key)?.[1] ?? null;
}

/** Command-line option that selects the account. */
export function accountOption(account: string | null): string {
  return account === null ? '' : ` --account ${account}`;
}
