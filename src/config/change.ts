/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type ConfigKey = string | number;

/** A change of the config file: sets or removes a key, or appends to a list. */
export type ConfigChange =
  | { readonly kind: 'set' | 'append'; readonly path: readonly ConfigKey[]; readonly value: Json }
  | { readonly kind: 'remove'; readonly path: readonly ConfigKey[] };
