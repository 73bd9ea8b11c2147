/** System errors for an unreachable share or disk, as opposed to a missing file. */
const CODES: ReadonlySet<string> = new Set([
  'EIO',
  'ESTALE',
  'ENOTCONN',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENODEV',
  'ENXIO',
  'ENOMEDIUM',
  'EREMOTEIO',
  'ESHUTDOWN',
]);

export function isUnreachable(systemCode: string | undefined): boolean {
  return systemCode !== undefined && CODES.has(systemCode);
}
