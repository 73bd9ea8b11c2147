import { backoff, SERVICE_BACKOFF } from '../core/domain/backoff.ts';
import { endpointId, type AttemptOutcome, type Document } from '../core/domain/document.ts';
import { describeError, isOfLedger } from '../core/domain/errors.ts';
import type { Answer, Outcome } from '../core/domain/outcome.ts';
import { toMessage, whyText, type WhyFact } from '../core/domain/why.ts';
import type { Clock, Random } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Transition } from '../core/ports/ledgerQueue.ts';
import type { Log, LogFields } from '../core/ports/log.ts';
import type { Holds, Why } from './holds/holds.ts';
import type { Pacer } from './limits/pacer.ts';
import { RefusalHistory, type Together } from './refusalHistory.ts';

export interface RecordDeps {
  readonly ledger: Ledger;
  readonly holds: Holds;
  /** Adapts the pace to each answer. */
  readonly pacer: Pick<Pacer, 'judged'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Server errors on one document, while others succeed, after which it is parked. */
  readonly parkAfter: number;
  readonly onAccepted: (document: Document) => void;
  /** Called once the ledger has recorded a refusal. */
  readonly onFailed?: (document: Document) => void;
}

const PARKED_MS = 60 * 60_000;
const RECORD_RETRY_MS = 2_000;
/** Queued again, with the same turn as before. */
const AT_OLD_PLACE = { state: 'queued', notBefore: 0, serverError: false } as const;

/** Why requests that were recorded were not sent. */
const NOT_LEFT = {
  LEASE_LOST: { is: 'leaseLost' },
  HELD_BACK: { is: 'heldBack' },
} as const satisfies Readonly<Record<string, WhyFact>>;

/** Turns an outcome into a ledger transition, and into a hold if it concerns more than one document. */
export class Recorder {
  readonly #deps: RecordDeps;
  readonly #refusals = new Map<string, RefusalHistory>();

  constructor(deps: RecordDeps) {
    this.#deps = deps;
  }

  /** Resolves true if the document left the queue. */
  async record(
    document: Document,
    attemptId: number,
    answer: Answer,
    outcome: Outcome,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { holds, log, clock } = this.#deps;
    const { endpoint } = document;
    const answeredAt = clock.monotonic();
    this.#deps.pacer.judged(endpoint, answer, outcome.kind, document.size);
    const httpStatus = answer.kind === 'response' ? answer.httpStatus : null;
    if (outcome.kind === 'accepted') {
      const { status, verbatim } = outcome.record;
      const transition = { state: 'accepted', serviceStatus: status, response: verbatim } as const;
      await this.#finish(attemptId, httpStatus, 'accepted', null, transition, signal);
      this.#refusalsOf(document).accepted(document.id);
      log.info('documentAccepted', acceptedFields(document, httpStatus, status));
      await holds.passed(endpoint, document.id, answeredAt);
      this.#deps.onAccepted(document);
      return true;
    }
    const { reason } = outcome;
    const message = toMessage(outcome.why);
    switch (outcome.kind) {
      case 'failed':
        return this.#refused(document, attemptId, httpStatus, outcome, signal);
      case 'unconfirmed': {
        const transition = { state: 'unconfirmed', reason, message } as const;
        await this.#finish(attemptId, httpStatus, 'refused', message, transition, signal);
        log.error('documentUnconfirmed', {
          ...identify(document),
          httpStatus,
          attempt: document.attempts + 1,
          detail: whyText(outcome.why),
        });
        await holds.passed(endpoint, document.id, answeredAt);
        return true;
      }
      // Holds that concern more than this document apply at once, since recording may take long on a slow disk.
      case 'unauthorized': {
        const requeued = this.#requeue(document, attemptId, httpStatus, outcome, signal);
        const words = 'words' in outcome.why ? outcome.why.words : '';
        const again = { reason, why: { is: 'newTokenRejected', words } } as const;
        await Promise.all([requeued, holds.holdCredentials(document, again, requeued)]);
        return false;
      }
      case 'endpointHold': {
        const requeued = this.#requeue(document, attemptId, httpStatus, outcome, signal);
        await Promise.all([requeued, holds.holdEndpoint(document, outcome, requeued)]);
        return false;
      }
      case 'slowDown': {
        const requeued = this.#requeue(document, attemptId, httpStatus, outcome, signal, 'limited');
        await Promise.all([requeued, holds.slowDown(document, outcome, outcome.retryAfterMs, requeued)]);
        return false;
      }
      case 'serviceTrouble':
        await this.#trouble(document, attemptId, httpStatus, outcome, answer, signal);
        return false;
    }
  }

  /** Requeues a document whose request was recorded but not sent. */
  async notLeft(
    document: Document,
    attemptId: number,
    reason: keyof typeof NOT_LEFT,
    signal: AbortSignal,
  ): Promise<void> {
    const why = NOT_LEFT[reason];
    const message = toMessage(why);
    const transition = { ...AT_OLD_PLACE, reason, message, answerLost: false };
    await this.#finish(attemptId, null, 'notSent', message, transition, signal);
    this.#deps.log.info('notSentAfterAll', { ...identify(document), reason, detail: whyText(why) });
  }

