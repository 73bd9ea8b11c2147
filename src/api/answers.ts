import { ReceiptdError } from '../core/domain/errors.ts';
import { isLoopback } from '../core/domain/loopback.ts';
import type { Answer } from '../core/domain/outcome.ts';

type Response = Extract<Answer, { kind: 'response' }>;
type Fault = Extract<Answer, { kind: 'fault' }>;

const WORDS_LIMIT = 200;
const QUOTED_FROM = 20_000;

export function isSuccess(response: Response): boolean {
  return response.httpStatus >= 200 && response.httpStatus < 300;
}

/** The body as JSON; undefined if it is something else. */
export function json(response: Response): unknown {
  try {
    return JSON.parse(response.body);
  } catch {
    return undefined;
  }
}

/** The service's words on one line, ready to follow a sentence; '' if it said nothing. */
export function words(response: Response): string {
  // Megabytes of spaces are more than a regular expression bears.
  const line = response.body
    .slice(0, QUOTED_FROM)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line === '') return '';
  return `: "${line.length > WORDS_LIMIT ? `${line.slice(0, WORDS_LIMIT)}…` : line}"`;
}

export function unreachable({ code, message }: Fault, host: string): ReceiptdError {
  const { hostname, port } = new URL(`http://${host}`);
  // What `setup --sandbox` has set up runs only as long as somebody lets it.
  const isPractice = code === 'ECONNREFUSED' && isLoopback(hostname);
  return new ReceiptdError('SERVICE_UNREACHABLE', message, {
    hint: isPractice
      ? `If this is the practice service, start it with \`receiptd sandbox --port ${port || 80}\`. Otherwise, correct service.baseUrl.`
      : "Check service.baseUrl and this machine's network connection.",
  });
}

export function strangeAnswer(message: string): ReceiptdError {
  return new ReceiptdError('SERVICE_ANSWER', message, {
    hint: 'Check service.baseUrl, and whether a proxy or a login page is in the way.',
  });
}

/** A refusal that may say when to ask again (Retry-After); whoever backs off waits at least so long. */
export class ServiceBusy extends ReceiptdError {
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null) {
    super('SERVICE_ANSWER', message, { hint: 'receiptd retries automatically.' });
    this.retryAfterMs = retryAfterMs;
  }
}
