/** Layer two: some documents through ledger, flow and client, while the service answers arbitrarily and then recovers. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { TokenSource } from '../../../src/core/ports/service.ts';
import { createReceiptService } from '../../../src/api/receiptService.ts';
import { createRedactor } from '../../../src/logs/redact.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import type { Context } from './bodies.ts';
import { leaked, NAMES, routeOf, SECRET, TOKEN, UID } from './clientCase.ts';
import { HostileServer, type Exchange } from './hostileServer.ts';
import { judgeDocument, type Sent } from './judgeDocument.ts';
import { plans, USUAL, type Plan, type Route } from './plan.ts';
import type { Breach } from './run.ts';
import { makePlace, startSending } from './sendingHalf.ts';
import { TextLog } from './still.ts';
import { wireOf } from './wire.ts';

export interface Sequence {
  readonly documents: readonly { readonly name: string; readonly size: number }[];
  /** Answers to the first uploads and token requests, in order; later ones are answered correctly. */
  readonly uploads: readonly Plan[];
  readonly tokens: readonly Plan[];
  readonly atOnce: number;
}

/** Excludes answers sent before or after their request, which belong to no document. */
const sequencePlans = plans.map(
  (plan) =>
    ({
      ...plan,
      start: plan.start === 'connect' ? 'head' : plan.start,
      after: plan.after === 'secondLater' ? 'second' : plan.after,
    }) satisfies Plan,
);

