import { ReceiptdError } from '../core/domain/errors.ts';
import type { Answer } from '../core/domain/outcome.ts';
import type { TokenSource } from '../core/ports/service.ts';
import { words } from './answers.ts';
import { bearer, withoutToken } from './bearer.ts';
import type { HttpExchange, Transport } from './transport.ts';

/**
 * Sends a request with a token. After a 401, which means that nothing was done, repeats it once with a new token.
 *
 * @throws ReceiptdError CREDENTIALS_REFUSED after a second 401, and what the token source throws
 */
export async function authorized(
  transport: Transport,
  tokens: TokenSource,
  request: HttpExchange,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const send = async (): Promise<Answer> => {
    const token = await tokens.token(signal);
    const headers = { ...request.headers, ...bearer(token) };
    const answer = withoutToken(await transport.exchange({ ...request, headers }, signal), token);
    if (answer.kind === 'response' && answer.httpStatus === 401) tokens.refused(token);
    return answer;
  };
  const first = await send();
  if (first.kind === 'fault' || first.httpStatus !== 401) return first;
  const second = await send();
  if (second.kind === 'fault' || second.httpStatus !== 401) return second;
  throw new ReceiptdError('CREDENTIALS_REFUSED.freshToken', { host: transport.host, answer: words(second) });
}
