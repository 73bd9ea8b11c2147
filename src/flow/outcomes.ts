import { backoff, HOLD_BACKOFF, SERVICE_BACKOFF, type BackoffRange } from '../core/domain/backoff.ts';
import { endpointId, type AttemptOutcome, type Document } from '../core/domain/document.ts';
import type { Answer, Outcome } from '../core/domain/outcome.ts';
import { toMessage, whyText, type WhyFact } from '../core/domain/why.ts';
import type { EndItem, NextState } from '../core/messages.ts';
import type { Clock, Random } from '../core/ports/clock.ts';
import type { Log, LogFields } from '../core/ports/log.ts';
import type { Holds, Why } from './holds.ts';
import type { Served } from './limits/pace.ts';
import type { Pacer } from './limits/pacer.ts';
import { RefusalHistory, type Together } from './refusalHistory.ts';

export interface OutcomesDeps {
  readonly holds: Holds;
  /** Adapts the pace to each answer. */
  readonly pacer: Pick<Pacer, 'judged'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Odd answers to one document, while others succeed, after which it is parked. */
  readonly parkAfter: number;
  readonly onAccepted: (document: Document) => void;
  /** Called once the ledger has recorded a refusal. */
  readonly onFailed?: (document: Document) => void;
}

/** Resolves once the end of a request is recorded. `item` is asked when it is written: until then, more may have become known. */
export type RecordEnd = (item: () => EndItem) => Promise<void>;

const PARKED_MS = 60 * 60_000;
/** Queued again, with the same turn as before. */
const AT_OLD_PLACE = { state: 'queued', due: 0 } as const;

/** An upload that did not reach the service, or whose answer says nothing about the document. */
export const NOT_SENT = { isSettled: false, isAccepted: false } as const;

/** Why requests that were recorded were not sent. */
const NOT_LEFT = {
  LEASE_LOST: { is: 'leaseLost' },
  HELD_BACK: { is: 'heldBack' },
} as const satisfies Readonly<Record<string, WhyFact>>;

/** One answered request. */
interface AnsweredUpload {
  readonly document: Document;
  readonly attempt: number;
  readonly answer: Answer;
  readonly served: Served;
  readonly record: RecordEnd;
}

interface Answered extends AnsweredUpload {
  readonly http: number | null;
}

type EndpointHold = Extract<Outcome, { kind: 'endpointHold' }>;
type ServiceTrouble = Extract<Outcome, { kind: 'serviceTrouble' }>;

/** What an answer does: where its document goes, and what it says about the service, the account or the endpoint. */
export class Outcomes {
  readonly #deps: OutcomesDeps;
  readonly #refusals = new Map<string, RefusalHistory>();

  constructor(deps: OutcomesDeps) {
    this.#deps = deps;
  }

  /** Resolves once it is recorded: true if the document left the queue. */
  judge(upload: AnsweredUpload, outcome: Outcome): Promise<boolean> {
    const { document, attempt, answer, served, record } = upload;
    const http = answer.kind === 'response' ? answer.httpStatus : null;
    const answered = { document, attempt, answer, http, served, record };
    this.#deps.pacer.judged(document.endpoint, outcome.kind, served);
    return outcome.kind === 'accepted'
      ? this.#accepted(answered, outcome.record)
      : this.#notAccepted(answered, outcome);
  }

