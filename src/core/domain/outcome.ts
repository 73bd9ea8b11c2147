import { meaningOf } from '../../texts/answers.ts';
import type { FaultFact } from '../../texts/fault.ts';
import type { NotARecord } from '../../texts/en/why.ts';
import type { EndpointKey } from './document.ts';
import { cutAnswer, type CutAnswer } from './keptAnswer.ts';
import { plainStatus } from './result.ts';
import type { WhyFact } from './why.ts';

/** The raw answer to one upload request. */
export type Answer =
  | {
      readonly kind: 'response';
      readonly httpStatus: number;
      readonly retryAfterMs: number | null;
      readonly body: string;
      /** Set if `body` is only the beginning of a large answer. `record`: its documented fields; null if it is not a record. */
      readonly large?: CutAnswer & { readonly record: Readonly<Record<string, unknown>> | null };
    }
  /** No answer. `sent` is false only if no byte of the request can have reached the service. */
  | {
      readonly kind: 'fault';
      readonly sent: boolean;
      readonly code: string;
      readonly fault: FaultFact;
    };

/** The document record of section 2.2, and the verbatim body with unknown fields (keptAnswer.ts). */
export interface DocumentRecord {
  readonly name: string;
  readonly endpointUid: string;
  readonly status: string;
  readonly verbatim: string;
}

/** The meaning of an answer, and its consequence. Only `failed` is a verdict on the document. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly record: DocumentRecord }
  | { readonly kind: 'failed'; readonly reason: string; readonly why: WhyFact }
  | { readonly kind: 'unconfirmed'; readonly reason: string; readonly why: WhyFact }
  /** The token was refused: refresh it once for all requests and replay; a second refusal puts the credentials on hold. */
  | { readonly kind: 'unauthorized'; readonly reason: string; readonly why: WhyFact }
  | {
      readonly kind: 'endpointHold';
      readonly reason: string;
      readonly why: WhyFact;
      /** An undocumented 2xx: the service may have stored the document. */
      readonly answerLost: boolean;
    }
  | {
      readonly kind: 'slowDown';
      readonly reason: string;
      readonly why: WhyFact;
      readonly retryAfterMs: number | null;
    }
  | {
      readonly kind: 'serviceTrouble';
      readonly reason: string;
      readonly why: WhyFact;
      readonly retryAfterMs: number | null;
      /** The service may have stored the document although no valid answer came. */
      readonly answerLost: boolean;
    };

export interface Expectation {
  readonly endpoint: EndpointKey;
  readonly name: string;
  /** The service may have stored an earlier attempt. */
  readonly answerLost: boolean;
}

const WORDS_LIMIT = 300;
const QUOTED_FROM = 20_000;

/** From an answer to its outcome; interface sections 4.4 and 7. What a status means: texts/answers.ts. */
export function classify(answer: Answer, expected: Expectation): Outcome {
  if (answer.kind === 'fault') {
    return trouble(answer.code, { is: 'fault', fault: answer.fault }, { answerLost: answer.sent });
  }
  const { httpStatus: status, body } = answer;
  // Never quote the body of a success: it can be of any size and content.
  const words = status < 300 ? '' : quote(body);
  if (status === 200) return judgeRecord(answer, expected);
  const reason = `HTTP_${status}`;
  const { retryAfterMs } = answer;
  const meaning = meaningOf(status);
  switch (meaning) {
    case 'unauthorized':
      return { kind: 'unauthorized', reason, why: { is: 'tokenRejected', words } };
    case 'forbidden':
      return hold(status, { is: 'uploadsForbidden', words });
    case 'endpointUnknown':
      return hold(status, { is: 'endpointUnknown', words });
    case 'slowDown':
      return { kind: 'slowDown', reason, why: { is: 'slowDown', words }, retryAfterMs };
    case 'refused':
      // After a lost answer, a refusal may just mean that the name already exists.
      return expected.answerLost
        ? unconfirmed(status, words)
        : { kind: 'failed', reason, why: { is: 'refused', words } };
    case 'mayHaveIt':
      return unconfirmed(status, words);
    case 'blocked':
      return trouble(reason, { is: 'blocked', status, words }, { answerLost: status === 408 });
    case 'failing':
      return trouble(reason, { is: 'answered', status, words }, { answerLost: true, retryAfterMs });
    case 'strange':
      if (status >= 300 && status < 400)
        // RFC 9110 15.4.4: after a POST, it may point at the stored document.
        return trouble('REDIRECT', { is: 'redirects', status }, { answerLost: true });
      return expected.answerLost && status >= 400
        ? unconfirmed(status, words)
        : hold(status, { is: 'undocumented', status, words });
  }
}

function judgeRecord({ body, large }: Extract<Answer, { kind: 'response' }>, expected: Expectation): Outcome {
  const notOurs = (flaw: NotARecord): Outcome =>
    trouble('NOT_THE_SERVICE', { is: 'notTheService', flaw }, { answerLost: true });
  const record = large === undefined ? parsed(body) : large.record;
  if (record === undefined) return notOurs('notJson');
  if (typeof record !== 'object' || record === null) return notOurs('noRecord');
  const { name, endpointUid, status } = record as Record<string, unknown>;
  if (name === undefined) return notOurs('noName');
  if (name !== expected.name) return notOurs('otherName');
  if (endpointUid === undefined) return notOurs('noEndpoint');
  if (endpointUid !== expected.endpoint.uid) return notOurs('otherEndpoint');
  if (typeof status !== 'string') return notOurs('noStatus');
  const verbatim = large === undefined ? body : cutAnswer(body, large);
  return { kind: 'accepted', record: { name, endpointUid, status: plainStatus(status), verbatim } };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

function hold(status: number, why: WhyFact): Outcome {
  return {
    kind: 'endpointHold',
    reason: `HTTP_${status}`,
    why,
    answerLost: status >= 200 && status < 300,
  };
}

function unconfirmed(status: number, words: string): Outcome {
  return {
    kind: 'unconfirmed',
    reason: `HTTP_${status}`,
    why: { is: 'mayHaveIt', status, words },
  };
}

function trouble(
  reason: string,
  why: WhyFact,
  more: { answerLost?: boolean; retryAfterMs?: number | null },
): Outcome {
  return {
    kind: 'serviceTrouble',
    reason,
    why,
    retryAfterMs: more.retryAfterMs ?? null,
    answerLost: more.answerLost ?? false,
  };
}

/** The service's message, shortened to one line for logs and tables. */
function quote(body: string): string {
  // Cut first: a regular expression is too slow on megabytes of spaces.
  const line = body
    .slice(0, QUOTED_FROM)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > WORDS_LIMIT ? `${line.slice(0, WORDS_LIMIT)}…` : line;
}
