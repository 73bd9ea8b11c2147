import type { Document, EndpointKey } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import type { Reservation } from '../core/domain/limits.ts';
import { classify, type Answer } from '../core/domain/outcome.ts';
import type { Clock, Random } from '../core/ports/clock.ts';
import type { FleetLimits } from '../core/ports/fleet.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { ReceiptService, TokenSource } from '../core/ports/service.ts';
import type { Spool } from '../core/ports/spool.ts';
import type { ByteBudget } from './payload/byteBudget.ts';
import { enter, keepsItsTurn, spread } from './limits/fleetRateLimit.ts';
import type { Holds } from './holds/holds.ts';
import type { PayloadStore } from './payload/payloadStore.ts';
import { locateBytes, type OpenFolder } from './payload/locateBytes.ts';
import type { Pacer } from './limits/pacer.ts';
import type { Recorder } from './record.ts';
import { retryAfterOf } from './retryAfter.ts';

export interface DeliverDeps {
  readonly ledger: Ledger;
  readonly service: ReceiptService;
  /** Those of the account that an endpoint is used with. */
  readonly tokens: (endpoint: EndpointKey) => TokenSource;
  readonly pacer: Pacer;
  readonly holds: Holds;
  readonly payloads: PayloadStore;
  readonly spool: Pick<Spool, 'read'>;
  readonly memory: ByteBudget;
  readonly open: OpenFolder;
  readonly recorder: Recorder;
  readonly contentType: (type: ImageType) => string;
  readonly clock: Clock;
  readonly random: Random;
  /** Documents that were answered with 401 and wait for their replay in the queue. */
  readonly replays: Set<number>;
  /** Documents whose bytes are missing, and since when (monotonic milliseconds). */
  readonly missingSince: Map<number, number>;
  /**
   * Whether all that lay in the watched folders at `since` (monotonic) is known by now, as far as a document of `folder`
   * may wait for that. If not, they are listed again soon.
   */
  readonly lookedThrough: (folder: string, since: number) => boolean;
  /** Asked once all is at hand for a request, which may take long: false if the endpoint was closed meanwhile. */
  readonly mayGo: () => boolean;
  /** Waits for a place among the requests under way, once for a delivery. False: it is not to leave after all. */
  readonly place: () => Promise<boolean>;
  /** What the agents of a fleet keep together of the endpoint's limits. */
  readonly limits: FleetLimits;
  /** The service has it: another request may begin while that is recorded. */
  readonly onAccepted: () => void;
}

/** A file that is missing may have been renamed or moved a moment ago: it counts as lost no sooner. */
const MISSING_GRACE_MS = 15_000;
/** It is looked for at longer and longer intervals: one whose file was found under another name waits for the next. */
const MISSING_RETRY_AT_MOST_MS = 60_000;
/** The others begin their wait when these are done. */
const MISSING_AT_ONCE = 50_000;
/** A replay that would have to wait longer gives back its place, which another endpoint may need. */
const REPLAY_WAIT_MS = 2_000;
const AWAY_RETRY_MS = 30_000;
export const BYTES_MISSING = 'BYTES_MISSING';

/**
 * Sends one claimed document and records what came of it. `slot` is its place in the rate windows; it is used or
 * given back. Aborting ends the request in flight; the next start finds its attempt open and marks it `unknown`.
 * Resolves true if the document left the queue.
 */
export async function deliver(
  document: Document,
  slot: Reservation,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { payloads } = deps;
  return deps.memory.with(document.size, async () => {
    const bytes = await orCancel(
      slot,
      async () => payloads.take(document.id) ?? (await fetchBytes(document, deps)),
    );
    if (!bytes) return release(document, slot, deps);
    deps.missingSince.delete(document.id);
    let isAccepted = false;
    let isSettled = false;
    let isTaken = false;
    try {
      const token = await orCancel(slot, async () => {
        await payloads.sending(document, bytes);
        return fetchToken(document, deps, signal);
      });
      if (!token || !deps.mayGo()) return await release(document, slot, deps);
      const askedAt = deps.clock.monotonic();
      const waitMs = await orCancel(slot, () => enter(document, deps));
      if (waitMs > 0) {
        deps.pacer.defer(document.endpoint, spread(waitMs, deps));
        return await release(document, slot, deps);
      }
      const end = await send(document, bytes, { token, slot, askedAt }, deps, signal);
      ({ isAccepted, isSettled, isTaken } = end);
      return isSettled;
    } finally {
      if (isAccepted) payloads.accepted(document, isTaken ? bytes : null);
      else await payloads.returned(document, bytes, isSettled);
    }
  });
}

/** What fails before the request gives its place in the windows back. */
async function orCancel<T>(slot: Reservation, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    slot.cancel();
    throw error;
  }
}

/** Not sent after all: its place in the windows and its claim are given back. */
async function release(document: Document, slot: Reservation, deps: DeliverDeps): Promise<false> {
  slot.cancel();
  await deps.ledger.release([document.id]);
  return false;
}

interface Sent {
  readonly isSettled: boolean;
  readonly isAccepted: boolean;
  /** No request looks at the bytes any more, as far as that is known. */
  readonly isTaken: boolean;
}

/** What a request needs to leave. */
interface Leave {
  readonly token: string;
  readonly slot: Reservation;
  /** When a place in the fleet's windows was asked for; monotonic. */
  readonly askedAt: number;
}

