import type { Socket } from 'node:net';
import { errors, type Dispatcher } from 'undici';

/*
 * How long one request is waited for:
 *
 *   waiting for a connection ──begin──▶ sending ──all is taken by the socket──▶ answer ──end──▶ over
 *
 * While sending, only a standstill ends it: `progressMs` in which the socket takes nothing. The waiting for the
 * bandwidth cap is none. While the answer is waited for, `headersMs`.
 */

class UploadStalled extends Error {
  readonly code = 'UPLOAD_STALLED';
}

export interface UploadTimeoutOptions {
  readonly progressMs: number;
  readonly headersMs: number;
  /** False if the body is handed over in pieces; `fed` tells the end then. */
  readonly whole: boolean;
  /** For a body that goes at once: its head is being written. */
  readonly onStart?: (() => void) | undefined;
}

export class UploadTimeouts {
  readonly #options: UploadTimeoutOptions;
  #socketOf: () => Socket | null = () => null;
  #socket: Socket | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #isFed: boolean;
  #answerTimer: NodeJS.Timeout | undefined;

  constructor(options: UploadTimeoutOptions) {
    this.#options = options;
    this.#isFed = options.whole;
  }

  /** Which connection it is that the request gets. */
  via(socketOf: () => Socket | null): void {
    this.#socketOf = socketOf;
  }

  /** The head is about to be written, in pieces with the first of them. */
  begin(controller: Dispatcher.DispatchController): void {
    this.end();
    const socket = this.#socketOf();
    if (socket === null) return;
    this.#socket = socket;
    this.#controller = controller;
    socket.on('timeout', this.#onStandstill);
    socket.on('drain', this.#onDrain);
    this.resume();
    if (!this.#options.whole) return;
    this.#options.onStart?.();
    // By then undici has written it.
    queueMicrotask(this.#onDrain);
  }

  /** The bandwidth cap holds the next piece back. */
  pause(): void {
    this.#socket?.setTimeout(0);
  }

  resume(): void {
    // Node's idle time of a socket: it knows of a write that the system takes in parts.
    this.#socket?.setTimeout(this.#options.progressMs);
  }

  fed(): void {
    this.#isFed = true;
    this.#onDrain();
  }

  /** Idempotent. */
  end(): void {
    clearTimeout(this.#answerTimer);
    this.#socket?.setTimeout(0);
    this.#socket?.off('timeout', this.#onStandstill);
    this.#socket?.off('drain', this.#onDrain);
    this.#socket = null;
  }

  /** Whether the system has all of the body. */
  get isTaken(): boolean {
    return this.#isFed && this.#socket?.writableLength === 0;
  }

  readonly #onDrain = (): void => {
    if (this.#socket === null || !this.#isFed) return;
    if (this.isTaken) this.#socket.setTimeout(0);
    clearTimeout(this.#answerTimer);
    this.#answerTimer = setTimeout(this.#onNoAnswer, this.#options.headersMs);
  };

  readonly #onNoAnswer = (): void => {
    // A small rest may be taken without any event.
    if (this.isTaken) this.#controller?.abort(new errors.HeadersTimeoutError());
    else this.#onDrain();
  };

  readonly #onStandstill = (): void => {
    if (!this.isTaken) this.#controller?.abort(new UploadStalled());
  };
}
