interface Request {
  readonly attempt: number;
  readonly epoch: number;
}

/**
 * The upload requests that this process has begun and not ended, by document. What the ledger has under way for this agent and is
 * not here, nobody will end: a server that took over may lack the last commits of the one before.
 */
export class Underway {
  readonly #requests = new Map<number, Request>();

  /** Within the transaction that begins it: also one whose COMMIT is not answered counts. */
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

  /** Whether it was begun under this epoch. */
  isOf(attempt: number, epoch: number): boolean {
    const documentId = this.documentOf(attempt);
    return documentId !== undefined && this.#requests.get(documentId)?.epoch === epoch;
  }

  clear(): void {
    this.#requests.clear();
  }
}
