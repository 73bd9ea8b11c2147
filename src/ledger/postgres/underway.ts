interface Request {
  readonly attempt: number;
  readonly epoch: number;
}

/**
 * Upload requests that this process has begun and not ended, by document. Requests that the ledger has for this agent
 * but that are missing here will never be ended: after a failover, the new server may lack the last commits of the old
 * one.
 */
export class Underway {
  readonly #requests = new Map<number, Request>();

  /** Call within the transaction that begins the request: it counts even if its COMMIT is not answered. */
  begun(documentId: number, attempt: number, epoch: number): void {
    this.#requests.set(documentId, { attempt, epoch });
  }

  over(documentId: number): void {
    this.#requests.delete(documentId);
  }

  ended(attempt: number): void {
    const documentId = this.documentOf(attempt);
    if (documentId !== undefined) this.#requests.delete(documentId);
  }

  has(documentId: number): boolean {
    return this.#requests.has(documentId);
  }

  documentOf(attempt: number): number | undefined {
    for (const [documentId, request] of this.#requests) if (request.attempt === attempt) return documentId;
    return undefined;
  }

  /** Whether the attempt was begun in this epoch. */
  isOf(attempt: number, epoch: number): boolean {
    const documentId = this.documentOf(attempt);
    return documentId !== undefined && this.#requests.get(documentId)?.epoch === epoch;
  }

  clear(): void {
    this.#requests.clear();
  }
}
