import { z } from 'zod';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { EndpointRecord, EndpointRequest, TokenSource } from '../core/ports/service.ts';
import { isSuccess, json, unreachable, words } from './answers.ts';
import { authorized } from './authorized.ts';
import type { Transport } from './transport.ts';

/** Interface 2.1: the fields that the agent needs; the whole record is kept verbatim. */
const endpointAnswer = z.object({ uid: z.string().min(1), name: z.string().optional() });

/**
 * Interface 4.3, which does not show the status code of a success, so any 2xx with a record counts. An outcome that may have
 * created an endpoint whose uid is unknown is CREATE_UNCERTAIN.
 */
export async function createEndpoint(
  transport: Transport,
  tokens: TokenSource,
  request: EndpointRequest,
  signal?: AbortSignal,
): Promise<EndpointRecord> {
  const { host } = transport;
  const { name, outgoingUrl, dominantLanguage } = request;
  const answer = await authorized(
    transport,
    tokens,
    {
      method: 'POST',
      path: '/v2/endpoints',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, outgoingUrl, dominantLanguage }),
    },
    signal,
  );
  if (answer.kind === 'fault')
    throw answer.sent
      ? new ReceiptdError('CREATE_UNCERTAIN.fault', { fault: answer.fault })
      : unreachable(answer, host);
  const { httpStatus } = answer;
  if (isSuccess(answer)) {
    const parsed = endpointAnswer.safeParse(json(answer));
    if (!parsed.success) throw new ReceiptdError('CREATE_UNCERTAIN.noUid', { host, httpStatus });
    return { uid: parsed.data.uid, name: parsed.data.name ?? name, verbatim: answer.body };
  }
  if (httpStatus === 403) {
    throw new ReceiptdError('ENDPOINT_FORBIDDEN', { host, answer: words(answer) });
  }
  if (httpStatus === 408 || httpStatus >= 500)
    throw new ReceiptdError('CREATE_UNCERTAIN.status', { host, httpStatus, answer: words(answer) });
  if (httpStatus < 400) {
    // RFC 9110 15.4: only these two mean that the request was not carried out; other redirects may point to the new endpoint.
    const isNotCarriedOut = httpStatus === 307 || httpStatus === 308;
    const key = isNotCarriedOut ? 'SERVICE_ANSWER.redirect' : 'CREATE_UNCERTAIN.redirect';
    throw new ReceiptdError(key, { host, httpStatus });
  }
  throw new ReceiptdError('ENDPOINT_REFUSED', { host, httpStatus, answer: words(answer) });
}
