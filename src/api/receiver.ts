import { createHash } from 'node:crypto';
import { errors, type Dispatcher } from 'undici';
import type { CutAnswer } from '../core/domain/keptAnswer.ts';
import { RecordScanner } from './recordScanner.ts';
import type { UploadTimeouts } from './uploadTimeouts.ts';

/*
 * Receives the answer to one request:
 *
 *   waiting for a connection ──onRequestStart──▶ sending ──onResponseStart──▶ reading ──▶ ended, or failed
 *
 * undici's own `request` provides the body as a stream, which costs as much as everything else for a short answer.
 */

export interface ResponseHead {
  readonly statusCode: number;
  readonly retryAfter: string | undefined;
}

/** Limits for reading a body, in bytes. */
export interface BodyReading {
  /** A larger body is scanned as it arrives, and only its beginning is kept. */
  readonly kept: number;
  /** Bytes kept in addition to `kept`. */
  readonly beyond: number;
  /** Reading stops after this many bytes. */
  readonly most: number;
}

export interface ReceiverOptions {
  readonly timeouts: UploadTimeouts;
  /** Milliseconds for the whole body. */
  readonly bodyMs: number;
  /** Called with the head: how much of the body to read, or the error with which to abort the request. */
  readonly reading: (head: ResponseHead) => BodyReading | Error;
}

class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE';
}

/** A success that arrived before the whole request was sent can't be about the whole request. */
export class AnsweredEarly extends Error {
  readonly code = 'ANSWERED_EARLY';
}

export class Receiver implements Dispatcher.DispatchHandler {
  readonly #options: ReceiverOptions;
  readonly #chunks: Buffer[] = [];
  #resolve: (head: ResponseHead) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #controller: Dispatcher.DispatchController | null = null;
  #reason: Error | null = null;
  #head: ResponseHead | null = null;
  #reading: BodyReading = { kept: 0, beyond: 0, most: 0 };
  #size = 0;
  #large: LargeAnswer | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** Resolves the head once the answer is complete; rejects with the error that prevented it. */
  readonly ended = new Promise<ResponseHead>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  /** Null until the head of the answer has arrived. */
  get head(): ResponseHead | null {
    return this.#head;
  }

  /** The part of the body that has arrived and is kept. */
  text(): string {
    // Drops an incomplete character at the cut.
    return new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: this.#large !== null });
  }

  /** Facts about a complete body that was only partly kept; null if all of it was kept. */
  large(): Large | null {
    return this.#large?.end() ?? null;
  }

  /** A request still waiting for its connection ends at once, and is not sent when it gets one. */
  abort(reason: Error): void {
    this.#reason ??= reason;
    if (this.#controller) this.#controller.abort(this.#reason);
    else this.#reject(this.#reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#reason) controller.abort(this.#reason);
    else this.#options.timeouts.begin(controller);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Interim answers don't matter here.
    if (statusCode < 200) return;
    const { timeouts, bodyMs, reading } = this.#options;
    const header = headers['retry-after'];
    this.#head = { statusCode, retryAfter: Array.isArray(header) ? header[0] : header };
    const wanted = reading(this.#head);
    timeouts.end();
    if (wanted instanceof Error) return controller.abort(wanted);
    this.#reading = wanted;
    this.#timer = setTimeout(() => controller.abort(new errors.BodyTimeoutError()), bodyMs);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { kept, beyond, most } = this.#reading;
    const before = this.#size;
    this.#size += chunk.length;
    if (this.#size > kept && kept < most) {
      if (this.#large === null) {
        this.#large = new LargeAnswer();
        for (const earlier of this.#chunks) this.#large.push(earlier);
      }
      this.#large.push(chunk);
    }
    if (before < kept + beyond) this.#chunks.push(chunk.subarray(0, kept + beyond - before));
    if (this.#size > most) controller.abort(new AnswerTooLarge());
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    if (this.#head) this.#resolve(this.#head);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#timer);
    this.#reject(error);
  }
}

interface Large extends CutAnswer {
  /** The documented fields of the record; null if the body is no record. */
  readonly record: Readonly<Record<string, unknown>> | null;
}

/** Scans an answer that is not kept whole as it arrives. */
class LargeAnswer {
  readonly #hash = createHash('sha256');
  readonly #record = new RecordScanner();
  #bytes = 0;

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#record.push(chunk);
  }

  /** Call once, at the end of the body. */
  end(): Large {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex'), record: this.#record.end() };
  }
}
