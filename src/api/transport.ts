import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { errors, Pool, type Dispatcher } from 'undici';
import type { Answer } from '../core/domain/outcome.ts';
import type { Clock } from '../core/ports/clock.ts';
import { Authorities } from './authorities.ts';
import { Bandwidth } from './bandwidth.ts';
import { createConnector } from './connector.ts';
import { asFault, withOtherScheme } from './fault.ts';
import { feed, WHOLE_BYTES } from './feed.ts';
import { ServiceConnection, type ConnectionOptions } from './connection.ts';
import { UploadTimeouts } from './uploadTimeouts.ts';
import { AnsweredEarly, Receiver, type ResponseHead, type BodyReading } from './receiver.ts';
import { retryAfterMs } from './retryAfter.ts';
import { routeOf } from './route.ts';
import { refusal } from './tunnel.ts';

/** Milliseconds. */
export interface Timeouts {
  /** DNS, TCP and TLS together; twice with a proxy. */
  readonly connectMs: number;
  /** Aborts an upload of which no byte was sent for this long; there is no limit on its total duration. */
  readonly progressMs: number;
  /** From the last byte of the request to the head of the answer. */
  readonly headersMs: number;
  /** For the whole body of the answer. */
  readonly bodyMs: number;
}

export interface TransportOptions {
  /** May have a path prefix; a trailing slash makes no difference. */
  readonly baseUrl: string;
  readonly timeouts: Timeouts;
  /** Concurrent uploads. One more connection is kept, so that a token request need not wait behind them. */
  readonly connections: number;
  readonly clock: Clock;
  /** `auto`: from the environment. Default: `direct`. A URL may contain user and password. */
  readonly proxy?: string;
  /** Source of HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A PEM file with additional certificate authorities. */
  readonly ca?: string | null;
  /** Cap on body bytes per second, for all uploads together. */
  readonly bandwidth?: number | null;
  /** Called with every form of the proxy's password, on every request. */
  readonly addSecret?: (value: string) => void;
  readonly lookup?: LookupFunction;
}

export interface HttpExchange {
  readonly method: 'GET' | 'POST';
  /** Relative to the base URL, beginning with `/v2`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** How much of a larger success to keep; default: all of it. */
  readonly keep?: Pick<BodyReading, 'kept' | 'beyond'>;
  /** Called when the head is about to be written, after waiting for a connection and for the bandwidth cap. */
  readonly onStart?: () => void;
  /** Called when the head of the answer arrives, if the system has taken every byte of the body by then. */
  readonly onTaken?: () => void;
}

export interface Transport {
  /** For error messages. */
  readonly host: string;
  /** Sends one request, never repeated or redirected. Rejects only with the signal's reason. */
  exchange(request: HttpExchange, signal: AbortSignal | undefined): Promise<Answer>;
  /** Idle connections are not used any more. */
  dropIdle(): void;
  /** Aborts running requests. */
  close(): Promise<void>;
}

/**
 * Limits for a success. A record may have further fields (interface 2.2). If an answer is not read to its end, it is unknown
 * whether it was a record, and the image is sent again.
 */
const WHOLE: BodyReading = { kept: 16 * 1024 * 1024, beyond: 0, most: 16 * 1024 * 1024 };
/** Limits for an error answer, of which only a few words are quoted. */
const REFUSAL: BodyReading = { kept: 64 * 1024, beyond: 0, most: 64 * 1024 };

/** Proxy Authentication Required (RFC 9110). */
const PROXY_REFUSES = 407;

