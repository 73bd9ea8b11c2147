import type { EndpointKey } from '../domain/document.ts';
import type { Answer } from '../domain/outcome.ts';

export interface UploadRequest {
  readonly endpoint: EndpointKey;
  /** Sent unchanged in the `name` query parameter (interface 4.4). */
  readonly name: string;
  readonly bytes: Buffer;
  readonly mediaType: string;
  readonly token: string;
}

/** Interface 2.4. */
export interface Whoami {
  readonly company: string;
  readonly message: string;
}

export interface EndpointRequest {
  readonly name: string;
  readonly outgoingUrl?: string;
  readonly dominantLanguage?: string;
  /** Whose credentials are used; null or left out: the default account's. */
  readonly account?: string | null;
}

/** Interface 2.1. `verbatim` is the whole record as received. */
export interface EndpointRecord {
  readonly uid: string;
  readonly name: string;
  readonly verbatim: string;
}

/** Progress callbacks of a request. */
export interface UploadProgress {
  /** Called just before the request head is written, after any wait for a connection; not called if no connection is made. */
  readonly onStart?: () => void;
  /** The image's bytes are no longer read, so the buffer can be reused. Called before the answer resolves; else that is unknown. */
  readonly onTaken?: () => void;
}

/** The receipt analysis service. Does not interpret answers: domain/outcome.ts does. */
export interface ReceiptService {
  /** One upload request; not idempotent. Rejects only on abort: every failure is an answer. */
  upload(request: UploadRequest, signal: AbortSignal, progress?: UploadProgress): Promise<Answer>;
  /** Idempotent. @throws ReceiptdError CREDENTIALS_*, SERVICE_* */
  whoami(signal?: AbortSignal, account?: string | null): Promise<Whoami>;
  /** Not idempotent, and never retried automatically. @throws ReceiptdError CREATE_UNCERTAIN if the answer was lost. */
  createEndpoint(request: EndpointRequest, signal?: AbortSignal): Promise<EndpointRecord>;
  /** Call after the machine slept: drops idle connections, which may be dead. Requests in progress continue. */
  dropIdle?(): void;
  close(): Promise<void>;
}

/** Access tokens of one account (interface 4.1, 5): cached, refreshed early, one shared request at a time. */
export interface TokenSource {
  /** @throws ReceiptdError CREDENTIALS_* (hold), SERVICE_UNREACHABLE or SERVICE_ANSWER (back off) */
  token(signal?: AbortSignal): Promise<string>;
  /** Reports that `token` was answered with 401; the next `token()` requests a new one unless it was already replaced. */
  refused(token: string): void;
}
