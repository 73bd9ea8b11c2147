import type { Document, EndpointKey } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import { classify } from '../core/domain/outcome.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { ReceiptService, TokenSource } from '../core/ports/service.ts';
import type { ByteBudget } from './payload/byteBudget.ts';
import type { BytesSearch } from './payload/bytesSearch.ts';
import type { Holds } from './holds/holds.ts';
import type { PayloadStore } from './payload/payloadStore.ts';
import type { Recorder } from './record.ts';
import type { SendPermit } from './sendPermit.ts';
import { ofError } from '../core/domain/why.ts';

export interface DeliverDeps {
  readonly ledger: Ledger;
  readonly service: ReceiptService;
  /** Tokens of the account that the endpoint uses. */
  readonly tokens: (endpoint: EndpointKey) => TokenSource;
  readonly holds: Holds;
  readonly payloads: PayloadStore;
  readonly search: BytesSearch;
  readonly memory: ByteBudget;
  readonly recorder: Recorder;
  readonly contentType: (type: ImageType) => string;
  readonly clock: Clock;
  /** Documents that were answered with 401 and wait for their replay in the queue. */
  readonly replays: Set<number>;
}

const HELD_ELSEWHERE = {
  reason: 'HELD_BACK',
  why: { is: 'heldByAnother' as const },
};

/**
 * Sends one claimed document and records the outcome. `permit` is used or given back. Aborting ends the request in flight; the next start marks its open attempt `unknown`.
 * Resolves true if the document left the queue.
 */
export async function deliver(
  document: Document,
  permit: SendPermit,
  onAccepted: () => void,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { memory, payloads, search } = deps;
  await memory.take(document.size);
  let bytes: Buffer | null = null;
  let end: Sent = NOT_SENT;
  try {
    bytes = payloads.take(document.id) ?? (await search.fetch(document));
    if (!bytes) return await release(document, permit, deps);
    search.end(document.id);
    await payloads.sending(document, bytes);
    const token = await fetchToken(document, deps, signal);
    if (!token || !permit.isOpen || !(await permit.enter())) return await release(document, permit, deps);
    end = await send(document, bytes, token, permit, onAccepted, deps, signal);
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
  onAccepted: () => void,
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
    if (outcome.kind === 'accepted') onAccepted();
    if (outcome.kind !== 'unauthorized' || replayed) {
      const isSettled = await recorder.record(document, attemptId, answer, outcome, signal);
      return { isSettled, isAccepted: outcome.kind === 'accepted', isTaken: looking === 0 };
    }
    // The token has expired or was withdrawn: one new token for everybody, one replay (interface section 5).
    deps.tokens(endpoint).refused(token);
    await recorder.replay(attemptId, outcome.why, signal);
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
    const why = { reason: error.code, why: ofError(error) };
    if (error.kind === 'credentials') await deps.holds.holdCredentials(document, why);
    else await deps.holds.serviceTrouble(document, why, error.retryAfterMs);
    return null;
  }
}
