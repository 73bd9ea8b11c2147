import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure, Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { isLoopback } from '../../core/domain/loopback.ts';
import { UPLOADS } from '../../control/protocol/sending.ts';
import { respond, type Offer } from '../../control/server/respond.ts';
import { sendError } from '../../control/server/bodies.ts';
import { answerBroken } from '../../http/broken.ts';
import type { Pair } from '../../http/certificate.ts';
import { closeServer, CONSOLE_LISTENER, listenOn, literal } from '../../http/listen.ts';
import { keepRoom, type Room } from '../../http/room.ts';
import { pathOf, refusalOf, type OwnAddress } from './guard.ts';
import { setSecurityHeaders } from './headers.ts';
import { SignIn, type SignInDeps } from './signIn.ts';
import type { Session } from './sessions.ts';
import type { Statics } from './statics.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';

export interface ConsoleServerOptions extends SignInDeps {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly hosts: readonly string[];
  readonly pair: Pair | null;
  /** The operations that a browser may call: see `offerOverHttp`. */
  readonly offer: Offer;
  readonly statics: Statics;
}

export interface ConsoleServer {
  /** Origin for links, such as `http://127.0.0.1:8471`. */
  origin(): string;
  /** Applies host names at once, and a renewed certificate to new connections. */
  take(hosts: readonly string[], pair: Pair | null): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** As many as a system lets wait: of those that come in one turn none is ended before it was read. */
const MOST_SIGNED_OUT = 512;
const MOST_SIGNED_IN = 128;
const MOST_EVENT_STREAMS = 16;
const HEADERS_BYTES = 16 * 1024;
const HEADERS_MS = 10_000;
const REQUEST_MS = 15_000;
/** For a file that a signed-in user sends. */
const UPLOAD_MS = 30 * 60_000;
const LOOK_EVERY_MS = 2_000;
const KEEP_ALIVE_MS = 5_000;
/** Idle timeout: the reader is gone, or does not read. Event streams send keep-alives. */
const STILL_MS = 60_000;
const REQUESTS_PER_CONNECTION = 1_000;

/** @throws ReceiptdError PORT_IN_USE, CONSOLE_UNAVAILABLE */
export async function serveConsole(options: ConsoleServerOptions): Promise<ConsoleServer> {
  const { host, hosts, pair, log } = options;
  const limits = {
    maxHeaderSize: HEADERS_BYTES,
    headersTimeout: HEADERS_MS,
    // Node has one for all requests; `Desk` ends the others sooner.
    requestTimeout: UPLOAD_MS,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Detects a browser that vanished without closing the connection.
    keepAlive: true,
    keepAliveInitialDelay: STILL_MS,
    insecureHTTPParser: false,
  };
  const server =
    pair === null
      ? createPlain(limits)
      : createSecure({ ...limits, cert: pair.cert, key: pair.key, handshakeTimeout: HEADERS_MS });
  const room = keepRoom(server, MOST_SIGNED_OUT);
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  server.timeout = STILL_MS;
  const port = await listenOn(server, options, CONSOLE_LISTENER);
  server.on('error', (error) => log.warn('consoleServerTrouble', { why: error.message }));
  server.on('clientError', answerBroken);
  const own = { port, secure: pair !== null, hosts };
  const desk = new Desk(options, own, room);
  server.on('request', (request, response) => void desk.receive(request, response));
  return {
    origin: () =>
      own.secure ? `https://${nameFor(host, port, own.hosts)}` : `http://${nameFor(host, port, [])}`,
    take: (names, renewed) => {
      own.hosts = names;
      if (server instanceof SecureServer && renewed !== null)
        server.setSecureContext({ cert: renewed.cert, key: renewed.key });
    },
    close: () => closeServer(server),
  };
}

const TOO_SLOW = Object.assign(new Error('The request took too long.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

class Desk {
  readonly #options: ConsoleServerOptions;
  readonly #own: OwnAddress;
  readonly #signIn: SignIn;
  readonly #strict: boolean;
  readonly #room: Room;
  /** Connections of signed-in users, which no burst of other connections can end. */
  readonly #theirs = new WeakSet<Socket>();
  #eventStreams = 0;

  /** The names in `own` may change. */
  constructor(options: ConsoleServerOptions, own: OwnAddress, room: Room) {
    this.#options = options;
    this.#own = own;
    this.#room = room;
    this.#signIn = new SignIn(options, own);
    this.#strict = own.secure && !isLoopback(options.host);
  }

  /** Never rejects. */
  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // An event stream stays open: its request has arrived, although nobody reads its empty body.
    const late = setTimeout(() => {
      if (!request.complete) answerBroken(TOO_SLOW, request.socket);
    }, REQUEST_MS);
    const unhurry = () => clearTimeout(late);
    request.once('close', unhurry);
    try {
      await this.#answer(request, response, unhurry);
    } catch (error) {
      // The client aborted the request.
      if (request.destroyed || response.destroyed) return;
      this.#options.log.error('consoleAnswerFailed', {
        url: pathOf(request.url ?? ''),
        why: String(error),
      });
      if (response.headersSent) response.destroy();
      else sendError(request, response, 500, new ReceiptdError('CONTROL_FAILED.defect'));
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, unhurry: () => void): Promise<void> {
    const path = pathOf(request.url ?? '');
    setSecurityHeaders(response, path, this.#strict);
    const refusal = refusalOf(request, this.#own);
    const allowed = methodsOf(path);
    if (refusal === null && !allowed.includes(request.method ?? '')) {
      const error = new ReceiptdError('CONSOLE_REFUSED.method', { allowed });
      return sendError(request, response, 405, error, { allow: allowed.join(', ') });
    }
    if (refusal !== null) return sendError(request, response, refusal.status, refusal.error);
    if (path === '/session') return this.#signIn.respond(request, response);
    if (path.startsWith('/v1/')) return this.#perform(request, response, path, unhurry);
    return this.#page(request, response, path);
  }

  async #perform(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    unhurry: () => void,
  ): Promise<void> {
    const session = await this.#signIn.session(request);
    if (session === null) {
      const { command } = this.#options;
      return sendError(request, response, 401, new ReceiptdError('CONSOLE_SIGNED_OUT.session', { command }));
    }
    if (path === UPLOADS.file.path) unhurry();
    this.#keep(request.socket, response, session);
    // Signing out ends running responses.
    response.once(
      'close',
      session.onOver(() => response.destroy()),
    );
    if (path === '/v1/events' && !this.#admitEvents(request, response)) return;
    await respond(request, response, this.#options.offer);
  }

  #keep(socket: Socket, response: ServerResponse, session: Session): void {
    response.setHeader('keep-alive', `timeout=${STILL_MS / 1_000}`);
    // Set last, because Node sets its own timeout for every connection.
    response.once('finish', () => socket.setTimeout(STILL_MS));
    if (this.#theirs.has(socket)) return;
    this.#theirs.add(socket);
    const giveBack = this.#room.reserve(socket, MOST_SIGNED_IN);
    const forget = session.onOver(() => {
      this.#theirs.delete(socket);
      giveBack();
    });
    socket.once('close', forget);
  }

  /** @returns false if there are too many event streams */
  #admitEvents(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#eventStreams >= MOST_EVENT_STREAMS) {
      const error = new ReceiptdError('CONSOLE_REFUSED.openTooOften', { count: MOST_EVENT_STREAMS });
      sendError(request, response, 503, error);
      return false;
    }
    this.#eventStreams += 1;
    response.once('close', () => (this.#eventStreams -= 1));
    return true;
  }

  async #page(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { statics } = this.#options;
    if (await statics.serve(request, response, path)) return;
    if (await statics.arePresent())
      return sendError(request, response, 404, new ReceiptdError('USAGE.noPage'));
    const missing = new ReceiptdError('CONSOLE_UNAVAILABLE.noPages');
    response
      .writeHead(503, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .end(`${missing.sentence()}\n`);
  }
}

function methodsOf(path: string): readonly string[] {
  if (path === '/session') return ['GET', 'POST', 'DELETE'];
  return path.startsWith('/v1/') ? ['GET', 'POST'] : ['GET', 'HEAD'];
}

/** Prefers a configured name, which the certificate covers; 0.0.0.0 can't be used in a link. */
function nameFor(host: string, port: number, hosts: readonly string[]): string {
  const [name] = hosts;
  if (name !== undefined) return /:\d+$/.test(name) ? name : `${name}:${port}`;
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `${literal(address)}:${port}`;
}
