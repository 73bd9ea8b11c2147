import type { EndpointKey } from '../domain/document.ts';
import type { Answer } from '../domain/outcome.ts';

export interface UploadRequest {
  readonly endpoint: EndpointKey;
  /** Goes into the `name` query parameter intact (interface 4.4). */
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

/** Interface 2.1. `verbatim` is the whole record as it came. */
export interface EndpointRecord {
  readonly uid: string;
  readonly name: string;
  readonly verbatim: string;
}

/** What happens to a request while it is under way. */
export interface UploadProgress {
  /** Its head is about to be written, after any wait for a connection; not called where it comes to none. */
  readonly onStart?: () => void;
  /** No byte of the image is looked at any more. Before the answer resolves, or not at all: then that is not known. */
  readonly onTaken?: () => void;
}

/** The receipt analysis service. It judges nothing: what an answer means stands in domain/outcome.ts. */
export interface ReceiptService {
  /** One upload request; not idempotent. Never rejects but on abort: every fault is an answer. */
  upload(request: UploadRequest, signal: AbortSignal, progress?: UploadProgress): Promise<Answer>;
  /** Idempotent. @throws ReceiptdError CREDENTIALS_*, SERVICE_* */
  whoami(signal?: AbortSignal, account?: string | null): Promise<Whoami>;
  /** Not idempotent, and never repeated by itself. @throws ReceiptdError CREATE_UNCERTAIN if the answer was lost. */
  createEndpoint(request: EndpointRequest, signal?: AbortSignal): Promise<EndpointRecord>;
  /** The machine was asleep: connections that were open before are not relied on. Those under way go on. */
  dropIdle?(): void;
  close(): Promise<void>;
}

/** Access tokens of one account (interface 4.1, 5): cached, refreshed early, one request at a time for everybody. */
export interface TokenSource {
  /** @throws ReceiptdError CREDENTIALS_* (hold), SERVICE_UNREACHABLE or SERVICE_ANSWER (back off) */
  token(signal?: AbortSignal): Promise<string>;
  /** Says that `token` was answered with 401; the next `token()` asks for a new one unless that happened already. */
  refused(token: string): void;
}
