import { createServer, request as forward } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { listen } from '../support/ports.ts';

export interface Proxy {
  readonly port: number;
  readonly host: string;
  /** Every request as the proxy saw it. */
  readonly seen: { readonly line: string; readonly headers: Readonly<Record<string, unknown>> }[];
  /** All bytes that went through tunnels towards the service. */
  tunnelled(): Buffer;
}

export interface ProxyOptions {
  /** `user:password`; without them the answer is 407. */
  readonly login?: string;
  /** The answer to CONNECT instead of a tunnel; `drop` cuts the connection, `dropAfter` once it said 200. */
  readonly answer?: number | 'drop' | 'dropAfter' | 'hang';
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Answers 500 with the headers that it was sent; only a token is let through. */
  readonly mirror?: boolean;
  /** Where tunnels lead, whatever they ask for. */
  readonly to?: number;
}

/** A real proxy on loopback: CONNECT and forwarding. */
export async function proxyServer(options: ProxyOptions = {}): Promise<Proxy> {
  const seen: Proxy['seen'] = [];
  const sockets = new Set<Duplex>();
  const tunnelled: Buffer[] = [];
  const wanted = options.login && `Basic ${Buffer.from(options.login).toString('base64')}`;
  const server = options.tls ? createTlsServer(options.tls) : createServer();

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.on('connect', (message, socket: Socket) => {
    seen.push({ line: `CONNECT ${message.url}`, headers: message.headers });
    socket.on('error', () => {});
    const { answer } = options;
    if (answer === 'hang') return;
    if (answer === 'drop') return socket.destroy();
    if (wanted && message.headers['proxy-authorization'] !== wanted) {
      socket.end('HTTP/1.1 407 No\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    if (typeof answer === 'number') {
      socket.end(`HTTP/1.1 ${answer} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (answer === 'dropAfter') return socket.destroy();
    const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(message.url ?? '') ?? [];
    const target = options.to ? connect(options.to, '127.0.0.1') : connect(Number(port), host);
    sockets.add(target);
    target.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => target.destroy()).on('data', (chunk: Buffer) => tunnelled.push(chunk));
    socket.pipe(target).pipe(socket);
  });
  server.on('request', (message, response) => {
    seen.push({ line: `${message.method} ${message.url}`, headers: message.headers });
    if (wanted && message.headers['proxy-authorization'] !== wanted) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end('<html>login</html>');
      return;
    }
    if (options.mirror && message.url?.endsWith('/token') !== true) {
      response.writeHead(500).end(JSON.stringify(message.rawHeaders));
      return;
    }
    const { 'proxy-authorization': _own, ...headers } = message.headers;
    const onward = forward(message.url ?? '', { method: message.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    message.pipe(onward);
  });
  const { port, close } = await listen(server);
  onTestFinished(close);
  return { port, host: `127.0.0.1:${port}`, seen, tunnelled: () => Buffer.concat(tunnelled) };
}
