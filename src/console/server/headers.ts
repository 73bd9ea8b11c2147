import type { ServerResponse } from 'node:http';

const APP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** For data below /v1/: a scan that contains HTML must not run as a page. */
const DATA = "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ALWAYS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
};

const YEAR_S = 31_536_000;

/** Set before any handler runs; handlers may only add headers or tighten these. */
export function setSecurityHeaders(response: ServerResponse, path: string, strict: boolean): void {
  for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value);
  response.setHeader('content-security-policy', path.startsWith('/v1/') ? DATA : APP);
  // Only if strict: on loopback it would force https on every other service of this machine.
  if (strict) response.setHeader('strict-transport-security', `max-age=${YEAR_S}`);
}
