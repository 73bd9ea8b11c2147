/** The endpoints of the office in which campaigns play, by alias. */
export const UIDS = {
  office: '11111111-2222-4333-8444-555555555555',
  depot: '66666666-7777-4888-9999-aaaaaaaaaaaa',
} as const;
export type Alias = keyof typeof UIDS;
export const ALIASES: readonly Alias[] = ['office', 'depot'];

/** Credentials that the office's service knows. */
export const CLIENT = { clientId: 'campaign', clientSecret: 'campaign-secret' };

/** The endpoints, as the sandbox takes them. */
export const ENDPOINTS = ALIASES.map((alias) => ({ uid: UIDS[alias], name: alias }));
