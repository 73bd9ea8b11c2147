import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { errors, Pool } from 'undici';
import type { Answer } from '../core/domain/outcome.ts';
import type { Clock } from '../core/ports/clock.ts';
import { trusting } from './authorities.ts';
import { Bandwidth } from './bandwidth.ts';
import { createConnector } from './connector.ts';
import { asFault, otherScheme } from './fault.ts';
import { feed, WHOLE_BYTES } from './feed.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { UploadTimeouts } from './uploadTimeouts.ts';
import { AnsweredEarly, Receiver, type Head, type Reading } from './receiver.ts';
import { retryAfterMs } from './retryAfter.ts';
import { routeOf } from './route.ts';
import { refusal } from './tunnel.ts';

/** Milliseconds. */
export interface Timeouts {
  /** DNS, TCP and TLS together; to a proxy and through it, twice. */
  readonly connectMs: number;
  /** An upload of which so long no byte gets away is given up; it may take as long as it moves. */
  readonly progressMs: number;
  /** From the last byte of the request to the head of the answer. */
  readonly headersMs: number;
  /** The whole body of the answer. */
  readonly bodyMs: number;
}

export interface TransportOptions {
  /** May have a path prefix; a trailing slash makes no difference. */
  readonly baseUrl: string;
  readonly timeouts: Timeouts;
  /** Uploads at once. One connection more is kept, so that a token need not wait behind them. */
  readonly connections: number;
  readonly clock: Clock;
  /** `auto`: by the environment. `direct` is the default. A URL may hold user and password. */
  readonly proxy?: string;
  /** For HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A PEM file with further certificate authorities. */
  readonly ca?: string | null;
  /** Most bytes of bodies per second, all uploads together. */
  readonly bandwidth?: number | null;
  /** Called with every form of the proxy's password, again with every request. */
  readonly addSecret?: (value: string) => void;
  readonly lookup?: LookupFunction;
}

export interface Exchange {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, beginning with `/v2`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** How a success is kept that is larger; all of it unless told. */
  readonly keep?: Pick<Reading, 'kept' | 'beyond'>;
  /** Called when the head is about to be written, after any wait for a connection and for the bandwidth cap. */
  readonly onStart?: () => void;
  /** Called when the head of the answer comes, if by then the system has taken every byte of the body. */
  readonly onTaken?: () => void;
}

export interface Transport {
  /** For error texts. */
  readonly host: string;
  /** One request, never repeated and never redirected. Rejects only with the signal's reason. */
  exchange(request: Exchange, signal: AbortSignal | undefined): Promise<Answer>;
  /** Connections that lie idle are not used again. */
  dropIdle(): void;
  /** Ends what is still running. */
  close(): Promise<void>;
}

/**
 * The further fields of a document record are not shown (interface 2.2). Of an answer that is not read to its end nobody
 * knows whether it was one, and its image is sent again.
 */
const WHOLE: Reading = { kept: 16 * 1024 * 1024, beyond: 0, most: 16 * 1024 * 1024 };
/** Of anything but a success only some words are quoted. */
const REFUSAL: Reading = { kept: 64 * 1024, beyond: 0, most: 64 * 1024 };

/** Proxy Authentication Required (RFC 9110). */
const PROXY_REFUSES = 407;

/** @throws ReceiptdError CONFIG_INVALID: the proxy's address or the file of authorities makes no sense. */
export function createTransport(options: TransportOptions): Transport {
  const { timeouts, clock, env = {}, addSecret } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const route = routeOf(options.proxy ?? 'direct', base, env);
  const bandwidth = options.bandwidth ? new Bandwidth(options.bandwidth, clock) : null;
  const connect = createConnector({
    base,
    route,
    limitMs: timeouts.connectMs,
    secureContext: options.ca ? trusting(options.ca, env) : undefined,
    lookup: options.lookup,
  });
  const forward = route.kind === 'forward' ? route : null;
  const isOfProxy = (head: Head | null): boolean => forward !== null && head?.statusCode === PROXY_REFUSES;
  const peer = forward ? `The proxy ${forward.proxy.host}` : base.host;
  /** Then the scheme is the right one, whatever breaks later. */
  let hasAnswered = false;
  const connections = new Set<Connection>();
  const pool = new Pool(forward ? forward.proxy.origin : base.origin, {
    connections: options.connections + 1,
    pipelining: 1,
    factory: (origin, connectionOptions) => {
      const connection = new Connection(origin, { ...connectionOptions, connect }, clock);
      connections.add(connection);
      return connection;
    },
    // Limits of our own, below: undici's begin before the body is sent, and again with every chunk of an answer.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  // Codes do not tell: ECONNRESET comes from a TLS handshake as well as from the middle of an upload.
  const whileConnecting = new WeakSet<Error>();
  pool.on('connectionError', (_origin, targets, error) => {
    whileConnecting.add(error);
    // The pool takes another one instead.
    for (const target of targets) connections.delete(target as Connection);
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
      // Not whether the system has taken it: inside TLS that is told later, perhaps after the answer.
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
      let head: Head;
      try {
        signal?.throwIfAborted();
        signal?.addEventListener('abort', abort);
        const connectionOptions: ConnectionOptions = { timeouts: timer };
        pool.dispatch(
          {
            ...connectionOptions,
            method: request.method,
            path: (forward ? base.origin : '') + prefix + request.path,
            headers: {
              accept: 'application/json',
              'user-agent': 'receiptd',
              ...request.headers,
              ...(forward && { host: base.host }),
              ...(forward?.authorization && { 'proxy-authorization': forward.authorization }),
              ...(!whole && { 'content-length': String(pieces.length) }),
            },
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
          },
          receiver,
        );
        head = await receiver.ended;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (forward && isOfProxy(receiver.head))
          return asFault(refusal(forward.proxy, base.host, PROXY_REFUSES), peer, false);
        // Anything but a success has been said by the status line; only a success has to be read whole.
        if (receiver.head === null || isSuccessful(receiver.head)) {
          const connecting = error instanceof Error && whileConnecting.has(error);
          const plain = asFault(error, peer, connecting);
          const advice = hasAnswered || forward ? '' : otherScheme(base, plain, connecting);
          const fault = { ...plain, message: plain.message + advice };
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

function isSuccessful({ statusCode }: Head): boolean {
  return statusCode >= 200 && statusCode < 300;
}
