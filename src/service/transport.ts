import { DecoratorHandler, errors, Pool, type Dispatcher } from 'undici';
import type { Readable } from 'node:stream';
import type { Answer } from '../domain/outcome.ts';
import type { Clock } from '../ports/clock.ts';
import { asFault } from './fault.ts';
import { retryAfterMs } from './retryAfter.ts';

/** Milliseconds. */
export interface Timeouts {
  /** DNS, TCP and TLS together. */
  readonly connectMs: number;
  /** From the request to the head of the answer; an upload gets more, by its size. */
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
}

export interface Exchange {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, beginning with `/v2`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Called when the head is about to be written, after any wait for a connection. */
  readonly onStart?: () => void;
}

export interface Transport {
  /** For error texts. */
  readonly host: string;
  /** One request, never repeated and never redirected. Rejects only with the signal's reason. */
  exchange(request: Exchange, signal: AbortSignal | undefined): Promise<Answer>;
  /** Ends what is still running. */
  close(): Promise<void>;
}

/**
 * How much of an answer is kept. The further fields of a document record are not shown (interface 2.2); one that is
 * cut would pass for no record at all, and its image be sent again.
 */
const KEPT_BYTES = 16 * 1024 * 1024;

/** The slowest line that an upload is given time for, 16 kB/s; the head of the answer comes only after it. */
const SLOWEST_BYTES_PER_MS = 16;

export function createTransport(options: TransportOptions): Transport {
  const { timeouts, clock } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const pool = new Pool(base.origin, {
    connections: options.connections + 1,
    pipelining: 1,
    connect: { timeout: timeouts.connectMs },
    // The body has a limit of its own, below: undici's starts anew with every chunk that trickles in.
    bodyTimeout: 0,
  });
  // Codes do not tell: ECONNRESET comes from a TLS handshake as well as from the middle of an upload.
  const whileConnecting = new WeakSet<Error>();
  pool.on('connectionError', (_origin, _targets, error) => whileConnecting.add(error));

  return {
    host: base.host,

    async exchange(request, signal) {
      let httpStatus: number | null = null;
      let retryAfter: number | null = null;
      const chunks: Buffer[] = [];
      const text = (): string => new TextDecoder().decode(Buffer.concat(chunks));
      try {
        const { onStart } = request;
        const dispatcher = onStart ? pool.compose(announcing(onStart)) : pool;
        const response = await dispatcher.request({
          method: request.method,
          path: prefix + request.path,
          headers: { accept: 'application/json', 'user-agent': 'receiptd', ...request.headers },
          body: request.body ?? null,
          headersTimeout:
            timeouts.headersMs + Math.ceil(Buffer.byteLength(request.body ?? '') / SLOWEST_BYTES_PER_MS),
          ...(signal ? { signal } : {}),
        });
        httpStatus = response.statusCode;
        const header = response.headers['retry-after'];
        retryAfter = retryAfterMs(Array.isArray(header) ? header[0] : header, clock.now());
        await readInto(chunks, response.body, timeouts.bodyMs);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        // Anything but a success has been said by the status line; only a success has to be read whole.
        if (httpStatus === null || (httpStatus >= 200 && httpStatus < 300)) {
          return asFault(error, base.host, error instanceof Error && whileConnecting.has(error));
        }
      }
      return { kind: 'response', httpStatus, retryAfterMs: retryAfter, body: text() };
    },

    close: () => pool.destroy(),
  };
}

function announcing(onStart: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, new StartHandler(handler, onStart));
}

class StartHandler extends DecoratorHandler {
  readonly #inner: Dispatcher.DispatchHandler;
  readonly #onStart: () => void;

  constructor(inner: Dispatcher.DispatchHandler, onStart: () => void) {
    super(inner);
    this.#inner = inner;
    this.#onStart = onStart;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#onStart();
    this.#inner.onRequestStart?.(controller, context);
  }
}

async function readInto(chunks: Buffer[], body: Readable, limitMs: number): Promise<void> {
  const timer = setTimeout(() => body.destroy(new errors.BodyTimeoutError()), limitMs);
  try {
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, KEPT_BYTES - size));
      size += chunk.length;
      // Destroys the stream, and with it the connection.
      if (size >= KEPT_BYTES) break;
    }
  } finally {
    clearTimeout(timer);
  }
}
