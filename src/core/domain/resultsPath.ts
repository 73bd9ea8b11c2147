/* The secret path on this agent to which the service posts results. */

export function resultsPath(secret: string, uid: string | null): string {
  return `/results/${secret}${uid === null ? '' : `/${encodeURIComponent(uid)}`}`;
}

/** Removes the secret path from a stored endpoint record, which contains our address. Its JSON may escape slashes. */
export function withoutSecret(text: string): string {
  return text.replace(/(results\\?\/)[\w-]{43}(?![\w-])/g, '$1[redacted]');
}
