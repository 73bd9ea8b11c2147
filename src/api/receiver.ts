import { createHash } from 'node:crypto';
import { errors, type Dispatcher } from 'undici';
import type { CutAnswer } from '../core/domain/keptAnswer.ts';
import { RecordScanner } from './recordScanner.ts';
import type { UploadTimeouts } from './uploadTimeouts.ts';

/*
 * What comes back for one request:
 *
 *   waiting for a connection ──onRequestStart──▶ sending ──onResponseStart──▶ reading ──▶ ended, or failed
 *
 * undici's own `request` gives the body as a stream, which costs as much as all the rest of a short answer.
 */

export interface Head {
  readonly statusCode: number;
  readonly retryAfter: string | undefined;
}

/** Bytes of a body. */
export interface Reading {
  /** A larger one is looked at as it comes, and only its beginning is kept. */
  readonly kept: number;
  /** So much of the beginning goes beyond `kept`. */
  readonly beyond: number;
  /** Of a larger one the rest is not read. */
  readonly most: number;
}

export interface ReceiverOptions {
  readonly timeouts: UploadTimeouts;
  /** For the whole body, in milliseconds. */
  readonly bodyMs: number;
  /** How much of the body is wanted, once the head is known; or why none of it is, nor its connection. */
  readonly reading: (head: Head) => Reading | Error;
}

class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE';
}

/** A success that came before the whole request had been handed over can't be one of the whole. */
export class AnsweredEarly extends Error {
  readonly code = 'ANSWERED_EARLY';
}

export class Receiver implements Dispatcher.DispatchHandler {
  readonly #options: ReceiverOptions;
  readonly #chunks: Buffer[] = [];
  #resolve: (head: Head) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #controller: Dispatcher.DispatchController | null = null;
  #reason: Error | null = null;
  #head: Head | null = null;
  #reading: Reading = { kept: 0, beyond: 0, most: 0 };
  #size = 0;
  #large: LargeAnswer | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** Resolves its head at the end of the answer; rejects with what kept it from coming. */
  readonly ended = new Promise<Head>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  /** Of the answer, once it has come. */
  get head(): Head | null {
    return this.#head;
  }

  /** As much of the body as has come and is kept. */
  text(): string {
    // The first bytes of a character whose end is not kept are no character.
    return new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: this.#large !== null });
  }

  /** Of a body that has ended and was kept in part; null where it was kept whole. */
  large(): Large | null {
    return this.#large?.end() ?? null;
  }

  /** One that waits for its connection is over at once, and nothing is sent when it has it. */
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
    // Interim answers say nothing here.
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
  /** The documented fields of the whole record; null: it is none. */
  readonly record: Readonly<Record<string, unknown>> | null;
}

/** What is found out about an answer that is not kept whole, while it comes. */
class LargeAnswer {
  readonly #hash = createHash('sha256');
  readonly #record = new RecordScanner();
  #bytes = 0;

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#hash.update(chunk);
    this.#record.push(chunk);
  }

  /** Once. */
  end(): Large {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex'), record: this.#record.end() };
  }
}
