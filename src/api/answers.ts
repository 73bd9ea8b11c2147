import { ReceiptdError } from '../core/domain/errors.ts';
import { isLoopback } from '../core/domain/loopback.ts';
import type { Answer } from '../core/domain/outcome.ts';

type ResponseAnswer = Extract<Answer, { kind: 'response' }>;
type FaultAnswer = Extract<Answer, { kind: 'fault' }>;

const WORDS_LIMIT = 200;
const QUOTED_FROM = 20_000;

export function isSuccess(response: ResponseAnswer): boolean {
  return response.httpStatus >= 200 && response.httpStatus < 300;
}

/** The body as JSON; undefined if it is not JSON. */
export function json(response: ResponseAnswer): unknown {
  try {
    return JSON.parse(response.body);
  } catch {
    return undefined;
  }
}

/** The service's message on one line, to append to a sentence; '' if the body is empty. */
export function words(response: ResponseAnswer): string {
  // Cut first: the regular expression would be too slow on megabytes of spaces.
  const line = response.body
    .slice(0, QUOTED_FROM)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line === '') return '';
  return `: "${line.length > WORDS_LIMIT ? `${line.slice(0, WORDS_LIMIT)}…` : line}"`;
}

export function unreachable({ code, fault }: FaultAnswer, host: string): ReceiptdError {
  const { hostname, port } = new URL(`http://${host}`);
  if (fault.at === 'proxy' || fault.at === 'proxyAnswer' || fault.at === 'forward')
    return new ReceiptdError('SERVICE_UNREACHABLE.proxy', { fault });
  // The sandbox that `setup --sandbox` configured is only there while somebody runs it.
  if (code === 'ECONNREFUSED' && isLoopback(hostname))
    return new ReceiptdError('SERVICE_UNREACHABLE.practice', { fault, port: Number(port) || 80 });
  return new ReceiptdError('SERVICE_UNREACHABLE.service', { fault });
}
