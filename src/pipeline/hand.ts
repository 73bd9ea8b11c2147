/**
 * Bytes in hand: an image just admitted is sent from memory if its turn comes soon, so that it is read once.
 * What does not fit is read again later and its hash checked.
 */
export class Hand {
  readonly #limit: number;
  #held = 0;
  readonly #bytes = new Map<number, Buffer>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(documentId: number, bytes: Buffer): void {
    if (this.#held + bytes.length > this.#limit || this.#bytes.has(documentId)) return;
    this.#bytes.set(documentId, bytes);
    this.#held += bytes.length;
  }

  take(documentId: number): Buffer | undefined {
    const bytes = this.#bytes.get(documentId);
    if (bytes) {
      this.#bytes.delete(documentId);
      this.#held -= bytes.length;
    }
    return bytes;
  }
}
