/** What is answered with something else than one JSON object: `GET`, below `/v1/`. */
export interface StreamRoute {
  /** Such as `/v1/documents/{id}/image`. */
  readonly path: string;
  /** One sentence, for the description of the interface. */
  readonly says: string;
  /** Media types that it answers with. */
  readonly types: readonly string[];
  /** Names of what it takes in the query, and what they are. */
  readonly query: Readonly<Record<string, string>>;
  /** A ReceiptdError reaches the caller as it is, while nothing was answered yet. */
  readonly serve: (request: StreamRequest) => Promise<StreamReply>;
}

export interface StreamRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

export interface StreamReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<string | Uint8Array>;
}
