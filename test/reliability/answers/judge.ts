/**
 * The oracle for one request: the permitted outcomes for what the wire carried. Written from the interface and the design's table "From
 * answer to outcome".
 */
import type { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { Answer, Outcome } from '../../../src/core/domain/outcome.ts';
import type { Exchange, Reply } from './hostileServer.ts';
import type { Truth } from './wire.ts';
import { asksToWait, isVerdict, mayHaveStored, outcomesOf } from '../../oracle/answers.ts';

/** `late`: a busy machine may be the cause. */
export interface Breach {
  readonly sentence: string;
  readonly late: boolean;
}

export interface Given {
  readonly exchange: Exchange;
  readonly reply: Reply;
}

export const DAY_MS = 24 * 3_600_000;
/** The client keeps 16 MiB; buffers at both ends of the connection add a few more. */
const MOST_BODY = 16 * 1024 * 1024;
const MOST_POURED = MOST_BODY + 12 * 1024 * 1024;
/** The client may send only part of a body this large if the server does not read it. */
const MUCH_BODY = 60_000;

const breach = (sentence: string, late = false): Breach => ({ sentence, late });

function mayBeRecord({ truth }: { truth: Truth }): boolean {
  return !truth.malformed && truth.whole && truth.worth !== 'wrong';
}

function isPlain(truth: Truth): boolean {
  return !truth.malformed && !truth.unsure;
}

function isTimely({ exchange, reply }: Given): boolean {
  return exchange.requestLine !== null && (!reply.wire.truth.early || exchange.body.length < MUCH_BODY);
}

/** Whether the service may have stored the document although it did not confirm it. */
function mayBeStored({ exchange, reply: { wire } }: Given): boolean {
  if (!exchange.wholeRequest) return false;
  const { status } = wire.truth;
  if (status === null || wire.truth.malformed) return true;
  return mayHaveStored(status);
}

export function judgeUpload(
  answer: Answer,
  outcome: Outcome,
  given: readonly Given[],
  { name, afterLost }: { name: string; afterLost: boolean },
): Breach | null {
  const truths = given.map(({ reply }) => reply.wire.truth);
  const requests = given.filter(({ exchange }) => exchange.requestLine !== null);
  const story = `${outcome.kind}${'reason' in outcome ? ` (${outcome.reason})` : ''}`;
  if (requests.length > 1) return breach(`one upload was sent ${requests.length} times`);
  if (answer.kind === 'response' && answer.body.length > MOST_BODY)
    return breach('a body was kept without a limit');
  if (given.some(({ exchange }) => exchange.poured > MOST_POURED))
    return breach('an endless body was read without a limit');

  if (outcome.kind === 'accepted') {
    if (outcome.record.name !== name) return breach(`accepted a record of ${outcome.record.name}`);
    if (!truths.some((truth) => truth.status === 200 && mayBeRecord({ truth })))
      return breach(`accepted without a complete record with HTTP 200`);
  }
  if (outcome.kind === 'failed') {
    if (afterLost) return breach(`failed after a lost answer`);
    if (!truths.some(({ status, malformed }) => !malformed && isVerdict(status)))
      return breach(`failed, though the service gave no verdict`);
  }
  if (outcome.kind === 'unconfirmed' && !afterLost && !truths.some(({ status }) => status === 409))
    return breach('unconfirmed without a reason');

  const [only] = given;
  if (answer.kind === 'fault' && !answer.sent && requests.length > 0 && only?.reply.wire.truth.status !== 407)
    return breach(`reported that nothing was sent, but a request arrived (${answer.code})`);
  const isMarked =
    outcome.kind === 'accepted' ||
    ('answerLost' in outcome && outcome.answerLost) ||
    outcome.kind === 'unconfirmed';
  if (!isMarked && given.some(mayBeStored) && !given.some(({ reply }) => reply.wire.truth.unsure))
    return breach(`${story} leaves no mark, though the service may have stored the document`);

  if ('retryAfterMs' in outcome && outcome.retryAfterMs !== null) {
    const ms = outcome.retryAfterMs;
    if (!(ms >= 0 && ms <= DAY_MS)) return breach(`waits ${ms} ms`);
  }
  if (given.length !== 1 || !only || !isTimely(only)) return null;
  const { truth } = only.reply.wire;
  if (!isPlain(truth) || truth.status === null) return null;
  if (truth.status === 200 && truth.whole && truth.worth === 'right' && outcome.kind !== 'accepted')
    return breach(`${story} for a complete record with HTTP 200`, true);
  if (!outcomesOf(truth.status, afterLost).includes(outcome.kind))
    return breach(`${story} for HTTP ${truth.status}`, true);
  if (
    truth.retryAfterMs !== undefined &&
    'retryAfterMs' in outcome &&
    answer.kind === 'response' &&
    asksToWait(truth.status) &&
    outcome.retryAfterMs !== truth.retryAfterMs
  )
    return breach(`waits ${outcome.retryAfterMs} ms instead of ${truth.retryAfterMs} ms`, true);
  return null;
}

/** Result on the other routes: a value, or an error for people. */
export type Result =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: ReceiptdError };

