import type { IncomingMessage, ServerResponse } from 'node:http';
import { compress, encodingFor, WORTH_BYTES } from '../../http/compression.ts';
import type { ReceiptdError } from '../../core/domain/errors.ts';

/** The text of a request's body; null if it is larger than `limit` bytes. */
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

/** Sends the reason why a request is refused. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  error: ReceiptdError,
  headers?: Readonly<Record<string, string>>,
): void {
  sendJson(request, response, status, error.facts(), headers);
}

/**
 * Sends JSON, compressed if the caller accepts that. To guess a secret from the length of compressed answers (BREACH), a foreign
 * page would have to trigger many requests, and the console's guard refuses them all.
 */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  // The unread rest of a body would be parsed as the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  const all = { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers };
  const text = JSON.stringify(body);
  const encoding = text.length < WORTH_BYTES ? null : encodingFor(request.headers);
  if (request.method === 'HEAD' || encoding === null) {
    response.writeHead(status, all).end(request.method === 'HEAD' ? undefined : text);
    return;
  }
  compress(text, encoding).then(
    (bytes) =>
      response
        .writeHead(status, { ...all, 'content-encoding': encoding, 'content-length': bytes.length })
        .end(bytes),
    // Compression can fail, for example out of memory: a partial answer must not look complete.
    () => response.destroy(),
  );
}