async function send(
  document: Document,
  bytes: Buffer,
  first: Leave,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<Sent> {
  let { token, slot, askedAt } = first;
  /** Requests that may still look at the bytes. */
  let looking = 0;
  const onTaken = (): void => {
    looking -= 1;
  };
  for (let replayed = deps.replays.delete(document.id); ; replayed = true) {
    const attemptId = await orCancel(slot, () => begin(document, bytes.length, deps));
    if (attemptId === null) {
      slot.cancel();
      return { isSettled: true, isAccepted: true, isTaken: looking === 0 };
    }
    const { place } = deps;
    const isKept = await orCancel(slot, () => keepsItsTurn(document, askedAt, deps, signal));
    const hasPlace = isKept && (await orCancel(slot, place));
    if (!hasPlace) slot.cancel();
    looking += 1;
    const answer = hasPlace
      ? await request(document, attemptId, bytes, token, slot, deps, signal, onTaken)
      : null;
    if (answer === null) {
      const isHeldBack = isKept && !hasPlace && deps.ledger.fleet?.isLeased(attemptId) !== false;
      const why = isHeldBack ? 'HELD_BACK' : 'LEASE_LOST';
      await deps.recorder.notLeft(document, attemptId, why, signal);
      return { isSettled: false, isAccepted: false, isTaken: false };
    }
    const outcome = classify(answer, {
      endpoint: document.endpoint,
      name: document.name,
      // Accepted once and sent again on purpose, it is there already as well.
      answerLost: document.answerLost || document.serviceStatus !== null,
    });
    if (outcome.kind === 'accepted') deps.onAccepted();
    if (outcome.kind !== 'unauthorized' || replayed) {
      const isSettled = await deps.recorder.record(document, attemptId, answer, outcome, signal);
      return { isSettled, isAccepted: outcome.kind === 'accepted', isTaken: looking === 0 };
    }
    // The token has expired or was withdrawn: one new token for everybody, one replay (interface section 5).
    deps.tokens(document.endpoint).refused(token);
    await deps.recorder.replay(attemptId, outcome.message, signal);
    const renewed = await fetchToken(document, deps, signal);
    const next = renewed && (await deps.pacer.waitForSlot(document.endpoint, REPLAY_WAIT_MS, signal));
    askedAt = deps.clock.monotonic();
    const waitMs = next ? await orCancel(next, () => enter(document, deps)) : 0;
    if (waitMs > 0) deps.pacer.defer(document.endpoint, spread(waitMs, deps));
    if (!renewed || !next || waitMs > 0 || !deps.mayGo()) {
      if (next) next.cancel();
      if (renewed) deps.replays.add(document.id);
      const isSettled = await deps.recorder.giveBack(document, outcome, signal);
      return { isSettled, isAccepted: false, isTaken: false };
    }
    token = renewed;
    slot = next;
  }
}

/** Null where a result has said since the claim that the service has the document: there is nothing to send. */
async function begin(
  { id }: Document,
  bytes: number,
  { ledger, clock }: DeliverDeps,
): Promise<number | null> {
  try {
    return await ledger.begin(id, clock.now(), bytes);
  } catch (error) {
    const isOfState = error instanceof ReceiptdError && error.code === 'DOCUMENT_STATE';
    if (!isOfState || (await ledger.document(id))?.state !== 'accepted') throw error;
    await ledger.release([id]);
    return null;
  }
}

/** Null where it did not leave: another agent may have taken the document over. */
function request(
  { endpoint, name, type }: Document,
  attemptId: number,
  bytes: Buffer,
  token: string,
  slot: Reservation,
  deps: DeliverDeps,
  signal: AbortSignal,
  onTaken: () => void,
): Promise<Answer | null> {
  const { fleet } = deps.ledger;
  const upload = { endpoint, name, bytes, mediaType: deps.contentType(type), token };
  return deps.pacer.run(
    endpoint,
    slot,
    async (onStart) =>
      fleet === null || fleet.isLeased(attemptId)
        ? deps.service.upload(upload, signal, { onStart, onTaken })
        : null,
    signal,
  );
}

/** Null when there is no token; whatever stands in the way is on hold then. */
async function fetchToken(
  document: Document,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await deps.tokens(document.endpoint).token(signal);
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    const ofCredentials = error.code.startsWith('CREDENTIALS_') || error.code.startsWith('KEYCHAIN_');
    const why = { reason: error.code, message: error.sentence() };
    if (ofCredentials) await deps.holds.holdCredentials(document, why);
    else await deps.holds.serviceTrouble(document, why, retryAfterOf(error));
    return null;
  }
}

/** Null when the bytes are not to be had now; the document is moved on then. */
async function fetchBytes(document: Document, deps: DeliverDeps): Promise<Buffer | null> {
  const { ledger, clock, missingSince } = deps;
  // Asked first: what is found and admitted while the bytes are looked for must not be passed over.
  const isSearched = isSearchedFor(document, deps);
  const found = await locateBytes(document, deps);
  if (found.kind === 'bytes') return found.bytes;
  const now = clock.now();
  if (found.kind === 'away') {
    missingSince.delete(document.id);
    await ledger.postpone(document.id, now + AWAY_RETRY_MS, 'FILE_AWAY', found.message, now);
  } else if (isSearched) {
    await deps.recorder.lost(document, found.message);
    missingSince.delete(document.id);
  } else {
    const waitMs = Math.min(Math.max(missingMs(document, deps), MISSING_GRACE_MS), MISSING_RETRY_AT_MOST_MS);
    await ledger.postpone(document.id, now + waitMs, BYTES_MISSING, found.message, now);
  }
  return null;
}

/** Whether missing bytes have been looked for wherever their file may have been moved. */
function isSearchedFor(
  { id, folder }: Document,
  { clock, missingSince, lookedThrough }: DeliverDeps,
): boolean {
  const since = missingSince.get(id);
  if (since === undefined || clock.monotonic() - since < MISSING_GRACE_MS) return false;
  return lookedThrough(folder, since);
}

/** For how long they are missing; the first time, they begin to be looked for. */
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