export function judgeToken(result: Result, given: readonly Given[]): Breach | null {
  const truths = given.map(({ reply }) => reply.wire.truth);
  if (result.kind === 'value') {
    const from = truths.find(
      (truth) => truth.token === result.value && isSuccess(truth) && mayBeRecord({ truth }),
    );
    return from ? null : breach('accepted a token that no complete answer contained');
  }
  const { code } = result.error;
  if (code === 'CREDENTIALS_REFUSED') {
    const isRefused = truths.some(({ status }) => status !== null && [400, 401, 403].includes(status));
    return isRefused ? null : breach('reports refused credentials, but no answer refused them');
  }
  if (!code.startsWith('SERVICE_')) return breach(`the token request fails with ${code}`);
  const [only] = given;
  if (given.length === 1 && only && isTimely(only) && mustBeTaken(only.reply.wire.truth))
    return breach(`${code} for a good token`, true);
  return null;
}

export function judgeWhoami(result: Result, given: readonly Given[]): Breach | null {
  const truths = given.map(({ reply }) => reply.wire.truth);
  if (result.kind === 'value') {
    return truths.some((truth) => isSuccess(truth) && mayBeRecord({ truth }))
      ? null
      : breach('accepted a whoami that no complete answer contained');
  }
  const { code } = result.error;
  const isRefused = truths.some(({ status }) => status === 401 || status === 403);
  if (code === 'CREDENTIALS_REFUSED')
    return isRefused ? null : breach('reports a refusal, but no answer refused it');
  if (!code.startsWith('SERVICE_')) return breach(`whoami fails with ${code}`);
  const [only] = given;
  if (given.length === 1 && only && isTimely(only) && mustBeTaken(only.reply.wire.truth))
    return breach(`${code} for a good whoami`, true);
  return null;
}

export function judgeCreate(result: Result, given: readonly Given[]): Breach | null {
  const truths = given.map(({ reply }) => reply.wire.truth);
  if (result.kind === 'value') {
    return truths.some((truth) => isSuccess(truth) && mayBeRecord({ truth }))
      ? null
      : breach('accepted an endpoint that no complete answer contained');
  }
  const { code } = result.error;
  const known = ['CREDENTIALS_REFUSED', 'ENDPOINT_FORBIDDEN', 'ENDPOINT_REFUSED', 'CREATE_UNCERTAIN'];
  if (!known.includes(code) && !code.startsWith('SERVICE_'))
    return breach(`creating an endpoint fails with ${code}`);
  // Only these two redirects mean that nothing was done (RFC 9110 15.4).
  const mayBeMade = given.some((each) => {
    const { status, unsure } = each.reply.wire.truth;
    return mayBeStored(each) && !unsure && status !== 307 && status !== 308;
  });
  if (code !== 'CREATE_UNCERTAIN' && mayBeMade)
    return breach(`${code}, though the endpoint may have been created`);
  const [only] = given;
  if (given.length === 1 && only && isTimely(only) && mustBeTaken(only.reply.wire.truth))
    return breach(`${code} for a good endpoint`, true);
  return null;
}

function isSuccess({ status }: Truth): boolean {
  return status !== null && status >= 200 && status < 300;
}

function mustBeTaken(truth: Truth): boolean {
  return truth.status === 200 && isPlain(truth) && truth.whole && truth.worth === 'right';
}
