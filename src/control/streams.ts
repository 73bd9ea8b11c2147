import type { StreamDescription } from './protocol/streams.ts';

/** A GET request answered with something other than one JSON object. */
export interface StreamRoute extends StreamDescription {
  /** A ReceiptdError reaches the caller unchanged if thrown before the headers are sent; later errors cut the connection. */
  readonly serve: (request: StreamRequest) => Promise<StreamReply>;
}

export interface StreamRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Entity tags from If-None-Match. */
  readonly known: readonly string[];
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface StreamReply {
  /** Default: 200. */
  readonly status?: 304 | 404 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<string | Uint8Array>;
}

export async function* once<T>(part: T): AsyncGenerator<T> {
  yield part;
}