  async #notAccepted(answered: Answered, outcome: Exclude<Outcome, { kind: 'accepted' }>): Promise<boolean> {
    const { holds, log } = this.#deps;
    const { document, http } = answered;
    const { endpoint } = document;
    const { reason, why } = outcome;
    // Holds that concern more than this document apply at once, since recording may take long on a slow disk.
    switch (outcome.kind) {
      case 'failed':
        return this.#refused(answered, outcome);
      case 'unconfirmed':
        await this.#end(answered, 'refused', why, { state: 'unconfirmed', reason });
        log.error('documentUnconfirmed', {
          ...identify(document),
          httpStatus: http,
          attempt: document.attempts + 1,
          detail: whyText(why),
        });
        await holds.passed(endpoint, document.id, answered.served.endedAt);
        return true;
      case 'unauthorized': {
        const queued = this.#queueAgain(answered, outcome);
        const words = 'words' in why ? why.words : '';
        const again = { reason, why: { is: 'newTokenRejected', words } } as const;
        await Promise.all([queued, holds.holdCredentials(document, again, queued)]);
        return false;
      }
      case 'endpointHold':
        await this.#answeredOddly(answered, outcome, HOLD_BACKOFF, (recorded) =>
          holds.holdEndpoint(document, outcome, recorded),
        );
        return false;
      case 'slowDown': {
        const queued = this.#queueAgain(answered, outcome, 'limited');
        await Promise.all([queued, holds.slowDown(document, outcome, outcome.retryAfterMs, queued)]);
        return false;
      }
      case 'serviceTrouble':
        await this.#trouble(answered, outcome);
        return false;
    }
  }

  /** Queues a document again whose request was recorded but not sent. */
  async notSent(
    document: Document,
    attempt: number,
    reason: keyof typeof NOT_LEFT,
    record: RecordEnd,
  ): Promise<void> {
    const why = NOT_LEFT[reason];
    await record(() => this.#item(document, attempt, null, 'notSent', why, { ...AT_OLD_PLACE, reason }));
    this.#deps.log.info('notSentAfterAll', { ...identify(document), reason, detail: whyText(why) });
  }

  /** The end of a request that got a 401 and is replayed at once. */
  replayed(document: Document, attempt: number, why: WhyFact): EndItem {
    return this.#item(document, attempt, 401, 'trouble', why, null);
  }

  async #accepted(
    answered: Answered,
    { status, verbatim }: Extract<Outcome, { kind: 'accepted' }>['record'],
  ): Promise<true> {
    const { holds, log, onAccepted } = this.#deps;
    const { document, http, served } = answered;
    await this.#end(answered, 'accepted', null, { state: 'accepted', status, response: verbatim });
    this.#refusalsOf(document).accepted(document.id);
    log.info('documentAccepted', acceptedFields(document, http, status));
    await holds.passed(document.endpoint, document.id, served.endedAt);
    onAccepted(document);
    return true;
  }

  async #refused(
    { document, attempt, http, served, record }: Answered,
    { reason, why }: Why,
  ): Promise<boolean> {
    const { holds, log } = this.#deps;
    const refusals = this.#refusalsOf(document);
    refusals.refused(document.id, why);
    let together: Together | undefined;
    // Asked when it is written: while the ledger can't be written, more documents may be refused.
    await record(() => {
      const item = this.#item(document, attempt, http, 'refused', why, { state: 'failed', reason });
      together = refusals.together(document.id);
      return together === undefined
        ? item
        : {
            ...item,
            requeue: {
              ...together,
              message: toMessage(together.why),
              due: item.at + holds.longestOnEndpointMs(document.endpoint),
            },
          };
    });
    // Refused together with others meanwhile, which queue it again; but what is written counts, even if one was accepted since.
    together ??= refusals.together(document.id);
    if (!together) {
      log.error('documentRefused', { ...identify(document), httpStatus: http, detail: whyText(why) });
      this.#deps.onFailed?.(document);
      await holds.passed(document.endpoint, document.id, served.endedAt);
      return true;
    }
    await holds.holdEndpoint(document, together);
    return false;
  }

  async #trouble(answered: Answered, outcome: ServiceTrouble): Promise<void> {
    const { holds } = this.#deps;
    const { document, answer, http } = answered;
    const wasAnswered = http !== null && http >= 500;
    const hold = (recorded: Promise<void>) =>
      holds.serviceTrouble(document, outcome, outcome.retryAfterMs, recorded, wasAnswered);
    if (answer.kind === 'response' || answer.sent)
      return this.#answeredOddly(answered, outcome, SERVICE_BACKOFF, hold);
    // What did not leave says nothing about its document.
    const queued = this.#queueAgain(answered, outcome, 'notSent');
    await Promise.all([queued, hold(queued)]);
  }

  /**
   * The answer is about the service or the endpoint, but the document may be its cause (promise P4): it backs off, so that the next probe is another
   * one. If that recurs while others pass, it is parked, and holds up nobody.
   */
  async #answeredOddly(
    answered: Answered,
    outcome: ServiceTrouble | EndpointHold,
    range: BackoffRange,
    hold: (recorded: Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { clock, random, holds, log, parkAfter } = this.#deps;
    const { document, http, served } = answered;
    const { reason, why, answerLost } = outcome;
    const recurred = this.#refusalsOf(document).answeredOddly(document.id);
    const isParked = recurred >= parkAfter;
    const recorded = this.#end(answered, answerLost ? 'unknown' : 'trouble', why, {
      state: 'queued',
      due: clock.now() + (isParked ? PARKED_MS : backoff(document.oddAnswers + 1, range, random)),
      reason: isParked ? 'PARKED' : reason,
      answerLost,
      isOdd: true,
    });
    const fields = { ...identify(document), httpStatus: http, reason, detail: whyText(why) };
    // A Retry-After applies to everybody, even if this document is the cause.
    if (isParked && !('retryAfterMs' in outcome && outcome.retryAfterMs)) {
      await recorded;
      log.warn('documentParked', fields);
      return holds.passed(document.endpoint, document.id, served.endedAt);
    }
    log.debug('requeuedWithoutAnswer', fields);
    await Promise.all([recorded, hold(recorded)]);
  }

  /** At its old place: the answer says nothing about the document. */
  async #queueAgain(
    answered: Answered,
    { reason, why, answerLost = false }: Why & { readonly answerLost?: boolean },
    ended: AttemptOutcome = 'trouble',
  ): Promise<void> {
    await this.#end(answered, answerLost ? 'unknown' : ended, why, { ...AT_OLD_PLACE, reason, answerLost });
    this.#deps.log.debug('documentRequeued', {
      ...identify(answered.document),
      reason,
      detail: whyText(why),
    });
  }

  #end(
    { document, attempt, http, record }: Answered,
    outcome: AttemptOutcome,
    why: WhyFact | null,
    next: NextState,
  ): Promise<void> {
    return record(() => this.#item(document, attempt, http, outcome, why, next));
  }

  #item(
    document: Document,
    attempt: number,
    http: number | null,
    outcome: AttemptOutcome,
    why: WhyFact | null,
    next: NextState | null,
  ): EndItem {
    const of = { document: document.id, attempt, outcome, http, at: this.#deps.clock.now() };
    if (why === null) return { ...of, message: null, next };
    const message = toMessage(why);
    return { ...of, message, next: next && { ...next, message } };
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

function identify({ id, name, folder, path }: Document) {
  return { documentId: id, name, folder, path };
}
