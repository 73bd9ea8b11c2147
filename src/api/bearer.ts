import type { Answer } from '../core/domain/outcome.ts';

/** Interface 5.4: the word, exactly one space, the token. */
export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/**
 * A proxy's error page may show the headers of the request, and its words end in ledger and logs. A success
 * is left as it came: it is quoted nowhere, and its record is kept verbatim.
 */
export function withoutToken(answer: Answer, token: string): Answer {
  if (answer.kind === 'fault' || (answer.httpStatus >= 200 && answer.httpStatus < 300)) return answer;
  return { ...answer, body: answer.body.replaceAll(token, '***') };
}
