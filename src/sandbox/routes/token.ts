import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readJson } from '../body.ts';
import { json, problem } from '../reply.ts';
import type { SandboxReply } from '../reply.ts';
import type { Service } from './service.ts';

// Strict, to reveal drift in the client: fields beyond those of interface 4.1.
const REQUEST = z.strictObject({
  client_id: z.string(),
  client_secret: z.string(),
  grant_type: z.literal('client_credentials'),
});

/** Interface 4.1. Answers never quote the body, because it contains the secret. */
export async function token(service: Service, request: IncomingMessage): Promise<SandboxReply> {
  const body = await readJson(request);
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return problem(400, 'invalid_request', 'the Content-Type is not application/json');
  }
  if (!body.ok) return problem(400, 'invalid_request', 'the body is not JSON');
  const parsed = REQUEST.safeParse(body.value);
  if (!parsed.success) return problem(400, 'invalid_request', z.prettifyError(parsed.error));
  const { client_id: clientId, client_secret: clientSecret } = parsed.data;
  if (!service.clients.has(clientId, clientSecret)) {
    return problem(401, 'invalid_client', 'the client identifier or the client secret is wrong');
  }
  return json(
    200,
    {
      access_token: service.tokens.issue(clientId),
      expires_in: service.tokenLifetimeSeconds,
      scope: '',
      token_type: 'Bearer',
    },
    { 'cache-control': 'no-store' },
  );
}
