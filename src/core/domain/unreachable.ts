/** What the system says of a share or a disk that is not there, as opposed to a file that is not. */
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
  'EREMOTEIO',
  'ESHUTDOWN',
]);

export function isUnreachable(systemCode: string | undefined): boolean {
  return systemCode !== undefined && CODES.has(systemCode);
}
