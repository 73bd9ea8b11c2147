import type { Socket } from 'node:net';
import { errors, type Dispatcher } from 'undici';

/*
 * Timeouts of one request:
 *
 *   waiting for a connection ──begin──▶ sending ──all is taken by the socket──▶ answer ──end──▶ over
 *
 * While sending, only a stall of `progressMs` aborts it, during which the socket takes nothing; waiting for the bandwidth cap does
 * not count. While waiting for the answer, `headersMs` applies.
 */

class UploadStalled extends Error {
  readonly code = 'UPLOAD_STALLED';
}

export interface UploadTimeoutOptions {
  readonly progressMs: number;
  readonly headersMs: number;
  /** False if the body is sent in pieces; then `fed` marks its end. */
  readonly whole: boolean;
  /** For a body that is sent at once: called when its head is being written. */
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

  /** Sets how to find the connection that the request gets. */
  via(socketOf: () => Socket | null): void {
    this.#socketOf = socketOf;
  }

  /** Call when the head is about to be written; for a body in pieces, with the first piece. */
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
    // Runs after undici has written it.
    queueMicrotask(this.#onDrain);
  }

  /** The bandwidth cap delays the next piece. */
  pause(): void {
    this.#socket?.setTimeout(0);
  }

  resume(): void {
    // Node's socket timeout notices when the system takes part of a large write.
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

  /** Whether the system has taken the whole body. */
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
    // A small remainder may be taken without an event.
    if (this.isTaken) this.#controller?.abort(new errors.HeadersTimeoutError());
    else this.#onDrain();
  };

  readonly #onStandstill = (): void => {
    if (!this.isTaken) this.#controller?.abort(new UploadStalled());
  };
}
