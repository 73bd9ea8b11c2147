/* Where the service posts results: the path below the address of this agent, which is a secret. */

export function resultsPath(secret: string, uid: string | null): string {
  return `/results/${secret}${uid === null ? '' : `/${encodeURIComponent(uid)}`}`;
}

/** What the service says of an endpoint has our address in it, and is kept. Its JSON may escape the slash. */
export function withoutSecret(text: string): string {
  return text.replace(/(results\\?\/)[\w-]{43}(?![\w-])/g, '$1[redacted]');
}