/** @throws ReceiptdError CONFIG_INVALID if the proxy's address or the file of authorities is invalid */
export function createTransport(options: TransportOptions): Transport {
  const { timeouts, clock, env = {}, addSecret } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const route = routeOf(options.proxy ?? 'direct', base, env);
  const bandwidth = options.bandwidth ? new Bandwidth(options.bandwidth, clock) : null;
  const connectorWith = (secureContext?: SecureContext) =>
    createConnector({ base, route, limitMs: timeouts.connectMs, secureContext, lookup: options.lookup });
  const authorities = options.ca ? new Authorities(options.ca, env, clock) : null;
  let connector = connectorWith(authorities?.context);
  // Each new connection trusts the file as it is then.
  const connect: typeof connector = (target, callback) => {
    if (authorities?.isRenewed()) connector = connectorWith(authorities.context);
    connector(target, callback);
  };
  const forward = route.kind === 'forward' ? route : null;
  const isOfProxy = (head: ResponseHead | null): boolean =>
    forward !== null && head?.statusCode === PROXY_REFUSES;
  const peer = { at: forward ? 'forward' : 'service', host: (forward?.proxy ?? base).host } as const;
  /** Once the service has answered, its scheme must be right. */
  let hasAnswered = false;
  const connections = new Set<ServiceConnection>();
  const pool = new Pool(forward ? forward.proxy.origin : base.origin, {
    connections: options.connections + 1,
    pipelining: 1,
    factory: (origin, connectionOptions) => {
      const connection = new ServiceConnection(origin, { ...connectionOptions, connect }, clock);
      connections.add(connection);
      return connection;
    },
    // Own timeouts are used, below: undici's start before the body is sent, and restart with every chunk of an answer.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // The error code is not enough: ECONNRESET may come from a TLS handshake or from the middle of an upload.
  const whileConnecting = new WeakSet<Error>();
  pool.on('connectionError', (_origin, targets, error) => {
    whileConnecting.add(error);
    // The pool opens another connection instead.
    for (const target of targets) connections.delete(target as ServiceConnection);
  });

  return {
    host: base.host,

    async exchange(request, signal) {
      if (addSecret && route.kind !== 'direct') route.secrets.forEach(addSecret);
      let started = false;
      const onStart = (): void => {
        started = true;
        request.onStart?.();
      };
      const { body } = request;
      const pieces = Buffer.isBuffer(body) && (bandwidth || body.length > WHOLE_BYTES) ? body : null;
      const whole = pieces === null || pieces.length === 0;
      // Whether everything was handed to undici. Inside TLS, whether the system has taken it may only be known after the answer.
      let isHandedOver = whole;
      const timer = new UploadTimeouts({ ...timeouts, whole, onStart });
      const over = bandwidth ? new AbortController() : null;
      const receiver = new Receiver({
        timeouts: timer,
        bodyMs: timeouts.bodyMs,
        reading(head) {
          if (timer.isTaken) request.onTaken?.();
          if (isOfProxy(head)) return new errors.RequestAbortedError();
          if (!isSuccessful(head)) return REFUSAL;
          return isHandedOver ? { ...WHOLE, ...request.keep } : new AnsweredEarly();
        },
      });
      const abort = (): void => receiver.abort(signal?.reason);
      let head: ResponseHead;
      try {
        signal?.throwIfAborted();
        signal?.addEventListener('abort', abort);
        // Names and values in turn: undici reads them sooner than an object, whose shape would be new for each request.
        const headers = ['accept', 'application/json', 'user-agent', 'receiptd'];
        for (const name in request.headers) headers.push(name, request.headers[name] ?? '');
        if (forward) headers.push('host', base.host);
        if (forward?.authorization) headers.push('proxy-authorization', forward.authorization);
        if (!whole) headers.push('content-length', String(pieces.length));
        const dispatched: Dispatcher.DispatchOptions & ConnectionOptions = {
          timeouts: timer,
          method: request.method,
          path: (forward ? base.origin : '') + prefix + request.path,
          headers,
          body: whole
            ? (body ?? null)
            : // undici takes any iterable; a stream would read ahead of the bandwidth cap.
              (feed(pieces, {
                bandwidth,
                timeouts: timer,
                onStart,
                onLast: () => (isHandedOver = true),
                signal: over?.signal,
              }) as unknown as Readable),
        };
        pool.dispatch(dispatched, receiver);
        head = await receiver.ended;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (forward && isOfProxy(receiver.head))
          return asFault(refusal(forward.proxy, base.host, PROXY_REFUSES), peer, false);
        // For anything but a success, the status line says enough; a success must be read to its end.
        if (receiver.head === null || isSuccessful(receiver.head)) {
          const connecting = error instanceof Error && whileConnecting.has(error);
          const plain = asFault(error, peer, connecting);
          const fault = hasAnswered || forward ? plain : withOtherScheme(plain, base, connecting);
          return started ? fault : { ...fault, sent: false };
        }
        head = receiver.head;
      } finally {
        signal?.removeEventListener('abort', abort);
        timer.end();
        over?.abort();
      }
      hasAnswered = true;
      const { statusCode: httpStatus, retryAfter } = head;
      const waitMs = retryAfterMs(retryAfter, clock.now());
      const response = { kind: 'response', httpStatus, retryAfterMs: waitMs, body: receiver.text() } as const;
      const large = receiver.large();
      return large === null ? response : { ...response, large };
    },

    dropIdle() {
      for (const connection of connections) connection.dropIdle();
    },

    close: () => pool.destroy(),
  };
}

function isSuccessful({ statusCode }: ResponseHead): boolean {
  return statusCode >= 200 && statusCode < 300;
}
