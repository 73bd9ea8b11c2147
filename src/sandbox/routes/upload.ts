import type { IncomingMessage } from 'node:http';
import { drain } from '../body.ts';
import { documentRecord } from '../records.ts';
import { jsonText, problem } from '../reply.ts';
import type { SandboxReply } from '../reply.ts';
import type { SandboxTarget } from '../target.ts';
import { refuseUnauthorized } from './authorize.ts';
import type { Service } from './service.ts';

/** Interface 4.4, which does not show the statuses 400, 404, 409, 413 and 429; they are guesses. */
export async function upload(
  service: Service,
  request: IncomingMessage,
  target: SandboxTarget,
): Promise<SandboxReply> {
  const { plan } = service;
  const checked = check(service, request, target);
  if ('status' in checked) {
    await drain(request);
    return checked;
  }
  if (!plan.take()) {
    await drain(request);
    return problem(service.quotaStatus, 'quota_exhausted', "the plan's quota of receipts is used up");
  }
  let accepted = false;
  try {
    const reply = await receive(service, request, checked);
    accepted = reply.status === 200;
    return reply;
  } finally {
    if (!accepted) plan.giveBack();
  }
}

interface DocumentKey {
  readonly endpointUid: string;
  readonly name: string;
}

function check(
  service: Service,
  request: IncomingMessage,
  target: SandboxTarget,
): SandboxReply | DocumentKey {
  const refusal = refuseUnauthorized(service.tokens, request);
  if (refusal) return refusal;
  if (!service.plan.plan.enabled) return problem(403, 'plan_missing', 'the plan does not include receipts');
  const { endpointUid, names } = target;
  if (endpointUid === null || !service.endpoints.has(endpointUid)) {
    return problem(404, 'unknown_endpoint', 'there is no such endpoint');
  }
  const client = service.tokens.clientOf(request.headersDistinct['authorization'] ?? []);
  if (!service.clients.mayUse(endpointUid, client))
    return problem(403, 'other_account', 'the endpoint belongs to another account');
  if (names === null) return problem(400, 'invalid_request', 'the query is not well-formed UTF-8');
  const [name] = names;
  if (name === undefined || name === '') return problem(400, 'name_missing', 'the name parameter is missing');
  if (names.length > 1) return problem(400, 'name_repeated', 'there is more than one name parameter');
  return { endpointUid, name };
}

async function receive(service: Service, request: IncomingMessage, key: DocumentKey): Promise<SandboxReply> {
  const { store, maxBodyBytes } = service;
  // If the disk is full, the request must not be destroyed, or the client would get no answer.
  const body: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  const incoming = await store.receive(body, maxBodyBytes);
  if (incoming === null) return problem(413, 'too_large', `the body has more than ${maxBodyBytes} bytes`);
  if (incoming.bytes === 0) {
    await store.discard(incoming);
    return problem(400, 'body_empty', 'the body is empty');
  }
  const acceptRepeats = service.onRepeat === 'accept';
  const { document, kept } = await store.keep(incoming, {
    ...key,
    contentType: request.headers['content-type'] ?? null,
    now: service.clock.now(),
    acceptRepeats,
  });
  if (kept !== 'new' && !acceptRepeats) {
    return problem(409, 'name_taken', 'the endpoint holds a document of that name already');
  }
  service.poster.stored(document);
  return { ...jsonText(200, documentRecord(document)), document };
}
