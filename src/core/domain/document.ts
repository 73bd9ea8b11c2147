import type { ImageType } from './imageType.ts';

/**
 * The agent's state of a document. The service's own status (`PROCESSING`, ...) is a separate field.
 *
 *   queued ──▶ uploading ──▶ accepted
 *     ▲            ├──▶ queued       trouble of the service or the endpoint; not before T
 *     │            ├──▶ failed       the service's verdict on this document; a person decides
 *     │            ├──▶ unconfirmed  the service may have it already; a person decides
 *     │            └──▶ lost         its bytes were gone before they could be sent
 *     └── a person's retry, or a failed or lost image is seen again
 *
 * At start `uploading` becomes `queued` again, and its open attempt is marked `unknown`.
 */
export const DOCUMENT_STATES = ['queued', 'uploading', 'accepted', 'failed', 'unconfirmed', 'lost'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

/** Reason of a queued document whose bytes are missing and being searched for. */
export const BYTES_MISSING = 'BYTES_MISSING';
/** Reason of a queued document whose bytes only the agent may have that admitted it. */
export const BYTES_ELSEWHERE = 'BYTES_ELSEWHERE';
/** Why a document failed that a person moved to another endpoint. */
export const MOVED = 'MOVED';

/** Fresh scans overtake the backlog. */
export type Lane = 'fresh' | 'backlog';

/** An endpoint as the service knows it; never a local alias, which may be renamed (promise P2). */
export interface EndpointKey {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly uid: string;
}

/** The latest one: each lookup would hash a new text again, and nearly all of them are for the same endpoint. */
let latest = { baseUrl: '', uid: '', id: '#' };

export function endpointId({ baseUrl, uid }: EndpointKey): string {
  if (latest.uid !== uid || latest.baseUrl !== baseUrl) latest = { baseUrl, uid, id: `${baseUrl}#${uid}` };
  return latest.id;
}

/** The endpoint with this id; null if it is none. */
export function endpointOf(id: string): EndpointKey | null {
  const at = id.lastIndexOf('#');
  return at < 0 ? null : { baseUrl: id.slice(0, at), uid: id.slice(at + 1) };
}

/** `lstat` fields that change whenever the content may have changed. */
export interface FileIdentity {
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly inode: bigint;
}

export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.inode === b.inode;
}

/**
 * Whether a file is, by its metadata, the one that was recorded. One that was left alone is, as long as its size and the time of its content stay: a
 * changed owner or mode, or a copy put back in its place, is no reason to send it.
 */
export function isAsRecorded(
  recorded: { readonly verdict: string; readonly identity: FileIdentity },
  now: FileIdentity,
): boolean {
  const { verdict, identity } = recorded;
  const isAlike = identity.size === now.size && identity.mtimeNs === now.mtimeNs;
  return verdict === 'skipped' ? isAlike : sameIdentity(identity, now);
}

/** A file in a watched folder. `folder` is the absolute path; `path` is relative to it, with `/`. */
export interface FileRef {
  readonly folder: string;
  readonly path: string;
}

/** One image under its unique name in an endpoint. Times are wall-clock milliseconds. */
export interface Document {
  readonly id: number;
  readonly endpoint: EndpointKey;
  readonly folder: string;
  /** Path of the first file, relative to `folder`. */
  readonly path: string;
  readonly name: string;
  readonly sha256: string;
  readonly type: ImageType;
  /** Bytes. */
  readonly size: number;
  readonly lane: Lane;
  readonly state: DocumentState;
  /** Why it is not accepted yet: a code listed in docs/documents.md, and a sentence. */
  readonly reason: string | null;
  readonly message: string | null;
  /** The service's status, verbatim (interface 2.2). */
  readonly serviceStatus: string | null;
  /** Upload requests sent so far, replays included. */
  readonly attempts: number;
  /** Answers about the service or the endpoint that this document may have caused. Many park it if others are accepted meanwhile. */
  readonly oddAnswers: number;
  /** The service may have stored an earlier attempt whose answer was lost. */
  readonly answerLost: boolean;
  readonly notBefore: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Erasure clears the path, even if a document of another endpoint still uses the same image. */
export function isErased({ path }: Pick<Document, 'path'>): boolean {
  return path === '';
}

/** What happened to a file in a watched folder. */
export const VERDICTS = [
  'document',
  'duplicate',
  /** Its pages are, or will be, separate documents. */
  'split',
  'rejected',
  'skipped',
  'incomplete',
  'unreadable',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One upload request. `unknown`: the answer was lost, so the service may have the document. */
/** `refused`: a verdict about the document. `limited`: the service asked to send less. */
export const ATTEMPT_OUTCOMES = ['accepted', 'refused', 'limited', 'trouble', 'unknown', 'notSent'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export interface Attempt {
  readonly id: number;
  readonly startedAt: number;
  /** Null while it runs, and after a crash until the next start. */
  readonly finishedAt: number | null;
  readonly outcome: AttemptOutcome | null;
  readonly httpStatus: number | null;
  /** Request body size in bytes. */
  readonly bytes: number;
  readonly message: string | null;
}
