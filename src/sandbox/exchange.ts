import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxReply } from './reply.ts';
import type { UploadEnding } from './stats.ts';

/**
 * One request and its answer:
 *
 *   open ──send──▶ answered
 *     ├────cut──▶ cut
 *     └── the client goes away ──▶ aborted, or stalled if it was made to wait forever
 *
 * `ended` is called exactly once, just *before* the answer is sent: a client that has seen its answer may send the next request at
 * once, and must not be counted twice.
 */
export class SandboxExchange {
  readonly request: IncomingMessage;
  /** Kept here, because a destroyed request no longer has its socket. */
  readonly #socket: Socket;
  readonly #response: ServerResponse;
  readonly #ended: (ending: UploadEnding) => void;
  readonly #gone = new AbortController();
  #open = true;
  #stalled = false;

  constructor(request: IncomingMessage, response: ServerResponse, ended: (ending: UploadEnding) => void) {
    this.request = request;
    this.#socket = request.socket;
    this.#response = response;
    this.#ended = ended;
    response.once('close', () => {
      this.#end(this.#stalled ? 'stalled' : 'aborted');
      this.#gone.abort();
    });
  }

  /** Whether an answer can still reach the client. */
  get answerable(): boolean {
    return this.#open && !this.#socket.destroyed;
  }

  send(reply: SandboxReply): void {
    if (!this.#end(reply.status)) return;
    this.#response.writeHead(reply.status, this.#headers(reply));
    this.#response.end(reply.body);
  }

  /** Streams a body too long to build as one string. */
  async sendPieces(pieces: Iterable<string>, headers: Readonly<Record<string, string>>): Promise<void> {
    if (!this.#end(200)) return;
    this.#response.writeHead(200, headers);
    for (const piece of pieces) {
      if (this.#response.write(piece)) continue;
      await new Promise<void>((resolve) => {
        this.#response.once('drain', resolve).once('close', resolve);
      });
      if (this.#response.destroyed) return;
    }
    this.#response.end();
  }

  /** Sends the head and half of the body; the rest never comes. */
  sendHalf(reply: SandboxReply): Promise<void> {
    const whole = Buffer.from(reply.body);
    this.#response.writeHead(reply.status, this.#headers(reply));
    return new Promise((resolve) => {
      this.#response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => resolve());
    });
  }

  cut(): void {
    this.#end('cut');
    this.#socket.destroy();
  }

  /** From here on, only the client or the sandbox's shutdown ends the exchange. */
  stall(): void {
    this.#stalled = true;
  }

  /** Like `stall`, but counted as ended at once: while nobody reads the body, a client that left goes unnoticed. */
  abandon(): void {
    this.#end('stalled');
  }

  /** Sleeps for that long, or until `over`. Rejects as soon as the client is gone. */
  async pause(ms: number, over: AbortSignal): Promise<void> {
    if (ms <= 0 || over.aborted) return;
    const signal = AbortSignal.any([this.#gone.signal, over]);
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      if (this.#gone.signal.aborted) throw error;
    });
  }

  #headers(reply: SandboxReply): Record<string, string | number> {
    return {
      ...reply.headers,
      'content-length': Buffer.byteLength(reply.body),
      'x-sandbox': 'receipt-analysis',
    };
  }

  #end(ending: UploadEnding): boolean {
    if (!this.#open) return false;
    this.#open = false;
    this.#ended(ending);
    return true;
  }
}
