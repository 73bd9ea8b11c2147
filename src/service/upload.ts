import type { Answer } from '../domain/outcome.ts';
import type { UploadProgress, UploadRequest } from '../ports/service.ts';
import { bearer, withoutToken } from './bearer.ts';
import type { Transport } from './transport.ts';

/** Interface 4.4. One request; the answer is not judged here. */
export async function upload(
  transport: Transport,
  request: UploadRequest,
  signal: AbortSignal,
  progress: UploadProgress = {},
): Promise<Answer> {
  const { endpoint, name, token } = request;
  if (/\p{Surrogate}/u.test(name)) {
    // Half a surrogate pair has no UTF-8 form; sent as U+FFFD it would be another name.
    return {
      kind: 'fault',
      sent: false,
      code: 'NAME_NOT_UTF8',
      message: 'The name can not be put into an address.',
    };
  }
  const answer = await transport.exchange(
    {
      method: 'POST',
      path: `/v2/endpoints/${encodeURIComponent(endpoint.uid)}/documents?name=${encodeURIComponent(name)}`,
      headers: { ...bearer(token), 'content-type': request.mediaType },
      body: request.bytes,
      ...progress,
    },
    signal,
  );
  return withoutToken(answer, token);
}
