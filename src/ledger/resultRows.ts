import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { DocumentState } from '../core/domain/document.ts';
import { readPosted, type Posted } from '../core/domain/posted.ts';
import { postedWords } from '../core/domain/search.ts';
import type { NewResult, PayloadEncoding, ResultRow } from '../core/ports/results.ts';
import type { LedgerEvent, Move } from './events.ts';

/** A payload as it is stored. */
export interface KeptPayload {
  readonly encoding: PayloadEncoding;
  readonly payload: string;
  readonly sha256: string;
}

/** The document that a result is about. */
export interface Match {
  readonly id: number;
  readonly state: DocumentState;
  readonly attempts: number;
  readonly answerLost: number;
  readonly serviceStatus: string | null;
  readonly response: string | null;
  /** The service was known to have it, from an answer or a result. */
  readonly wasThere: boolean | number;
}

/**
 * Whether the result proves an acceptance that no answer reported. False for a queued document that the service was known to
 * have (a person queued it to be sent again), and for a `failed` one: a person judges the service's verdict on it.
 */
function wasMissing({ state, answerLost, wasThere }: Match): boolean {
  if (state === 'unconfirmed') return true;
  if (state === 'lost') return answerLost === 1;
  return state === 'queued' && answerLost === 1 && !wasThere;
}

type EventOf<Kind extends LedgerEvent['kind']> = Extract<LedgerEvent, { kind: Kind }>;

export function resultEvent(
  result: number,
  { status, name, uid, payload: { length: size } }: NewResult,
  { sha256, encoding, payload }: KeptPayload,
  match: Match | undefined,
): EventOf<'result'> {
  const of = { document: match?.id ?? null, attempts: match?.attempts ?? null };
  const given = { givenName: match ? null : name, givenUid: uid };
  return { kind: 'result', result, ...of, status, sha256, size, encoding, payload, ...given };
}

/** The acceptance that the result proves; null if it proves none. */
export function provenBy({ status }: NewResult, match: Match | undefined): EventOf<'moved'> | null {
  if (!match || !wasMissing(match)) return null;
  const { id, serviceStatus, response } = match;
  return { kind: 'moved', documents: [id], state: 'accepted', status: status ?? serviceStatus, response };
}

/** What results have reported when the document's last upload request ends; see `SINCE_LAST_ATTEMPT`. */
export interface SinceLastAttempt {
  readonly serviceStatus: string | null;
  readonly response: string | null;
  readonly answerLost: number;
  readonly results: number;
  readonly ofReplay: number;
  readonly statuses: number;
  readonly wasThere: number;
}

/**
 * Combines the end of a request with results that came before its answer. The answer is older than they are, so their
 * status wins. If this request's answer was lost, a result since its beginning replaces it. If an earlier answer was
 * lost, so does a result since the upload began, which includes its replay after a 401.
 */
export function besideThese(
  { serviceStatus: status, response, answerLost, results, ofReplay, statuses, wasThere }: SinceLastAttempt,
  move: Move,
): Move {
  if (move.state === 'accepted') return statuses > 0 ? { ...move, status } : move;
  const isLost = move.state === 'unconfirmed' || ('answerLost' in move && move.answerLost);
  // A document that the service is known to have is resent because a person asked: the result may be about an earlier request.
  const wasLost = answerLost === 1 && wasThere === 0;
  const isProof = (isLost && results > 0) || (wasLost && ofReplay > 0);
  return isProof ? { state: 'accepted', status, response } : move;
}

export function keptOf(payload: Uint8Array): KeptPayload {
  return { ...textOf(payload), sha256: hash('sha256', payload, 'hex') };
}

/** Base64 if the bytes are not UTF-8, or if escaping them would take more space than Base64. */
function textOf(payload: Uint8Array): Omit<KeptPayload, 'sha256'> {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  // SQLite's own functions and other programs end a text at a NUL character; PostgreSQL allows none.
  if (isUtf8(bytes) && !bytes.includes(0) && escapes(bytes) * 6 < bytes.length / 4 + 64)
    return { encoding: 'utf8', payload: bytes.toString('utf8') };
  return { encoding: 'base64', payload: bytes.toString('base64') };
}

/** Counts control characters that JSON escapes as six; line feeds and the like take two, and are common. */
function escapes(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) count += 1;
  return count;
}

/** Columns for search and display, derived from the payload alone. */
export function postedOf({ encoding, payload }: { encoding: PayloadEncoding; payload: string | null }): {
  readonly fields: string | null;
  readonly words: string | null;
} {
  const posted = encoding === 'utf8' ? readPosted(payload) : null;
  if (posted === null) return { fields: null, words: null };
  return { fields: JSON.stringify(posted), words: postedWords(posted) };
}

/** Most results that the view of one document shows. */
export const MOST_SHOWN = 500;

/** The columns of a result that its event determines. */
export function resultParams(event: EventOf<'result'>) {
  const { result: id, document: documentId, attempts, status, sha256, size, encoding } = event;
  const { payload, givenName, givenUid } = event;
  const kept = { attempts, status, sha256, size, encoding, payload, givenName, givenUid };
  return { id, documentId, ...kept, ...postedOf(event) };
}

/** Most results of a document that lists show; `results` shows the older ones too. */
export const MOST_POSTED = 100;

/** @param fields a list of the `fields` of a document's results, newest first @returns oldest first */
export function toPosted(fields: string | null): readonly Posted[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `postedOf`
  return fields === null ? [] : (JSON.parse(fields) as readonly Posted[]).toReversed();
}

/** Columns as `sql/results.ts` names them. */
export interface StoredResult {
  readonly id: number;
  readonly receivedAt: number;
  readonly documentId: number | null;
  readonly name: string | null;
  readonly baseUrl: string | null;
  readonly uid: string | null;
  readonly status: string | null;
  readonly sha256: string;
  readonly size: number;
  readonly encoding: PayloadEncoding;
  readonly givenName: string | null;
  readonly givenUid: string | null;
  readonly turn: number;
}

export function toResultRow({ documentId, name, baseUrl, uid, ...row }: StoredResult): ResultRow {
  const { id, receivedAt, status, sha256, size, encoding, givenName, givenUid, turn } = row;
  const isKnown = documentId !== null && name !== null && baseUrl !== null && uid !== null;
  const document = isKnown ? { id: documentId, name, endpoint: { baseUrl, uid } } : null;
  return { id, receivedAt, document, status, sha256, size, encoding, givenName, givenUid, turn };
}
