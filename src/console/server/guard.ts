import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../core/domain/loopback.ts';
import { hasSeveralHosts } from '../../http/host.ts';
import { UPLOADS } from '../../control/protocol/sending.ts';
import { literal } from '../../http/listen.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';

export interface OwnAddress {
  readonly port: number;
  readonly secure: boolean;
  /** Names from the configuration. */
  readonly hosts: readonly string[];
}

export interface Refusal {
  readonly status: number;
  readonly error: ReceiptdError;
}

const HEADERS_LIMIT = 100;

/**
 * Why a request is refused, before any sign-in is checked; null: it is not. Any page can make a browser send requests, so
 * everything that a page can't forge is checked: Host (against DNS rebinding), Origin, Sec-Fetch-Site, and for writes a
 * content type and a header that neither a form nor a simple request can have.
 */
export function refusalOf(request: IncomingMessage, own: OwnAddress): Refusal | null {
  const { headers, rawHeaders, socket, url = '' } = request;
  if (!isPlain(url)) return refused(400, 'noPath');
  if (rawHeaders.length > 2 * HEADERS_LIMIT) return refused(431, 'tooManyHeaders');
  if (hasSeveralHosts(request)) return refused(400, 'severalHosts');
  const host = (headers.host ?? '').toLowerCase();
  const ours = hostsOf(socket.localAddress ?? '', own);
  if (!ours.includes(host)) return refused(421, 'foreignHost');
  if (isPage(request)) return null;
  return refusalOfOrigin(request, host, own) ?? refusalOfForm(request);
}

/** Whether the URL is in normal form, so that later code can't interpret it as a different path. */
function isPlain(url: string): boolean {
  const path = pathOf(url);
  return path.startsWith('/') && !path.startsWith('//') && new URL(path, 'http://receiptd').pathname === path;
}

/** Whether the request is for a page or an asset, which is public and has no side effects. */
function isPage({ method, url = '' }: IncomingMessage): boolean {
  const path = pathOf(url);
  const isAnyMethod = path === '/session' || path.startsWith('/v1/');
  return !isAnyMethod && (method === 'GET' || method === 'HEAD');
}

export function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}

/** Allowed Host values. The local IP address is always one: it can't be rebound. */
function hostsOf(localAddress: string, { port, secure, hosts }: OwnAddress): string[] {
  const address = literal(localAddress);
  const names = isLoopback(address) ? [address, 'localhost', '127.0.0.1', '[::1]'] : [address];
  const isDefault = port === (secure ? 443 : 80);
  return [
    ...names.flatMap((name) => [`${name}:${port}`, ...(isDefault ? [name] : [])]),
    // Without a port: a reverse proxy may listen on the default one.
    ...hosts.flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, `${name}:${port}`])),
  ];
}

function refusalOfOrigin(
  { method, headers }: IncomingMessage,
  host: string,
  own: OwnAddress,
): Refusal | null {
  const { origin, 'sec-fetch-site': site } = headers;
  const reading = method === 'GET';
  if (origin !== undefined && !originsOf(host, own).includes(origin.toLowerCase())) return FOREIGN;
  // `none`: a person typed the address.
  if (site !== undefined && site !== 'same-origin' && !(reading && site === 'none')) return FOREIGN;
  // Every browser sends one of them with a write.
  return !reading && origin === undefined && site === undefined ? FOREIGN : null;
}

/** Allowed Origin values. Both schemes for configured names: a reverse proxy may terminate TLS. */
function originsOf(host: string, { secure, hosts }: OwnAddress): string[] {
  if (secure) return [`https://${host}`];
  const isNamed = hosts.some((name) => host === name || host.startsWith(`${name}:`));
  return [`http://${host}`, ...(isNamed ? [`https://${host}`] : [])];
}

function refusalOfForm({ method, headers, url = '' }: IncomingMessage): Refusal | null {
  if (method === 'GET') return null;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const wanted = pathOf(url) === UPLOADS.file.path ? 'application/octet-stream' : 'application/json';
  if (type.trim().toLowerCase() === wanted && headers['x-receiptd'] === 'console') return null;
  return refused(403, 'foreignForm');
}

const FOREIGN = refused(403, 'foreignPage');

type RefusedBecause =
  'noPath' | 'tooManyHeaders' | 'severalHosts' | 'foreignHost' | 'foreignPage' | 'foreignForm';

function refused(status: number, why: RefusedBecause): Refusal {
  return { status, error: new ReceiptdError(`CONSOLE_REFUSED.${why}`) };
}
