import type { IncomingMessage, ServerResponse } from 'node:http';
import { drain } from './body.ts';
import { SandboxExchange } from './exchange.ts';
import type { FaultBook } from './faults.ts';
import { misbehave } from './misbehave.ts';
import type { RequestEvent } from './options.ts';
import { problem } from './reply.ts';
import type { SandboxReply } from './reply.ts';
import { control } from './routes/control.ts';
import type { Controls } from './routes/control.ts';
import { createEndpoint } from './routes/createEndpoint.ts';
import type { Service } from './routes/service.ts';
import { token } from './routes/token.ts';
import { upload } from './routes/upload.ts';
import { whoami } from './routes/whoami.ts';
import type { SandboxMeter } from './stats.ts';
import { parseTarget } from './target.ts';
import type { SandboxRoute, ServiceRoute, SandboxTarget } from './target.ts';

export interface Handling {
  readonly service: Service;
  readonly controls: Controls;
  readonly faults: FaultBook;
  readonly meter: SandboxMeter;
  readonly onRequest: (event: RequestEvent) => void;
}

/** Handles a request from head to end. Resolves when all work for it is done; never rejects. */
export async function handle(
  all: Handling,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { service, meter } = all;
  const method = request.method ?? 'GET';
  const target = parseTarget(method, request.url ?? '/');
  const { route } = target;
  const startedAt = service.clock.monotonic();
  const name = target.names?.[0] ?? null;
  const known = target.endpointUid !== null && service.endpoints.has(target.endpointUid);
  const uploadOver = route === 'upload' ? meter.uploadArrived(known ? target.endpointUid : null) : null;
  const fault = isServiceRoute(route) ? all.faults.pick(route, name) : null;
  const { over } = all.faults;
  const exchange = new SandboxExchange(request, response, (ending) => {
    uploadOver?.();
    if (route !== 'control') meter.count(route, ending);
    const tookMs = service.clock.monotonic() - startedAt;
    all.onRequest({ method, route, path: target.path, ending, tookMs, name, fault: fault?.kind ?? null });
  });
  try {
    if (route === 'control') return await control(all.controls, exchange, target.path);
    const work = (): Promise<SandboxReply> => WORK[route](service, request, target);
    if (fault) return await misbehave(exchange, fault, work, over);
    exchange.send(await work());
  } catch (error) {
    // The client went away, which is not an error here; the exchange counts it.
    if (!exchange.answerable) return;
    exchange.send(problem(500, 'sandbox_failed', error instanceof Error ? error.message : 'unknown'));
  }
}

const WORK: Readonly<
  Record<
    SandboxRoute,
    (service: Service, request: IncomingMessage, target: SandboxTarget) => Promise<SandboxReply>
  >
> = { token, whoami, createEndpoint, upload, control: unrouted, other: unrouted };

async function unrouted(
  _service: Service,
  request: IncomingMessage,
  { allow }: SandboxTarget,
): Promise<SandboxReply> {
  await drain(request);
  return allow.length === 0
    ? problem(404, 'not_found', 'there is no such route')
    : problem(405, 'method_not_allowed', `use ${allow.join(', ')}`, { allow: allow.join(', ') });
}

function isServiceRoute(route: SandboxRoute): route is ServiceRoute {
  return route !== 'control' && route !== 'other';
}
