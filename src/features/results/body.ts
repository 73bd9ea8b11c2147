import type { IncomingMessage } from 'node:http';

/** All bodies that are being received at once. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

export type Body =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'tooLarge' | 'noRoom' }
  /** Its sender broke it off. */
  | { readonly kind: 'broken' };

/** Receives bodies, none of them larger than it may be, and all of them no larger than memory bears. */
export class Bodies {
  #held = 0;

  /** Calls `use` with what came; its room is given back after that. */
  async with<T>(request: IncomingMessage, limit: number, use: (body: Body) => Promise<T>): Promise<T> {
    let size = 0;
    try {
      return await use(await this.#receive(request, limit, (bytes) => (size += bytes)));
    } finally {
      this.#held -= size;
    }
  }

  async #receive(request: IncomingMessage, limit: number, hold: (bytes: number) => number): Promise<Body> {
    // A length is a promise; what comes is counted anyway.
    if (Number(request.headers['content-length'] ?? 0) > limit) return { kind: 'tooLarge' };
    const chunks: Buffer[] = [];
    // Left early it would take the connection with it, and the answer.
    const stream: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
    try {
      for await (const chunk of stream) {
        this.#held += chunk.length;
        if (hold(chunk.length) > limit) return { kind: 'tooLarge' };
        if (this.#held > MOST_HELD_BYTES) return { kind: 'noRoom' };
        chunks.push(chunk);
      }
    } catch {
      return { kind: 'broken' };
    }
    return request.complete ? { kind: 'whole', bytes: Buffer.concat(chunks) } : { kind: 'broken' };
  }
}
