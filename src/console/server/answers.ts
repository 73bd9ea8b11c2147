import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorBody } from '../../control/protocol/protocol.ts';

export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: ErrorBody,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(request, response, status, body, headers);
}

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

/** Null: larger than `limit` bytes, or not a JSON object. */
export async function receiveObject(
  request: IncomingMessage,
  limit: number,
): Promise<Record<string, unknown> | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > limit) return null;
    chunks.push(bytes);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
