/** Keys under which people keep secrets, in any spelling: client_secret, apiKey, TOKEN, ... */
const SECRET_KEY = /secret|passw(?:or)?d|passphrase|token|apikey|clientid/;

/** Keys of ours under which stands where a secret is kept. */
const PLACES = /(?:secret|password)file/g;

/** Whether a key and what stands under it are a secret; a mapping is none, since an endpoint may be called `token-desk`. */
export function isSecret(key: string, value: unknown): boolean {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isSecretKey(key) && !isMapping;
}

export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key.toLowerCase().replace(/[-_ ]/g, '').replace(PLACES, ''));
}

/** Paths of secrets that somebody wrote into the file. */
export function secretPaths(value: unknown, path: readonly PropertyKey[] = []): PropertyKey[][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => secretPaths(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, key];
    return isSecret(key, inner) ? [here] : secretPaths(inner, here);
  });
}

/**
 * Whether a file that can't be parsed may hold a secret, so that none of its lines may be shown: a quote that is
 * never closed carries it to other lines. Comments speak of secrets without holding one.
 */
export function mayHoldSecret(text: string): boolean {
  return text.split('\n').some((line) => !line.trimStart().startsWith('#') && isSecretKey(line));
}
