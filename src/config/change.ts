/** Any JSON value. */
export type ConfigJson =
  string | number | boolean | null | readonly ConfigJson[] | { readonly [key: string]: ConfigJson };

export type ConfigKey = string | number;

/** A change of the config file: sets or removes a key, or appends to a list. */
export type ConfigChange =
  | { readonly kind: 'set' | 'append'; readonly path: readonly ConfigKey[]; readonly value: ConfigJson }
  | { readonly kind: 'remove'; readonly path: readonly ConfigKey[] };
