import { isUtf8 } from 'node:buffer';
import type { DocumentState } from '../core/domain/document.ts';
import { readPosted, type Posted } from '../core/domain/posted.ts';
import { postedWords } from '../core/domain/search.ts';
import type { PayloadEncoding, ResultRow } from '../core/ports/results.ts';
import type { Move } from './events.ts';

/** A payload as it is kept. */
export interface KeptPayload {
  readonly encoding: PayloadEncoding;
  readonly payload: string;
  readonly sha256: string;
}

/**
 * Whether the result says what no answer did. What was known to be there and is queued was queued by a person, to be sent
 * again; and the verdict of the service on a document (`failed`) is for a person to judge.
 */
export function wasMissing({
  state,
  answerLost,
  wasThere,
}: {
  readonly state: DocumentState;
  readonly answerLost: number;
  readonly wasThere: boolean;
}): boolean {
  if (state === 'unconfirmed') return true;
  if (state === 'lost') return answerLost === 1;
  return state === 'queued' && answerLost === 1 && !wasThere;
}

/** What is known of results as the document's last upload request ends; see `SINCE_LAST_ATTEMPT`. */
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
 * How a request ends beside results that came before its answer. That answer is older than what it speaks of, so the results' status wins. Where
 * this request's answer was lost, a result that came since it began stands for it; where an earlier one was lost, so does one that came
 * since the upload began, its replay after a 401 included.
 */
export function besideThese(
  { serviceStatus: status, response, answerLost, results, ofReplay, statuses, wasThere }: SinceLastAttempt,
  move: Move,
): Move {
  if (move.state === 'accepted') return statuses > 0 ? { ...move, status } : move;
  const isLost = move.state === 'unconfirmed' || ('answerLost' in move && move.answerLost);
  // What was known to be there is sent again because a person wants that: the result may be of an earlier request.
  const wasLost = answerLost === 1 && wasThere === 0;
  const isProof = (isLost && results > 0) || (wasLost && ofReplay > 0);
  return isProof ? { state: 'accepted', status, response } : move;
}

/** Base64 where it is no UTF-8, or where so much would have to be escaped that it is shorter. */
export function textOf(payload: Uint8Array): Omit<KeptPayload, 'sha256'> {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  // SQLite's own functions, and other programs, take a zero for the end of a text; PostgreSQL has none in it.
  if (isUtf8(bytes) && !bytes.includes(0) && escapes(bytes) * 6 < bytes.length / 4 + 64)
    return { encoding: 'utf8', payload: bytes.toString('utf8') };
  return { encoding: 'base64', payload: bytes.toString('base64') };
}

/** Control characters that JSON writes as six; line feeds and the like are two, and common. */
function escapes(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) count += 1;
  return count;
}

/** What is looked for, and shown, of a payload: columns beside it, made of it alone. */
export function postedOf({ encoding, payload }: { encoding: PayloadEncoding; payload: string | null }): {
  readonly fields: string | null;
  readonly words: string | null;
} {
  const posted = encoding === 'utf8' ? readPosted(payload) : null;
  if (posted === null) return { fields: null, words: null };
  return { fields: JSON.stringify(posted), words: postedWords(posted) };
}

/** Whoever posts more about one document gets the first of it shown by `results` alone. */
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
