import type { EndpointKey } from './document.ts';
import { cutAnswer, type CutAnswer } from './keptAnswer.ts';
import { plainStatus } from './result.ts';

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
  | { readonly kind: 'fault'; readonly sent: boolean; readonly code: string; readonly message: string };

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
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }
  | { readonly kind: 'unconfirmed'; readonly reason: string; readonly message: string }
  /** The token was refused: refresh it once for all requests and replay; a second refusal puts the credentials on hold. */
  | { readonly kind: 'unauthorized'; readonly reason: string; readonly message: string }
  | {
      readonly kind: 'endpointHold';
      readonly reason: string;
      readonly message: string;
      /** An undocumented 2xx: the service may have stored the document. */
      readonly answerLost: boolean;
    }
  | {
      readonly kind: 'slowDown';
      readonly reason: string;
      readonly message: string;
      readonly retryAfterMs: number | null;
    }
  | {
      readonly kind: 'serviceTrouble';
      readonly reason: string;
      readonly message: string;
      readonly retryAfterMs: number | null;
      /** The service may have stored the document although no valid answer came. */
      readonly answerLost: boolean;
      /** A 5xx: counts towards parking the document if others are accepted. */
      readonly serverError: boolean;
    };

export interface Expectation {
  readonly endpoint: EndpointKey;
  readonly name: string;
  /** The service may have stored an earlier attempt. */
  readonly answerLost: boolean;
}

const WORDS_LIMIT = 300;
const QUOTED_FROM = 20_000;

/** The one table from answer to outcome; design "From answer to outcome", interface sections 4.4 and 7. */
export function classify(answer: Answer, expected: Expectation): Outcome {
  if (answer.kind === 'fault') {
    return trouble(answer.code, answer.message, { answerLost: answer.sent });
  }
  const { httpStatus: status, body } = answer;
  // Never quote the body of a success: it can be of any size and content.
  const words = status < 300 ? '' : quote(body);
  if (status === 200) return judgeRecord(answer, expected);
  switch (status) {
    case 401:
      return {
        kind: 'unauthorized',
        reason: 'HTTP_401',
        message: `The service rejected the token${words}.`,
      };
    case 403:
      return hold(
        status,
        `The service does not allow uploads to this endpoint, or the plan does not include them${words}.`,
      );
    case 404:
    case 410:
      return hold(status, `The service does not know this endpoint${words}.`);
    case 402:
    case 429:
      return {
        kind: 'slowDown',
        reason: `HTTP_${status}`,
        message: `The service asked receiptd to slow down, or the plan's quota is used up${words}.`,
        retryAfterMs: answer.retryAfterMs,
      };
    case 400:
    case 413:
    case 415:
    case 422:
      // After a lost answer, a refusal may just mean that the name already exists.
      return expected.answerLost
        ? unconfirmed(status, words)
        : { kind: 'failed', reason: `HTTP_${status}`, message: `The service refused the document${words}.` };
    case 409:
      return unconfirmed(status, words);
    case 407:
    case 408:
      return trouble(
        `HTTP_${status}`,
        `Something is blocking access to the service: HTTP ${status}${words}.`,
        {
          answerLost: status === 408,
        },
      );
    default:
      break;
  }
  if (status >= 500) {
    return trouble(`HTTP_${status}`, `The service answered HTTP ${status}${words}.`, {
      answerLost: true,
      serverError: true,
      retryAfterMs: answer.retryAfterMs,
    });
  }
  if (status >= 300 && status < 400) {
    return trouble(
      'REDIRECT',
      `The service redirects (HTTP ${status}); receiptd never sends its token elsewhere.`,
      // RFC 9110 15.4.4: after a POST, it may point at the stored document.
      { answerLost: true },
    );
  }
  return expected.answerLost && status >= 400
    ? unconfirmed(status, words)
    : hold(status, `The service answered HTTP ${status}, which is undocumented${words}.`);
}

function judgeRecord({ body, large }: Extract<Answer, { kind: 'response' }>, expected: Expectation): Outcome {
  const notOurs = (detail: string): Outcome =>
    trouble(
      'NOT_THE_SERVICE',
      `HTTP 200, but ${detail}. Something between receiptd and the service answered instead.`,
      {
        answerLost: true,
      },
    );
  const record = large === undefined ? parsed(body) : large.record;
  if (record === undefined) return notOurs('the body is not JSON');
  if (typeof record !== 'object' || record === null) return notOurs('the body is not a document record');
  const { name, endpointUid, status } = record as Record<string, unknown>;
  if (name === undefined) return notOurs('the record has no name');
  if (name !== expected.name) return notOurs('the record has a different name');
  if (endpointUid === undefined) return notOurs('the record has no endpoint');
  if (endpointUid !== expected.endpoint.uid) return notOurs('the record has a different endpoint');
  if (typeof status !== 'string') return notOurs('the record has no status');
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

function hold(status: number, message: string): Outcome {
  return {
    kind: 'endpointHold',
    reason: `HTTP_${status}`,
    message,
    answerLost: status >= 200 && status < 300,
  };
}

function unconfirmed(status: number, words: string): Outcome {
  return {
    kind: 'unconfirmed',
    reason: `HTTP_${status}`,
    message: `HTTP ${status} after an upload that may have been stored${words}. Check with the service, then retry.`,
  };
}

function trouble(
  reason: string,
  message: string,
  more: { answerLost?: boolean; serverError?: boolean; retryAfterMs?: number | null },
): Outcome {
  return {
    kind: 'serviceTrouble',
    reason,
    message,
    retryAfterMs: more.retryAfterMs ?? null,
    answerLost: more.answerLost ?? false,
    serverError: more.serverError ?? false,
  };
}

/** The service's message, shortened to one line for logs and tables. */
function quote(body: string): string {
  // Cut first: a regular expression is too slow on megabytes of spaces.
  const line = body
    .slice(0, QUOTED_FROM)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line === '') return '';
  return `: "${line.length > WORDS_LIMIT ? `${line.slice(0, WORDS_LIMIT)}…` : line}"`;
}
