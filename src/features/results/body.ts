import type { IncomingMessage } from 'node:http';

/** Cap on all bodies being received at once. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'tooLarge' | 'noRoom' }
  /** The sender aborted it. */
  | { readonly kind: 'broken' };

/** Receives request bodies, with a limit for each and one for all together. */
export class Bodies {
  readonly #room: number;
  #held = 0;

  /** `room`: bytes that all of them may take at once. */
  constructor(room = MOST_HELD_BYTES) {
    this.#room = room;
  }

  /** Calls `use` with the body, and frees its memory afterwards. */
  async with<T>(request: IncomingMessage, limit: number, use: (body: Body) => Promise<T>): Promise<T> {
    let size = 0;
    try {
      return await use(await this.#receive(request, limit, (bytes) => (size += bytes)));
    } finally {
      this.#held -= size;
    }
  }

  async #receive(request: IncomingMessage, limit: number, hold: (bytes: number) => number): Promise<Body> {
    // Content-Length may be wrong, so the bytes are counted too.
    if (Number(request.headers['content-length'] ?? 0) > limit) return { kind: 'tooLarge' };
    const chunks: Buffer[] = [];
    // Leaving the iterator early would destroy the connection before the answer is sent.
    const stream: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
    try {
      for await (const chunk of stream) {
        this.#held += chunk.length;
        if (hold(chunk.length) > limit) return { kind: 'tooLarge' };
        if (this.#held > this.#room) return { kind: 'noRoom' };
        chunks.push(chunk);
      }
    } catch {
      return { kind: 'broken' };
    }
    return request.complete ? { kind: 'whole', bytes: Buffer.concat(chunks) } : { kind: 'broken' };
  }
}
