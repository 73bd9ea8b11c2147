import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readJson } from '../body.ts';
import { json, problem } from '../reply.ts';
import type { SandboxReply } from '../reply.ts';
import { refuseUnauthorized } from './authorize.ts';
import type { Service } from './service.ts';

// The interface does not show which fields are required; a name is the minimum. Unknown fields reveal drift in the client.
const REQUEST = z.strictObject({
  name: z.string().min(1),
  outgoingUrl: z.url().exactOptional(),
  dominantLanguage: z
    .string()
    .regex(/^[a-z]{2}-[A-Z]{2}$/, 'expected a language and a region, like de-CH')
    .exactOptional(),
});

/** Interface 4.3. */
export async function createEndpoint(service: Service, request: IncomingMessage): Promise<SandboxReply> {
  const body = await readJson(request);
  const refusal = refuseUnauthorized(service.tokens, request);
  if (refusal) return refusal;
  if (!body.ok) return problem(400, 'invalid_request', body.message);
  const parsed = REQUEST.safeParse(body.value);
  if (!parsed.success) return problem(400, 'invalid_request', z.prettifyError(parsed.error));
  return json(service.createStatus, await service.endpoints.create(parsed.data, service.clock.now()));
}
