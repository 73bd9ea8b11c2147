/** Header lines that a plan may use, each with its properties. */
import type { Context } from './bodies.ts';

export interface Header {
  readonly line: string;
  readonly kind: 'fine' | 'unsure' | 'malformed';
  readonly retryAfterMs?: number | null;
}

const DAY_MS = 24 * 3_600_000;
const fine = (line: string): Header => ({ line, kind: 'fine' });
const retryAfter = (value: string, retryAfterMs: number | null): Header => ({
  line: `Retry-After: ${value}`,
  kind: 'fine',
  retryAfterMs,
});

export function headers({ token, secret }: Context): readonly Header[] {
  return [
    fine('Content-Type: application/json'),
    fine('Content-Type: text/html; charset=utf-16'),
    fine('X-Empty:'),
    fine(`X-Long: ${'y'.repeat(6000)}`),
    fine(`X-Echo: Bearer ${token} ${encodeURIComponent(secret)}`),
    fine(`Set-Cookie: session=${token}; Path=/`),
    fine('Location: http://127.0.0.1:1/elsewhere'),
    fine('Location: //[::1'),
    fine('Keep-Alive: timeout=1, max=1'),
    fine('Keep-Alive: timeout=-5'),
    fine('Keep-Alive: timeout=99999999999999999999'),
    fine('X-Obs: \u00e9\u00ff'),
    fine('Date: Thu, 99 Foo 2026 99:99:99 GMT'),
    fine('__proto__: x'),
    fine('constructor: x'),
    fine('WWW-Authenticate: Basic realm="x", Bearer error="invalid_token"'),
    fine('Trailer: Content-Length'),
    fine('Alt-Svc: h2=":443"'),
    fine('Content-Type: application/json\r\nContent-Type: text/plain'),
    fine('cOnTeNt-tYpE:application/json'),
    retryAfter('0', 0),
    retryAfter('7', 7_000),
    retryAfter('   9  ', 9_000),
    retryAfter('00030', 30_000),
    retryAfter('86400', DAY_MS),
    retryAfter('99999999999', DAY_MS),
    retryAfter('9'.repeat(400), DAY_MS),
    retryAfter('-1', null),
    retryAfter('1.5', null),
    retryAfter('1e3', null),
    retryAfter('0x10', null),
    retryAfter('soon', null),
    retryAfter('', null),
    retryAfter('Wed, 21 Oct 2015 07:28:00 GMT', 0),
    retryAfter('Sunday, 06-Nov-94 08:49:37 GMT', 0),
    retryAfter('Sun Nov  6 08:49:37 1994', 0),
    retryAfter('Fri, 31 Dec 9999 23:59:59 GMT', DAY_MS),
    retryAfter('Fri, 31 Dec 99999 23:59:59 GMT', null),
    retryAfter('Mon, 02 Mar 2026 25:61:61 GMT', null),
    retryAfter('2026-03-02T09:00:00Z', null),
    retryAfter('\u0661\u0662', null),
    { line: 'Retry-After: 5\r\nRetry-After: 8', kind: 'unsure' },
    { line: 'Retry-After: 5, 8', kind: 'unsure' },
    { line: 'Retry-After: Infinity', kind: 'fine', retryAfterMs: null },
    fine('Proxy-Authenticate: Basic realm="x"'),
    fine('Refresh: 0; url=/login'),
    fine('Content-Range: bytes 0-5/100'),
    fine('Content-Encoding: identity'),
    { line: 'Connection: close', kind: 'fine' },
    { line: 'Connection: keep-alive', kind: 'fine' },
    { line: 'Connection: upgrade\r\nUpgrade: websocket', kind: 'unsure' },
    { line: 'Connection: close, keep-alive', kind: 'unsure' },
    { line: 'Upgrade: h2c', kind: 'fine' },
    { line: 'X-Folded: a\r\n b', kind: 'unsure' },
    { line: `X-Huge: ${'z'.repeat(40_000)}`, kind: 'unsure' },
    { line: 'X-Many: 1\r\n'.repeat(3000).trimEnd(), kind: 'unsure' },
    { line: 'X-Delete: \u007f', kind: 'unsure' },
    { line: 'no colon at all', kind: 'malformed' },
    { line: 'X-Space : a', kind: 'malformed' },
    { line: ': no name', kind: 'malformed' },
    { line: 'X-Null: a\u0000b', kind: 'malformed' },
    { line: 'X-Return: a\rb', kind: 'malformed' },
    { line: 'X\u00e9: a', kind: 'malformed' },
    { line: ' X-First-Folded: a', kind: 'malformed' },
  ];
}
