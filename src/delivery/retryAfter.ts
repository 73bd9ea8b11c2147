/** The Retry-After of a token error in milliseconds; null if it has none. */
export function retryAfterOf(error: unknown): number | null {
  const ms =
    typeof error === 'object' && error !== null && 'retryAfterMs' in error ? error.retryAfterMs : null;
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : null;
}
