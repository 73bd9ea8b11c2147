import type { UPLOADS, UploadAnswer, UploadQuery } from './protocol/sending.ts';

/** A POST request that brings the bytes of a file. */
export interface UploadRoute extends Pick<(typeof UPLOADS)['file'], 'path' | 'query'> {
  /** A ReceiptdError reaches the caller unchanged. */
  readonly receive: (upload: Upload) => Promise<UploadAnswer>;
}

export interface Upload {
  readonly query: UploadQuery;
  /** In bytes, as the caller announced it; null if it did not. */
  readonly size: number | null;
  /** Throws if the caller disconnects before the end. */
  readonly body: AsyncIterable<Buffer>;
}
