import type { IncomingMessage, ServerResponse } from 'node:http';
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

export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  // The rest of a body that nobody reads would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(request.method === 'HEAD' ? undefined : JSON.stringify(body));
}
