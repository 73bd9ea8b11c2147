import { z } from 'zod';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { TokenSource, Whoami } from '../core/ports/service.ts';
import { isSuccess, json, strangeAnswer, unreachable, words } from './answers.ts';
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
  if (answer.kind === 'fault') throw unreachable(answer, transport.host);
  if (answer.httpStatus === 403) {
    throw new ReceiptdError('CREDENTIALS_REFUSED.notAllowed', {
      host: transport.host,
      answer: words(answer),
    });
  }
  if (!isSuccess(answer)) {
    throw strangeAnswer(
      `${transport.host} answered the credentials check with HTTP ${answer.httpStatus}${words(answer)}.`,
    );
  }
  const parsed = whoamiAnswer.safeParse(json(answer));
  if (!parsed.success)
    throw strangeAnswer(`${transport.host} gave an unexpected answer to the credentials check.`);
  return parsed.data;
}
