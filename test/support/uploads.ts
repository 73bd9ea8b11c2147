/** Uploads recorded one at a time, for tests that need their rows and not their flow. */
import type { AttemptOutcome, Document, EndpointKey, Lane } from '../../src/core/domain/document.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import {
  BACKLOG,
  FRESH,
  isFault,
  type EndItem,
  type NextState,
  type Recorded,
} from '../../src/core/messages.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';

export type Recording = Pick<Ledger, 'record' | 'waiting' | 'detail'>;

export type Transition =
  | { readonly state: 'accepted'; readonly serviceStatus: string; readonly response: string }
  | { readonly state: 'failed' | 'unconfirmed'; readonly reason: string; readonly message: string }
  | {
      readonly state: 'queued';
      readonly notBefore: number;
      readonly reason: string;
      readonly message: string;
      readonly answerLost: boolean;
      readonly isOdd: boolean;
    };

export interface AttemptResult {
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly message: string | null;
  readonly transition: Transition;
}

export interface QueueQuery {
  readonly endpoint: EndpointKey;
  readonly lane: Lane;
  readonly limit: number;
  readonly now: number;
  readonly exceptFolders: readonly string[];
  readonly freshSince: number;
  readonly longestWaitMs: number;
}

const documents = new WeakMap<object, Map<number, number>>();

/** @returns the attempt's id. @throws ReceiptdError DOCUMENT_UNKNOWN, DOCUMENT_STATE, DOCUMENT_TAKEN */
export async function begin(ledger: Recording, document: number, at: number, bytes: number): Promise<number> {
  const { begun } = await ledger.record(() => ({ ends: [], begins: [{ document, at, bytes }] }));
  const answer = only(begun);
  switch (answer.kind) {
    case 'begun':
      if (!documents.has(ledger)) documents.set(ledger, new Map());
      documents.get(ledger)?.set(answer.attempt, document);
      return answer.attempt;
    case 'unknown':
      throw new ReceiptdError('DOCUMENT_UNKNOWN.number', { id: document });
    case 'state':
      throw new ReceiptdError({ code: 'DOCUMENT_STATE', message: answer.state });
    case 'taken':
      throw new ReceiptdError('DOCUMENT_TAKEN', { name: answer.name });
    case 'held':
    case 'changed':
    case 'limited':
      throw new Error(`the document is ${answer.kind}`);
  }
}

/** @throws ReceiptdError DOCUMENT_STATE if no such request is in progress */
export async function finish(
  ledger: Recording,
  attempt: number,
  { at, outcome, httpStatus: http, message, transition }: AttemptResult,
  requeue?: EndItem['requeue'],
): Promise<void> {
  await end(ledger, { attempt, outcome, http, message, next: stateAfter(transition), requeue, at });
}

/** The request is repeated at once, after a 401. */
export async function finishReplayed(
  ledger: Recording,
  attempt: number,
  at: number,
  http: number,
  message: string,
): Promise<void> {
  await end(ledger, { attempt, outcome: 'trouble', http, message, next: null, at });
}

async function end(ledger: Recording, item: Omit<EndItem, 'document'>): Promise<void> {
  const document = await documentOf(ledger, item.attempt);
  const { ended } = await ledger.record(() => ({ ends: [{ ...item, document }], begins: [] }));
  if (!only(ended).isDone) throw new ReceiptdError('DOCUMENT_STATE.notUnderWay', { attempt: item.attempt });
}

async function documentOf(ledger: Recording, attempt: number): Promise<number> {
  const known = documents.get(ledger)?.get(attempt);
  if (known !== undefined) return known;
  for (const { id } of await ledger.waiting(0, 100_000))
    if ((await ledger.detail(id))?.attempts.some((each) => each.id === attempt)) return id;
  return 0;
}

function only<T>({ answers, failure }: Recorded<T>): T {
  if (answers === null) throw failure;
  const [answer] = answers;
  if (isFault(answer)) throw answer.fault;
  return answer as T;
}

function stateAfter(transition: Transition): NextState {
  if (transition.state === 'accepted')
    return { state: 'accepted', status: transition.serviceStatus, response: transition.response };
  if (transition.state !== 'queued') return transition;
  const { notBefore: due, ...next } = transition;
  return { ...next, due };
}

/** What is next of a lane, folders in turn. */
export async function nextOf(ledger: Pick<Ledger, 'heads'>, query: QueueQuery): Promise<readonly Document[]> {
  const { lane, freshSince, now, longestWaitMs, limit, endpoint, exceptFolders } = query;
  const wanted = { endpoint, exceptFolders, now, latest: now + longestWaitMs, limit };
  const heads =
    lane === 'fresh'
      ? await ledger.heads({ ...wanted, priority: FRESH, createdSince: freshSince })
      : [
          ...(await ledger.heads({ ...wanted, priority: FRESH, createdBefore: freshSince })),
          ...(await ledger.heads({ ...wanted, priority: BACKLOG })),
        ];
  const rounds = Math.max(0, ...heads.map(({ documents }) => documents.length));
  return Array.from({ length: rounds }, (_, n) => heads.flatMap(({ documents }) => documents[n] ?? []))
    .flat()
    .slice(0, limit);
}
