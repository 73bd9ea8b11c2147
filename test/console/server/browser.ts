import { request as overHttp, type IncomingHttpHeaders } from 'node:http';
import { request as overHttps, type RequestOptions as SecureOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The bytes, read as UTF-8. */
  readonly text: string;
  /** Undefined if the text is not JSON. */
  readonly json: unknown;
}

export interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
  readonly ca?: string;
}

/** One request on a new connection, with only these headers and Host. `undefined` omits a header. */
export async function ask(origin: string, asked: Asked = {}): Promise<Answer> {
  for (let more = 30; ; more -= 1) {
    const answer = await askOnce(origin, asked);
    const { 'retry-after': again } = answer.headers;
    // A picture that is not drawn yet: pages ask again, too.
    if (answer.status !== 503 || again === undefined || more === 0) return answer;
    await sleep(Number(again) * 1_000);
  }
}

async function askOnce(origin: string, { body, headers = {}, ...how }: Asked): Promise<Answer> {
  const { hostname, port, protocol, host } = new URL(origin);
  const given = Object.entries({ host, ...headers }).filter(([, value]) => value !== undefined);
  const options: SecureOptions = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    agent: false,
    path: '/',
    ...how,
    headers: Object.fromEntries(given),
    setHost: false,
    // Checks the certificate for the called address, whatever Host says.
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      checkServerIdentity(hostname, certificate),
  };
  return new Promise((resolve, reject) => {
    const sent = (protocol === 'https:' ? overHttps : overHttp)(options, (answer) => {
      buffer(answer).then((bytes) => {
        const text = bytes.toString();
        const { statusCode = 0, headers: its } = answer;
        resolve({ status: statusCode, headers: its, bytes, text, json: parsed(text) });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The headers that a browser sends for the console's own page. */
export function own(
  origin: string,
  more: Record<string, string | undefined> = {},
): Record<string, string | undefined> {
  return {
    origin,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    'x-receiptd': 'console',
    ...more,
  };
}

/** Signs in with a link, like the page. @returns the cookie as the browser sends it back */
export async function signIn(link: string, ca?: string): Promise<string> {
  const { origin, hash } = new URL(link);
  const body = JSON.stringify({ token: hash.replace('#token=', '') });
  const options = { method: 'POST', path: '/session', headers: own(origin), body };
  const answer = await ask(origin, ca === undefined ? options : { ...options, ca });
  if (answer.status !== 204) throw new Error(`${answer.status} ${answer.text}`);
  return cookieOf(answer);
}

export function cookieOf({ headers }: Answer): string {
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

/** Requests an operation like the page. */
export function perform(
  origin: string,
  cookie: string,
  operation: string,
  request: object = {},
  ca?: string,
): Promise<Answer> {
  return ask(origin, {
    method: 'POST',
    path: `/v1/${operation}`,
    headers: own(origin, { cookie }),
    body: JSON.stringify(request),
    ...(ca !== undefined && { ca }),
  });
}

/** Sends these bytes. @returns everything received until the other side ends the connection */
export async function raw(origin: string, text: string): Promise<string> {
  const socket = await dial(origin);
  socket.write(text, 'latin1');
  return (await received(socket)).toString('latin1');
}

export async function dial(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** A reset also counts as an end. */
export async function received(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  return new Promise((resolve) => {
    socket.on('data', (part) => parts.push(part));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(parts)));
  });
}
