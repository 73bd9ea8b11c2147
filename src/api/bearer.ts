import type { Answer } from '../core/domain/outcome.ts';

/** Interface 5.4: `Bearer`, exactly one space, the token. */
export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/**
 * Removes the token from an error answer: a proxy's error page may repeat request headers, and its text ends up in the ledger and
 * the logs. A success is not changed, because its record is kept verbatim and quoted nowhere.
 */
export function withoutToken(answer: Answer, token: string): Answer {
  if (answer.kind === 'fault' || (answer.httpStatus >= 200 && answer.httpStatus < 300)) return answer;
  return { ...answer, body: answer.body.replaceAll(token, '***') };
}
