import { createServer, type Socket } from 'node:net';
import { epochMs } from './epoch.ts';

/**
 * A service that accepts everything and stores nothing, run as a separate process:
 *
 *   node sink.js [--answer-after MS]
 *
 * Prints its port. Supports just enough HTTP/1.1 for the program and its peers, to use as little of the machine as possible: a body needs a
 * Content-Length. `GET /report` returns the requests since `POST /reset`. Below `/dav/` it supports as much of WebDAV (RFC 4918) as
 * `rclone copy` needs.
 */
export interface SinkReport {
  readonly requests: number;
  /** Total size of bodies. */
  readonly bytes: number;
  /** Bodies that do not end like a JPEG or PNG. */
  readonly truncated: number;
  /** Names of requests that have one, in order, with the time at which the head arrived, in milliseconds since the epoch. */
  readonly names: readonly (readonly [name: string, at: number])[];
  /** Time of the answer to the latest upload, on the same clock; 0 before the first. */
  readonly answeredAt: number;
}

interface Request {
  readonly target: string;
  readonly method: string;
  readonly length: number;
  left: number;
  tail: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_HEAD = 64 * 1024;
const JPEG_END = Buffer.from([0xff, 0xd9]);
const PNG_END = Buffer.from([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);
const TOKEN = JSON.stringify({ access_token: 'bench', expires_in: 86_400, scope: '', token_type: 'Bearer' });

const answerAfterMs = Number(process.argv[process.argv.indexOf('--answer-after') + 1]) || 0;
let requests = 0;
let bytes = 0;
let truncated = 0;
let names: [string, number][] = [];
let answeredAt = 0;
/** Sizes of files put below `/dav/`, by target. */
let files = new Map<string, number>();

function answer(socket: Socket, text: string, status = '200 OK', type = 'application/json'): void {
  socket.write(
    `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/** Serves an initially empty collection, and files that were put there. */
function answerDav(socket: Socket, { method, target, length }: Request): void {
  if (method === 'PUT') {
    files.set(target, length);
    return answer(socket, '', '201 Created');
  }
  const size = files.get(target);
  if (method !== 'PROPFIND') return answer(socket, '', '405 Method Not Allowed');
  if (size === undefined && target !== '/dav/') return answer(socket, '', '404 Not Found');
  const kind = size === undefined ? '<collection/>' : '';
  const prop = `<resourcetype>${kind}</resourcetype><getcontentlength>${size ?? 0}</getcontentlength>`;
  const found = `<propstat><prop>${prop}</prop><status>HTTP/1.1 200 OK</status></propstat>`;
  const text = `<multistatus xmlns="DAV:"><response><href>${target}</href>${found}</response></multistatus>`;
  answer(socket, text, '207 Multi-Status', 'application/xml');
}

function finish(socket: Socket, request: Request): void {
  const { method, target, tail } = request;
  if (target === '/v2/oauth2/token') return answer(socket, TOKEN);
  if (target === '/report')
    return answer(socket, JSON.stringify({ requests, bytes, truncated, names, answeredAt }));
  if (target === '/reset') {
    [requests, bytes, truncated, names, answeredAt] = [0, 0, 0, [], 0];
    files = new Map();
    return answer(socket, '{}');
  }
  if (method === 'POST' || method === 'PUT') {
    requests += 1;
    if (!tail.subarray(-2).equals(JPEG_END) && !tail.subarray(-8).equals(PNG_END)) truncated += 1;
  }
  if (target.startsWith('/dav/')) return answerDav(socket, request);
  const [, endpointUid, name] = /^\/v2\/endpoints\/([^/]*)\/documents\?name=(.*)$/.exec(target) ?? [];
  const text = JSON.stringify({
    name: decodeURIComponent(name ?? ''),
    endpointUid: endpointUid ?? '',
    status: 'PROCESSING',
  });
  const reply = (): void => {
    answeredAt = epochMs();
    answer(socket, text);
  };
  if (answerAfterMs === 0) reply();
  else setTimeout(reply, answerAfterMs);
}

function begin(socket: Socket, head: string): Request {
  const [method = '', target = ''] = head.split(' ', 2);
  const length = Number(/^content-length: *(\d+)\r?$/im.exec(head)?.[1] ?? 0);
  const name = /\/documents\?name=(.*)$/.exec(target)?.[1];
  if (name !== undefined) names.push([decodeURIComponent(name), epochMs()]);
  if (/^expect: *100-continue\r?$/im.test(head)) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
  return { method, target, length, left: length, tail: Buffer.alloc(0) };
}

const server = createServer({ noDelay: true }, (socket) => {
  let head: Buffer | null = null;
  let request: Request | null = null;
  socket.on('error', () => socket.destroy());
  socket.on('data', (data: Buffer) => {
    let at = 0;
    while (at < data.length || request?.left === 0) {
      if (request === null) {
        const all: Buffer = head === null ? data.subarray(at) : Buffer.concat([head, data.subarray(at)]);
        const before = head?.length ?? 0;
        const end = all.indexOf(HEAD_END);
        if (end < 0) {
          head = Buffer.from(all);
          if (head.length > MAX_HEAD) socket.destroy();
          return;
        }
        head = null;
        at += end + HEAD_END.length - before;
        request = begin(socket, all.toString('latin1', 0, end));
      }
      const taken = Math.min(request.left, data.length - at);
      if (taken > 0) {
        bytes += taken;
        request.left -= taken;
        const end = data.subarray(Math.max(at, at + taken - 8), at + taken);
        request.tail = taken >= 8 ? end : Buffer.concat([request.tail, end]).subarray(-8);
        at += taken;
      }
      if (request.left > 0) return;
      finish(socket, request);
      request = null;
    }
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : ''}\n`);
});
