import { isIP } from 'node:net';
import { z } from 'zod';
import { readJson } from '../body.ts';
import { CLIENTS, type Clients } from '../clients.ts';
import type { SandboxExchange } from '../exchange.ts';
import type { FaultBook } from '../faults.ts';
import { json, problem } from '../reply.ts';
import type { SandboxReply } from '../reply.ts';
import { RESULT, type ResultPoster } from '../results.ts';
import type { SandboxStats } from '../stats.ts';
import type { DocumentStore } from '../store.ts';

export interface Controls {
  readonly faults: FaultBook;
  readonly store: DocumentStore;
  readonly stats: () => SandboxStats;
  readonly poster: ResultPoster;
  readonly clients: Clients;
}

/**
 * The sandbox's own routes, which are not part of the interface. Loopback only; no token needed.
 *
 *   GET    /sandbox/documents   what was received: array of documents, as in documents.jsonl
 *   GET    /sandbox/stats       requests, repeats, concurrency, arrivals
 *   GET    /sandbox/faults      the fault rules in force, and how often each fired
 *   PUT    /sandbox/faults      replaces the rules: an array of rules, or one rule
 *   DELETE /sandbox/faults      removes all rules
 *   PUT    /sandbox/credentials replaces the accepted credentials: an array of clientId and clientSecret; other tokens end
 *   POST   /sandbox/results     posts a result to an endpoint's outgoingUrl now; answers with the statuses
 *
 * For example, to answer every second upload with 503, on average:
 *
 *   curl -X PUT http://127.0.0.1:PORT/sandbox/faults \
 *        -d '[{"kind":"status","status":503,"probability":0.5}]'
 *
 * To post a result twice, or (with `payload`) one that is not JSON:
 *
 *   curl http://127.0.0.1:PORT/sandbox/results \
 *        -d '{"endpointUid":"UID","name":"NAME","status":"DONE","times":2}'
 */
export async function control(controls: Controls, exchange: SandboxExchange, path: string): Promise<void> {
  const { request } = exchange;
  const body = await readJson(request);
  // A page whose name was pointed at this machine (DNS rebinding) comes from a loopback address too.
  if (!isLoopback(request.socket.remoteAddress) || !isLoopbackName(request.headers.host)) {
    return exchange.send(problem(403, 'loopback_only', 'the controls answer to this machine only'));
  }
  const given = (work: (value: unknown) => SandboxReply | Promise<SandboxReply>) =>
    body.ok ? work(body.value) : problem(400, 'invalid_request', body.message);
  switch (`${request.method} ${path}`) {
    case 'GET /sandbox/documents':
      return exchange.sendPieces(documentList(controls.store), { 'content-type': 'application/json' });
    case 'GET /sandbox/stats':
      return exchange.send(json(200, controls.stats()));
    case 'GET /sandbox/faults':
      return exchange.send(json(200, controls.faults.report()));
    case 'PUT /sandbox/faults':
      return exchange.send(await given((value) => replaceFaults(controls.faults, value)));
    case 'DELETE /sandbox/faults':
      controls.faults.replace([]);
      return exchange.send(json(200, []));
    case 'PUT /sandbox/credentials':
      return exchange.send(await given((value) => takeCredentials(controls.clients, value)));
    case 'POST /sandbox/results':
      return exchange.send(await given((value) => postResult(controls.poster, value)));
    default:
      return exchange.send(problem(404, 'not_found', `there is no ${request.method} ${path}`));
  }
}

function replaceFaults(faults: FaultBook, value: unknown): SandboxReply {
  try {
    faults.replace(Array.isArray(value) ? value : [value]);
  } catch (error) {
    if (error instanceof z.ZodError) return problem(400, 'invalid_rule', z.prettifyError(error));
    throw error;
  }
  return json(200, faults.report());
}

/** The answer does not repeat the credentials. */
function takeCredentials(clients: Clients, value: unknown): SandboxReply {
  const parsed = CLIENTS.safeParse(value);
  if (!parsed.success) return problem(400, 'invalid_request', z.prettifyError(parsed.error));
  clients.take(parsed.data);
  return json(200, {});
}

async function postResult(poster: ResultPoster, value: unknown): Promise<SandboxReply> {
  const parsed = RESULT.safeParse(value);
  if (!parsed.success) return problem(400, 'invalid_request', z.prettifyError(parsed.error));
  const answers = await poster.post(parsed.data);
  if (answers === null) return problem(404, 'no_outgoing_url', 'no such endpoint has an outgoingUrl');
  return json(200, { answers });
}

/** In pieces, because the list of a million documents does not fit into one string. */
function* documentList(store: DocumentStore): IterableIterator<string> {
  let separator = '[';
  for (const entry of store.entries()) {
    yield separator + JSON.stringify(entry);
    separator = ',\n';
  }
  yield separator === '[' ? '[]' : ']';
}

/** IPv4 127.0.0.0/8, also as seen by an IPv6 socket, and ::1. */
export function isLoopback(address: string | undefined): boolean {
  const plain = address?.replace(/^::ffff:/, '') ?? '';
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

function isLoopbackName(host = ''): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, '');
  return name === 'localhost' || name === '[::1]' || (isIP(name) === 4 && name.startsWith('127.'));
}
