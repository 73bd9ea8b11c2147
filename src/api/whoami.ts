import { z } from 'zod';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { TokenSource, Whoami } from '../core/ports/service.ts';
import { isSuccess, json, unreachable, words } from './answers.ts';
import { authorized } from './authorized.ts';
import type { Transport } from './transport.ts';

/** Interface 2.4. */
const whoamiAnswer = z.object({ company: z.string(), message: z.string() });

/** Interface 4.2. */
export async function whoami(
  transport: Transport,
  tokens: TokenSource,
  signal?: AbortSignal,
): Promise<Whoami> {
  const answer = await authorized(
    transport,
    tokens,
    { method: 'GET', path: '/v2/whoami', headers: {} },
    signal,
  );
  const { host } = transport;
  if (answer.kind === 'fault') throw unreachable(answer, host);
  const { httpStatus } = answer;
  if (httpStatus === 403)
    throw new ReceiptdError('CREDENTIALS_REFUSED.notAllowed', { host, answer: words(answer) });
  if (!isSuccess(answer))
    throw new ReceiptdError('SERVICE_ANSWER.whoamiStatus', { host, httpStatus, answer: words(answer) });
  const parsed = whoamiAnswer.safeParse(json(answer));
  if (!parsed.success) throw new ReceiptdError('SERVICE_ANSWER.whoami', { host });
  return parsed.data;
}
