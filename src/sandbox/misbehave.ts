import { drain } from './body.ts';
import type { SandboxExchange } from './exchange.ts';
import type { SandboxFault } from './faults.ts';
import { documentRecord } from './records.ts';
import type { SandboxReply } from './reply.ts';

const PAGE =
  '<!doctype html>\n<html><head><title>Sign in</title></head><body>Please accept the terms.</body></html>\n';

/** Applies a fault rule to a request. `work` does what the route would have done, and resolves its answer. */
export async function misbehave(
  exchange: SandboxExchange,
  fault: SandboxFault,
  work: () => Promise<SandboxReply>,
  over: AbortSignal,
): Promise<void> {
  const wait = () => exchange.pause(fault.delayMs, over);
  const instead = async (reply: SandboxReply, store: boolean): Promise<void> => {
    await (store ? work() : drain(exchange.request));
    await wait();
    exchange.send(reply);
  };
  const spoilt = async (spoil: (reply: SandboxReply) => SandboxReply): Promise<void> => {
    const reply = await work();
    await wait();
    exchange.send(reply.status < 300 ? spoil(reply) : reply);
  };
  switch (fault.kind) {
    case 'delay':
      return spoilt((reply) => reply);
    case 'status':
      return instead(statusReply(fault), fault.store);
    case 'html':
      return instead({ status: 200, headers: { 'content-type': 'text/html' }, body: PAGE }, fault.store);
    case 'redirect':
      return instead({ status: fault.status, headers: { location: fault.location }, body: '' }, fault.store);
    case 'truncatedJson':
      return spoilt((reply) => ({ ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) }));
    case 'wrongRecord':
      return spoilt((reply) => {
        if (!reply.document) return reply;
        const { name, endpointUid = reply.document.endpointUid } = fault;
        return { ...reply, body: documentRecord({ ...reply.document, name, endpointUid }) };
      });
    case 'lostAnswer':
      await work();
      await wait();
      return exchange.cut();
    case 'cut':
      return cut(exchange, fault, work, wait);
    case 'stall':
      return stall(exchange, fault, work, wait);
  }
}

async function cut(
  exchange: SandboxExchange,
  fault: Extract<SandboxFault, { kind: 'cut' }>,
  work: () => Promise<SandboxReply>,
  wait: () => Promise<void>,
): Promise<void> {
  if (fault.at === 'midBody') await readHalf(exchange);
  const reply = fault.at === 'midAnswer' ? await work() : null;
  await wait();
  if (reply) await exchange.sendHalf(reply);
  exchange.cut();
}

async function stall(
  exchange: SandboxExchange,
  fault: Extract<SandboxFault, { kind: 'stall' }>,
  work: () => Promise<SandboxReply>,
  wait: () => Promise<void>,
): Promise<void> {
  switch (fault.at) {
    case 'beforeBody':
      return exchange.abandon();
    case 'beforeAnswer':
      exchange.stall();
      await (fault.store ? work() : drain(exchange.request));
      return;
    case 'midAnswer': {
      exchange.stall();
      const reply = await work();
      await wait();
      return exchange.sendHalf(reply);
    }
  }
}

async function readHalf({ request }: SandboxExchange): Promise<void> {
  const half = Number(request.headers['content-length'] ?? 0) / 2;
  let seen = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    seen += chunk.length;
    if (seen >= half) return;
  }
}

function statusReply(fault: Extract<SandboxFault, { kind: 'status' }>): SandboxReply {
  const body =
    fault.body ?? JSON.stringify({ error: 'sandbox_fault', message: `HTTP ${fault.status}, as told` });
  return {
    status: fault.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) }),
    },
    body,
  };
}
