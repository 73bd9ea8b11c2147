import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listen } from '../support/ports.ts';

export interface Received {
  readonly method: string;
  /** As in the request line. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly socket: Socket;
}

export interface ScriptedServer {
  readonly baseUrl: string;
  readonly received: Received[];
  /** Connections accepted so far. */
  connections(): number;
}

type Script = (request: Received, response: ServerResponse) => unknown;

/** A server on loopback that follows the script once it has received a complete request. */
export async function scriptedServer(script: Script): Promise<ScriptedServer> {
  const received: Received[] = [];
  const server = createServer((message, response) => {
    const { method = '', url = '', headers, socket } = message;
    void buffer(message).then(
      (body) => {
        const request = { method, url, headers, body, socket };
        received.push(request);
        script(request, response);
      },
      // The client gave up before its request was complete.
      () => {},
    );
  });
  // On a machine that is busy a test may take its time between two requests of one connection.
  server.keepAliveTimeout = 120_000;
  return { received, ...(await served(server)) };
}

/** The same at the TCP level, for answers that are not valid HTTP. */
export async function scriptedTcpServer(
  onConnection: (socket: Socket) => void,
): Promise<{ readonly port: number }> {
  const { baseUrl } = await served(createTcpServer(onConnection));
  return { port: Number(new URL(baseUrl).port) };
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function served(server: Server): Promise<{ baseUrl: string; connections(): number }> {
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const { port, close } = await listen(server);
  onTestFinished(close);
  return { baseUrl: `http://127.0.0.1:${port}`, connections: () => connections };
}

/** Issues token-1, token-2, ... with these fields beside them. */
export async function issuer(
  fields: Record<string, unknown> = { expires_in: 86_400 },
): Promise<ScriptedServer> {
  let issued = 0;
  return await scriptedServer((_request, response) =>
    sendJson(response, 200, {
      access_token: `token-${++issued}`,
      scope: '',
      token_type: 'Bearer',
      ...fields,
    }),
  );
}
