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
    throw new ReceiptdError(
      'CREDENTIALS_REFUSED',
      `${transport.host} recognizes these credentials but does not allow them to be used (HTTP 403)${words(answer)}.`,
      { hint: "Check the account and its plan on the service's website." },
    );
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