export const sequences: fc.Arbitrary<Sequence> = fc.record({
  documents: fc.array(
    fc.record({
      name: fc.constantFrom(...NAMES),
      size: fc.oneof(
        { weight: 9, arbitrary: fc.constant(200) },
        { weight: 1, arbitrary: fc.constant(300_000) },
      ),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  uploads: fc.array(sequencePlans, { minLength: 1, maxLength: 6 }),
  tokens: fc.oneof(fc.constant([]), fc.array(sequencePlans, { maxLength: 3 })),
  atOnce: fc.constantFrom(1, 3),
});

const QUICK = { connectMs: 5000, progressMs: 300, headersMs: 300, bodyMs: 300 };
const PATIENT = { connectMs: 10_000, progressMs: 2000, headersMs: 2000, bodyMs: 2000 };
const STEP_MS = 10 * 60_000;
/** More than six times the longest wait that a service may ask for. */
const HEALED_AFTER_MS = 9 * 24 * 3_600_000;
/** Longer than all timeouts of the client together: a request in flight for longer waits for the virtual clock. */
const inFlightMs = ({ progressMs, headersMs, bodyMs }: typeof QUICK): number =>
  2 * (progressMs + headersMs + bodyMs);
const DEADLINE_MS = 120_000;

/** `isPatient`: use longer client timeouts. */
export async function runSequence(one: Sequence, root: string, isPatient: boolean): Promise<Breach | null> {
  const timeouts = isPatient ? PATIENT : QUICK;
  const clock = new FakeClock();
  const place = await makePlace(root, clock);
  const sent = new Map<string, Sent>();
  const plansOf: Record<Route, Plan[]> = {
    upload: [...one.uploads],
    token: [...one.tokens],
    whoami: [],
    create: [],
  };
  const server = await HostileServer.listen({
    early: () => null,
    reply: (exchange) => {
      const route = routeOf(exchange);
      const context = contextOf(exchange, route);
      const isKnown = /^authorization: Bearer (.*)$/im.exec(exchange.head)?.[1] === TOKEN;
      const proper = route === 'upload' && !isKnown ? { ...USUAL, status: 401 } : USUAL;
      const plan = plansOf[route].shift() ?? proper;
      const reply = { plan, wire: wireOf(plan, context) };
      sent.get(context.name)?.given.push({ exchange, reply });
      return reply;
    },
    done: () => {},
  });
  const secrets = createRedactor([SECRET]);
  const log = new TextLog(secrets);
  const baseUrl = `http://127.0.0.1:${server.port}`;
  const endpoint = { baseUrl, uid: UID };
  const { service, tokens } = createReceiptService({
    baseUrl,
    timeouts,
    connections: one.atOnce,
    credentials: { get: async () => ({ clientId: 'trial', clientSecret: SECRET, store: 'environment' }) },
    clock,
    log,
    redact: (text) => secrets.redactCut(text),
    hide: (text) => secrets.hide(text),
  });
  // Registers the token as a secret before its use, like the agent.
  const named: TokenSource = {
    refused: (token) => tokens.refused(token),
    async token(signal) {
      const token = await tokens.token(signal);
      secrets.addSecret(token);
      return token;
    },
  };
  const { ledger } = place;
  let breach: Breach | null;
  try {
    for (const [at, { name, size }] of one.documents.entries()) {
      const bytes = Buffer.alloc(size, `${at} `);
      const document = await place.admit(endpoint, `${name}-${at}`, bytes);
      sent.set(document.name, { id: document.id, bytes, given: [] });
    }
    const parts = { place, endpoint, concurrency: one.atOnce, clock, log, service, tokens: named };
    const sending = await startSending(parts);
    const documents = [...sent.values()];
    const isHealed = await untilSettled(clock, sending.flow, inFlightMs(timeouts), () =>
      areSettled(ledger, documents),
    );
    breach = await judge(ledger, documents, log, isHealed);
    await sending.stop();
  } catch (error) {
    breach = { sentence: `threw ${error instanceof Error ? error.stack : String(error)}`, late: false };
  } finally {
    await service.close();
    await server.close();
    await ledger.close();
  }
  breach ??= leaked([...log.lines, ...(await written(place.dir))]);
  await place.remove();
  return breach;
}

async function areSettled(ledger: Ledger, documents: readonly Sent[]): Promise<boolean> {
  for (const { id } of documents) {
    const state = (await ledger.document(id))?.state;
    if (state === 'queued' || state === 'uploading') return false;
  }
  return true;
}

async function judge(
  ledger: Ledger,
  documents: readonly Sent[],
  log: TextLog,
  isHealed: boolean,
): Promise<Breach | null> {
  const breach = (sentence: string, late = false): Breach => ({ sentence, late });
  const holds = JSON.stringify(await ledger.holds());
  const details = await Promise.all(documents.map(({ id }) => ledger.detail(id)));
  if (!isHealed) {
    const states = details.map((detail) => `${detail?.document.state} ${detail?.document.reason}`);
    return breach(`does not recover: ${states.join(', ')}; holds ${holds}`, true);
  }
  for (const [at, each] of documents.entries()) {
    const detail = details[at];
    const sentence = detail ? judgeDocument(detail, each) : 'a document is missing from the ledger';
    if (sentence !== null) return breach(sentence);
  }
  if (holds !== '[]') return breach(`still on hold at the end: ${holds}`);
  const defect = log.lines.find((line) => /could not continue|stays in state uploading/.test(line));
  return defect === undefined ? null : breach(`a defect: ${defect}`);
}

function contextOf({ requestLine }: Exchange, route: Route): Context {
  const name = decodeURIComponent(/[?&]name=([^ &]*)/.exec(requestLine ?? '')?.[1] ?? '');
  return { route, name, uid: UID, token: TOKEN, secret: SECRET };
}

async function untilSettled(
  clock: FakeClock,
  flow: { readonly inFlight: number },
  inFlight: number,
  isSettled: () => Promise<boolean>,
): Promise<boolean> {
  const began = performance.now();
  let busySince: number | null = null;
  while (clock.monotonic() < HEALED_AFTER_MS && performance.now() - began < DEADLINE_MS) {
    if (flow.inFlight === 0) busySince = null;
    else busySince ??= performance.now();
    const isWaiting = busySince !== null && performance.now() - busySince < inFlight;
    if (isWaiting) await sleep(1);
    await clock.advance(isWaiting ? 0 : STEP_MS);
    if (flow.inFlight === 0 && (await isSettled())) return true;
  }
  return false;
}

/** All written files except the scans. */
async function written(dir: string): Promise<string[]> {
  const files = await readdir(dir, { withFileTypes: true });
  return Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(dir, file.name), 'latin1')),
  );
}
