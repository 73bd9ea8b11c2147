import {
  createServer as createPlain,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecure, Server as SecureServer } from 'node:https';
import type { Log } from '../../core/ports/log.ts';
import { answerBroken } from '../../http/broken.ts';
import type { Pair } from '../../http/certificate.ts';
import { closeServer, listenOn, literal, RESULTS_LISTENER } from '../../http/listen.ts';
import { keepRoom } from '../../http/room.ts';

export interface ServeOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly pair: Pair | null;
  /** Never rejects. */
  readonly receive: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly log: Log;
  /** For tests. */
  readonly requestMs?: number;
}

export interface ResultsServer {
  /** Such as `http://127.0.0.1:8472`. */
  readonly origin: string;
  /** Uses a renewed certificate for new connections. */
  take(pair: Pair): void;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** A service that posts from many machines keeps several open on each. */
const MOST_CONNECTIONS = 256;
const HEADERS_BYTES = 16 * 1024;
/** From the first byte of a request to its last, in milliseconds. */
const REQUEST_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;
/** Idle timeout of a connection, in milliseconds. */
const STILL_MS = 30_000;

/** @throws ReceiptdError PORT_IN_USE, RESULTS_UNAVAILABLE */
export async function serveResults(options: ServeOptions): Promise<ResultsServer> {
  const { host, pair, receive, log, requestMs = REQUEST_MS } = options;
  const limits = {
    maxHeaderSize: HEADERS_BYTES,
    headersTimeout: Math.min(REQUEST_MS, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(1_000, requestMs / 2),
    keepAliveTimeout: KEEP_ALIVE_MS,
    insecureHTTPParser: false,
  };
  const server: Server =
    pair === null
      ? createPlain(limits)
      : createSecure({ ...limits, cert: pair.cert, key: pair.key, handshakeTimeout: REQUEST_MS });
  keepRoom(server, MOST_CONNECTIONS);
  server.timeout = STILL_MS;
  server.on('clientError', answerBroken);
  server.on('request', (request, response) => void receive(request, response));
  const port = await listenOn(server, options, RESULTS_LISTENER);
  server.on('error', (error) => log.warn('resultsReceiverTrouble', { why: error.message }));
  return {
    origin: `${pair === null ? 'http' : 'https'}://${literal(host)}:${port}`,
    take: ({ cert, key }) => {
      if (server instanceof SecureServer) server.setSecureContext({ cert, key });
    },
    close: () => closeServer(server),
  };
}
