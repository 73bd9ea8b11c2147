import type { StreamDescription } from './protocol/streams.ts';

/** What is answered with something else than one JSON object. */
export interface StreamRoute extends StreamDescription {
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
