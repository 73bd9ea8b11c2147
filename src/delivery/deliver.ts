import { BYTES_MISSING, type Document, type EndpointKey } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import { classify } from '../core/domain/outcome.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { ReceiptService, TokenSource } from '../core/ports/service.ts';
import type { Spool } from '../core/ports/spool.ts';
import type { ByteBudget } from './payload/byteBudget.ts';
import type { Holds } from './holds/holds.ts';
import type { PayloadStore } from './payload/payloadStore.ts';
import { locateBytes, type OpenFolder } from './payload/locateBytes.ts';
import type { Recorder } from './record.ts';
import type { SendPermit } from './sendPermit.ts';
import { retryAfterOf } from './retryAfter.ts';

export interface DeliverDeps {
  readonly ledger: Ledger;
  readonly service: ReceiptService;
  /** Tokens of the account that the endpoint uses. */
  readonly tokens: (endpoint: EndpointKey) => TokenSource;
  readonly holds: Holds;
  readonly payloads: PayloadStore;
  readonly spool: Pick<Spool, 'read'>;
  readonly memory: ByteBudget;
  readonly open: OpenFolder;
  readonly recorder: Recorder;
  readonly contentType: (type: ImageType) => string;
  readonly clock: Clock;
  /** Documents that were answered with 401 and wait for their replay in the queue. */
  readonly replays: Set<number>;
  /** Documents whose bytes are missing, and since when (monotonic milliseconds). */
  readonly missingSince: Map<number, number>;
  /**
   * Whether the watched folders that matter for a document of `folder` have been listed since `since` (monotonic). If not,
   * they are listed again soon.
   */
  readonly lookedThrough: (folder: string, since: number) => boolean;
  /** The service accepted the document: another request may begin while the outcome is recorded. */
  readonly onAccepted: () => void;
}

/** Grace before a missing file counts as lost: it may just have been renamed or moved. */
const MISSING_GRACE_MS = 15_000;
/** Longest interval of the search for missing bytes; the intervals grow. */
const MISSING_RETRY_AT_MOST_MS = 60_000;
/** Cap on documents whose missing bytes are tracked at once; the others wait their turn. */
const MISSING_AT_ONCE = 50_000;
const AWAY_RETRY_MS = 30_000;
const HELD_ELSEWHERE = {
  reason: 'HELD_BACK',
  message: 'Another agent has put its service or endpoint on hold.',
};

/**
 * Sends one claimed document and records the outcome. `permit` is used or given back. Aborting ends the request in flight; the next start marks its open attempt `unknown`.
 * Resolves true if the document left the queue.
 */
export async function deliver(
  document: Document,
  permit: SendPermit,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { memory, payloads } = deps;
  await memory.take(document.size);
  let bytes: Buffer | null = null;
  let end: Sent = NOT_SENT;
  try {
    bytes = payloads.take(document.id) ?? (await fetchBytes(document, deps));
    if (!bytes) return await release(document, permit, deps);
    deps.missingSince.delete(document.id);
    await payloads.sending(document, bytes);
    const token = await fetchToken(document, deps, signal);
    if (!token || !permit.isOpen || !(await permit.enter())) return await release(document, permit, deps);
    end = await send(document, bytes, token, permit, deps, signal);
    return end.isSettled;
  } finally {
    permit.cancel();
    try {
      if (end.isAccepted) payloads.accepted(document, end.isTaken ? bytes : null);
      else if (bytes) await payloads.returned(document, bytes, end.isSettled);
    } finally {
      memory.giveBack(document.size);
    }
  }
}

/** Gives back permit and claim of a document that is not sent after all. */
async function release(document: Document, permit: SendPermit, deps: DeliverDeps): Promise<false> {
  permit.cancel();
  await deps.ledger.release([document.id]);
  return false;
}

interface Sent {
  readonly isSettled: boolean;
  readonly isAccepted: boolean;
  /** No request reads the bytes any more; false if unknown. */
  readonly isTaken: boolean;
}

const NOT_SENT: Sent = { isSettled: false, isAccepted: false, isTaken: false };

