import type { Answer } from '../core/domain/outcome.ts';
import type { UploadProgress, UploadRequest } from '../core/ports/service.ts';
import { bearer, withoutToken } from './bearer.ts';
import type { Transport } from './transport.ts';

/** Bytes read beyond the kept part, because a secret that is cut in two would not be recognized. */
const BEYOND_BYTES = 16 * 1024;

/**
 * Interface 4.4. Sends one request; the answer is not classified here.
 *
 * @param answerLimit bytes kept of a record
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
    // Half a surrogate pair has no UTF-8 form; as U+FFFD it would be a different name.
    return {
      kind: 'fault',
      sent: false,
      code: 'NAME_NOT_UTF8',
      fault: { at: 'name' },
    };
  }
  const answer = await transport.exchange(
    {
      method: 'POST',
      path: `/v2/endpoints/${encodeURIComponent(endpoint.uid)}/documents?name=${encodeURIComponent(name)}`,
      headers: { authorization: bearer(token).authorization, 'content-type': request.mediaType },
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
  // Drops an incomplete character at the end.
  const body = new TextDecoder().decode(bytes.subarray(0, Math.max(0, end)), { stream: true });
  return { ...answer, body };
}
