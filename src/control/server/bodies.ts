import type { IncomingMessage, ServerResponse } from 'node:http';
import { compress, encodingFor, WORTH_BYTES } from '../../http/compression.ts';
import type { ErrorBody } from '../protocol/protocol.ts';

/** The text of a request's body; null where it is larger than `limit` bytes. */
export async function receiveText(request: IncomingMessage, limit: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > limit) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Why a request is refused. */
export const sendError: (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: ErrorBody,
  headers?: Readonly<Record<string, string>>,
) => void = sendJson;

/**
 * Compressed where the caller asks for it. To guess a secret by the length of such answers, another page would have to get many of them
 * asked for; the console's guard refuses each.
 */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  // The rest of a body that nobody reads would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  const all = { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers };
  const text = JSON.stringify(body);
  const encoding = text.length < WORTH_BYTES ? null : encodingFor(request.headers);
  if (request.method === 'HEAD' || encoding === null) {
    response.writeHead(status, all).end(request.method === 'HEAD' ? undefined : text);
    return;
  }
  compress(text, encoding, 'quick').then(
    (bytes) =>
      response
        .writeHead(status, { ...all, 'content-encoding': encoding, 'content-length': bytes.length })
        .end(bytes),
    // Out of memory, say: half an answer must not look like a whole one.
    () => response.destroy(),
  );
}
