/** For errors of the token route: when the service asked to come again, if it did. */
export function retryAfterOf(error: unknown): number | null {
  const ms =
    typeof error === 'object' && error !== null && 'retryAfterMs' in error ? error.retryAfterMs : null;
  return typeof ms === 'number' && Number.isFinite(ms) ? ms : null;
}
