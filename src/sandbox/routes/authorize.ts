import type { IncomingMessage } from 'node:http';
import { problem } from '../reply.ts';
import type { Reply } from '../reply.ts';
import type { Tokens } from '../tokens.ts';

/** Null if the request may pass; otherwise the 401 (interface 5.4, 7). */
export function refuseUnauthorized(tokens: Tokens, request: IncomingMessage): Reply | null {
  const refusal = tokens.refusal(request.headersDistinct['authorization'] ?? []);
  return refusal === null
    ? null
    : problem(401, 'unauthorized', refusal, { 'www-authenticate': 'Bearer realm="sandbox"' });
}