  /** Requeues at the old place: the outcome says nothing about the document. */
  async #requeue(
    document: Document,
    attemptId: number,
    httpStatus: number | null,
    { reason, why, answerLost = false }: Why & { answerLost?: boolean },
    signal: AbortSignal,
    answered: AttemptOutcome = 'trouble',
  ): Promise<void> {
    const message = toMessage(why);
    const transition = { ...AT_OLD_PLACE, reason, message, answerLost };
    const ended = answerLost ? 'unknown' : answered;
    await this.#finish(attemptId, httpStatus, ended, message, transition, signal);
    this.#deps.log.debug('documentRequeued', { ...identify(document), reason, detail: whyText(why) });
  }

  /** Ends an attempt that got a 401 and is replayed at once. */
  async replay(attemptId: number, why: WhyFact, signal: AbortSignal): Promise<void> {
    const { ledger, clock } = this.#deps;
    const message = toMessage(why);
    await this.#durably(signal, () => ledger.finishReplayed(attemptId, clock.now(), 401, message));
  }

  /** Requeues a document whose replay can't be sent now. */
  async giveBack(document: Document, { reason, why }: Why, signal: AbortSignal): Promise<false> {
    const { ledger, clock, log } = this.#deps;
    const message = toMessage(why);
    await this.#durably(signal, () => ledger.postpone(document.id, 0, reason, message, clock.now()));
    log.debug('documentRequeued', { ...identify(document), reason, detail: whyText(why) });
    return false;
  }

  async #refused(
    document: Document,
    attemptId: number,
    httpStatus: number | null,
    { reason, why }: Why,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { holds, log, clock } = this.#deps;
    const answeredAt = clock.monotonic();
    const refusals = this.#refusalsOf(document);
    refusals.refused(document.id, why);
    // Evaluated at each write: while the ledger can't be written, more documents may be refused.
    const withOthers = () => refusals.together(document.id);
    const message = toMessage(why);
    const transition = { state: 'failed', reason, message } as const;
    await this.#finish(attemptId, httpStatus, 'refused', message, transition, signal, withOthers);
    const together = withOthers();
    if (!together) {
      const fields = { ...identify(document), httpStatus, detail: whyText(why) };
      log.error('documentRefused', fields);
      this.#deps.onFailed?.(document);
      await holds.passed(document.endpoint, document.id, answeredAt);
      return true;
    }
    await holds.holdEndpoint(document, together);
    return false;
  }

  async #trouble(
    document: Document,
    attemptId: number,
    httpStatus: number | null,
    outcome: Extract<Outcome, { kind: 'serviceTrouble' }>,
    answer: Answer,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random, holds, log, parkAfter } = this.#deps;
    const answeredAt = clock.monotonic();
    const { reason, why, answerLost, serverError } = outcome;
    const message = toMessage(why);
    const others = this.#refusalsOf(document).failed(document.id);
    const parked = serverError && others && document.serverErrors + 1 >= parkAfter;
    // A document that may be the cause backs off, so that the next probe is a different one (promise P4).
    const suspect = serverError || answerLost;
    const waitMs = parked
      ? PARKED_MS
      : suspect
        ? backoff(document.serverErrors + 1, SERVICE_BACKOFF, random)
        : 0;
    const outcomeOfAttempt: AttemptOutcome =
      answer.kind === 'fault' && !answer.sent ? 'notSent' : answerLost ? 'unknown' : 'trouble';
    const transition: Transition = {
      state: 'queued',
      notBefore: waitMs === 0 ? 0 : clock.now() + waitMs,
      reason: parked ? 'PARKED' : reason,
      message,
      answerLost,
      serverError,
    };
    const finished = this.#finish(attemptId, httpStatus, outcomeOfAttempt, message, transition, signal);
    const fields = { ...identify(document), httpStatus, reason, detail: whyText(why) };
    // A Retry-After applies to everybody, even if this document is the cause.
    if (parked && !outcome.retryAfterMs) {
      await finished;
      log.warn('documentParked', fields);
      await holds.passed(document.endpoint, document.id, answeredAt);
    } else {
      log.debug('requeuedWithoutAnswer', fields);
      const wasAnswered = httpStatus !== null && httpStatus >= 500;
      const held = holds.serviceTrouble(document, outcome, outcome.retryAfterMs, finished, wasAnswered);
      await Promise.all([finished, held]);
    }
  }

  /** Retries until recorded: a forgotten answer would send the image again. */
  #finish(
    attemptId: number,
    httpStatus: number | null,
    outcome: AttemptOutcome,
    message: string | null,
    transition: Transition,
    signal: AbortSignal,
    together: () => Together | undefined = () => undefined,
  ): Promise<void> {
    const { ledger, clock } = this.#deps;
    return this.#durably(signal, () => {
      const others = together();
      const requeue = others && { ...others, message: toMessage(others.why) };
      return ledger.finish(attemptId, { at: clock.now(), outcome, httpStatus, message, transition }, requeue);
    });
  }

  /** Retries until the ledger can be written. */
  async #durably(signal: AbortSignal, write: () => Promise<void>): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    for (let failures = 0; ; failures += 1) {
      try {
        await write();
        return;
      } catch (error) {
        // An error that is not the ledger's storage is a defect, and retrying would never succeed.
        if (signal.aborted || !isOfLedger(error) || ledger.storage.trouble()?.isForGood) throw error;
        // The store logs its own trouble once; no line is needed for each answer.
        if (failures === 0 && ledger.storage.trouble() === null)
          log.error('answerNotRecorded', describeError(error));
        await clock.sleep(RECORD_RETRY_MS, signal);
      }
    }
  }

  #refusalsOf(document: Document): RefusalHistory {
    const key = endpointId(document.endpoint);
    const refusals = this.#refusals.get(key) ?? new RefusalHistory();
    this.#refusals.set(key, refusals);
    return refusals;
  }
}

/** Without a spread, which makes a new shape for each line: there are many of these. */
function acceptedFields(document: Document, httpStatus: number | null, status: string): LogFields {
  return {
    documentId: document.id,
    name: document.name,
    folder: document.folder,
    path: document.path,
    httpStatus,
    attempt: document.attempts + 1,
    status,
    bytes: document.size,
  };
}

function identify(document: Document) {
  return { documentId: document.id, name: document.name, folder: document.folder, path: document.path };
}
