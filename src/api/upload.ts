import type { Answer } from '../core/domain/outcome.ts';
import type { UploadProgress, UploadRequest } from '../core/ports/service.ts';
import { bearer, withoutToken } from './bearer.ts';
import type { Transport } from './transport.ts';

/** A secret that is cut in two is not recognised any more: so much more is looked at than is kept. */
const BEYOND_BYTES = 16 * 1024;

/**
 * Interface 4.4. One request; the answer is not judged here.
 *
 * @param answerLimit bytes of a record that are kept
 */
export async function upload(
  transport: Transport,
  request: UploadRequest,
  signal: AbortSignal,
  progress: UploadProgress,
  answerLimit: number,
): Promise<Answer> {
  const { endpoint, name, token } = request;
  if (/\p{Surrogate}/u.test(name)) {
    // Half a surrogate pair has no UTF-8 form; sent as U+FFFD it would be another name.
    return {
      kind: 'fault',
      sent: false,
      code: 'NAME_NOT_UTF8',
      message: 'The name cannot be put into an address.',
    };
  }
  const answer = await transport.exchange(
    {
      method: 'POST',
      path: `/v2/endpoints/${encodeURIComponent(endpoint.uid)}/documents?name=${encodeURIComponent(name)}`,
      headers: { ...bearer(token), 'content-type': request.mediaType },
      body: request.bytes,
      keep: { kept: answerLimit, beyond: BEYOND_BYTES },
      ...progress,
    },
    signal,
  );
  return withoutToken(shortened(answer, answerLimit), token);
}

function shortened(answer: Answer, answerLimit: number): Answer {
  if (answer.kind === 'fault' || answer.large === undefined) return answer;
  const bytes = Buffer.from(answer.body);
  const isCut = answer.large.bytes > answerLimit + BEYOND_BYTES;
  const end = Math.min(answerLimit, bytes.length - (isCut ? BEYOND_BYTES : 0));
  // The first bytes of a character that goes on behind the end are left out.
  const body = new TextDecoder().decode(bytes.subarray(0, Math.max(0, end)), { stream: true });
  return { ...answer, body };
}
