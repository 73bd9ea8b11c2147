/** Keys under which people keep secrets, in any spelling: client_secret, apiKey, TOKEN, ... */
const SECRET_KEY = /secret|passw(?:or)?d|passphrase|token|apikey|clientid/;

/** Endings of our own keys that name the file of a secret, such as `passwordFile`. */
const PLACES = /(?:secret|password)file/g;

/** Whether a key holds a secret. Keys with a mapping don't count, because an endpoint may be called `token-desk`. */
export function isSecret(key: string, value: unknown): boolean {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isSecretKey(key) && !isMapping;
}

export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.toLowerCase().replace(/[-_ ]/g, '').replace(PLACES, ''));
}

/** Paths of secrets in the file. */
export function secretPaths(value: unknown, path: readonly PropertyKey[] = []): PropertyKey[][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => secretPaths(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, key];
    return isSecret(key, inner) ? [here] : secretPaths(inner, here);
  });
}

/**
 * Whether an unparseable file may contain a secret, in which case none of its lines may be shown: an unclosed quote can extend
 * the secret to other lines. Ignores comments, which mention secrets without containing any.
 */
export function mayHoldSecret(text: string): boolean {
  return text.split('\n').some((line) => !line.trimStart().startsWith('#') && isSecretKey(line));
}
