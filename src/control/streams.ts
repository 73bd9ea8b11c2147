import type { StreamDescription } from './protocol/streams.ts';

/** What is answered with something else than one JSON object. */
export interface StreamRoute extends StreamDescription {
  /** A ReceiptdError reaches the caller as it is, while nothing was answered yet. */
  readonly serve: (request: StreamRequest) => Promise<StreamReply>;
}

export interface StreamRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The tags that the caller has, of If-None-Match. */
  readonly known: readonly string[];
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

export interface StreamReply {
  /** 200 where it is left out. */
  readonly status?: 304 | 404 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<string | Uint8Array>;
}

export async function* once<T>(part: T): AsyncGenerator<T> {
  yield part;
}