async function send(
  document: Document,
  bytes: Buffer,
  firstToken: string,
  permit: SendPermit,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<Sent> {
  const { endpoint, name, type } = document;
  const { service, recorder, replays } = deps;
  let token = firstToken;
  let begun = 0;
  /** Requests that may still read the bytes. */
  let looking = 0;
  const onTaken = (): void => {
    looking -= 1;
  };
  for (let replayed = replays.delete(document.id); ; replayed = true) {
    const attemptId = await begin(document, bytes.length, deps);
    if (attemptId === 'accepted') return { isSettled: true, isAccepted: true, isTaken: looking === 0 };
    if (attemptId === 'held') {
      permit.cancel();
      if (begun === 0) await deps.ledger.release([document.id]);
      else await recorder.giveBack(document, HELD_ELSEWHERE, signal);
      return NOT_SENT;
    }
    begun += 1;
    const upload = { endpoint, name, bytes, mediaType: deps.contentType(type), token };
    looking += 1;
    const answer = await permit.leave(
      attemptId,
      (onStart) => service.upload(upload, signal, { onStart, onTaken }),
      signal,
    );
    if (typeof answer === 'string') {
      await recorder.notLeft(document, attemptId, answer, signal);
      return NOT_SENT;
    }
    const outcome = classify(answer, {
      endpoint,
      name,
      // A resent document was accepted before, so the service has it too.
      answerLost: document.answerLost || document.serviceStatus !== null,
    });
    if (outcome.kind === 'accepted') deps.onAccepted();
    if (outcome.kind !== 'unauthorized' || replayed) {
      const isSettled = await recorder.record(document, attemptId, answer, outcome, signal);
      return { isSettled, isAccepted: outcome.kind === 'accepted', isTaken: looking === 0 };
    }
    // The token has expired or was withdrawn: one new token for everybody, one replay (interface section 5).
    deps.tokens(endpoint).refused(token);
    await recorder.replay(attemptId, outcome.message, signal);
    const renewed = await fetchToken(document, deps, signal);
    if (!renewed || !(await permit.renew(signal))) {
      if (renewed) replays.add(document.id);
      const isSettled = await recorder.giveBack(document, outcome, signal);
      return { isSettled, isAccepted: false, isTaken: false };
    }
    token = renewed;
  }
}

/**
 * Resolves the attempt's id, or why there is nothing to send: a result accepted the document since the claim, or another agent put it
 * on hold.
 */
async function begin(
  { id }: Document,
  bytes: number,
  { ledger, holds, clock }: DeliverDeps,
): Promise<number | 'accepted' | 'held'> {
  try {
    return await ledger.begin(id, clock.now(), bytes);
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'DOCUMENT_HELD') {
      // The hold must be known before the document can be claimed again. On failure, a later poll reads it.
      await holds.takeShared().catch(() => {});
      return 'held';
    }
    const isOfState = error instanceof ReceiptdError && error.code === 'DOCUMENT_STATE';
    if (!isOfState || (await ledger.document(id))?.state !== 'accepted') throw error;
    await ledger.release([id]);
    return 'accepted';
  }
}

/** Null without a token; the service or credentials are on hold then. */
async function fetchToken(
  document: Document,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await deps.tokens(document.endpoint).token(signal);
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    const why = { reason: error.code, message: error.sentence() };
    if (error.kind === 'credentials') await deps.holds.holdCredentials(document, why);
    else await deps.holds.serviceTrouble(document, why, retryAfterOf(error));
    return null;
  }
}

/** Null if the bytes are unavailable; the document is postponed or marked lost then. */
async function fetchBytes(document: Document, deps: DeliverDeps): Promise<Buffer | null> {
  const { ledger, clock, missingSince } = deps;
  // Read before the search: a file that is admitted during it must not be missed.
  const isSearched = isSearchedFor(document, deps);
  const found = await locateBytes(document, deps);
  if (found.kind === 'bytes') return found.bytes;
  const now = clock.now();
  if (found.kind === 'away') {
    missingSince.delete(document.id);
    await ledger.postpone(document.id, now + AWAY_RETRY_MS, 'FILE_AWAY', found.message, now);
  } else if (isSearched) {
    await deps.recorder.lost(document, found);
    missingSince.delete(document.id);
  } else {
    const waitMs = Math.min(Math.max(missingMs(document, deps), MISSING_GRACE_MS), MISSING_RETRY_AT_MOST_MS);
    await ledger.postpone(document.id, now + waitMs, BYTES_MISSING, found.message, now);
  }
  return null;
}

/** Whether every place that the file may have moved to has been searched. */
function isSearchedFor(
  { id, folder }: Document,
  { clock, missingSince, lookedThrough }: DeliverDeps,
): boolean {
  const since = missingSince.get(id);
  if (since === undefined || clock.monotonic() - since < MISSING_GRACE_MS) return false;
  return lookedThrough(folder, since);
}

/** How long the bytes have been missing; the first call starts the search. */
function missingMs({ id, folder }: Document, { clock, missingSince, lookedThrough }: DeliverDeps): number {
  const now = clock.monotonic();
  const since = missingSince.get(id);
  if (since !== undefined) return now - since;
  if (missingSince.size < MISSING_AT_ONCE) {
    missingSince.set(id, now);
    lookedThrough(folder, now);
  }
  return 0;
}
