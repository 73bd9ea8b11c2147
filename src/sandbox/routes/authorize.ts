import type { IncomingMessage } from 'node:http';
import { problem } from '../reply.ts';
import type { SandboxReply } from '../reply.ts';
import type { Tokens } from '../tokens.ts';

/** The 401 to answer with (interface 5.4, 7); null if the request is authorized. */
export function refuseUnauthorized(tokens: Tokens, request: IncomingMessage): SandboxReply | null {
  const refusal = tokens.refusal(request.headersDistinct['authorization'] ?? []);
  return refusal === null
    ? null
    : problem(401, 'unauthorized', refusal, { 'www-authenticate': 'Bearer realm="sandbox"' });
}
