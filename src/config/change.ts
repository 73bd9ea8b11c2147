/** Anything that JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type ConfigKey = string | number;

/** A change of the file: a key gets a value, goes away, or a list gets one more. */
export type ConfigChange =
  | { readonly kind: 'set' | 'append'; readonly path: readonly ConfigKey[]; readonly value: Json }
  | { readonly kind: 'remove'; readonly path: readonly ConfigKey[] };
