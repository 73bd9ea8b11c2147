/** The client of the service against the hostile server, request by request. */
import * as fc from 'fast-check';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { classify } from '../../../src/core/domain/outcome.ts';
import { createReceiptService } from '../../../src/api/receiptService.ts';
import { createRedactor } from '../../../src/logs/redact.ts';
import { Gate } from '../support/gate.ts';
import type { Context } from './bodies.ts';
import { HostileServer, type Exchange, type Reply } from './hostileServer.ts';
import {
  judgeCreate,
  judgeToken,
  judgeUpload,
  judgeWhoami,
  type Breach,
  type Given,
  type Result,
} from './judge.ts';
import { plans, ROUTES, USUAL, type Plan, type Route } from './plan.ts';
import { StillClock, TextLog } from './still.ts';
import type { Certificate } from './certificate.ts';
import { wireOf } from './wire.ts';
import { faultText } from '../../../src/core/domain/why.ts';

interface Step {
  readonly route: Route;
  readonly plan: Plan;
  readonly name: string;
  readonly size: number;
  /** Whether an earlier answer about the document was lost. */
  readonly afterLost: boolean;
}

export interface ClientCase {
  readonly way: 'plain' | 'proxy' | 'tls';
  readonly steps: readonly Step[];
  /** Whether a regular upload follows, which must succeed despite everything before. */
  readonly heals: boolean;
}

const NAMES = [
  'office_2026-03-02_scan-0001_a1b2c3d4',
  'Caf\u00e9 Z\u00fcrich_\u00e4.jpg',
  'Cafe\u0301.jpg',
  'a+b & c#d %20 e/f?g=h;i.jpg',
  '\u{1f9fe}\u0625\u064a\u0635\u0627\u0644',
  'broken \ufffd.jpg',
  ' "quoted" \\ back ',
  'x'.repeat(255),
] as const;

export const UID = '0b8d6a52-6f5e-4c0a-9d3b-1d7a4c2e9f10';
export const SECRET = 'zQ7-recognisable-"secret\\/+-91';
export const TOKEN = 'eyJ0b2tlbi1vZi10aGUtdHJpYWw.recognisable-token~1';

const clientCases: fc.Arbitrary<ClientCase> = fc.record({
  way: fc.oneof(
    { weight: 90, arbitrary: fc.constant<ClientCase['way']>('plain') },
    { weight: 6, arbitrary: fc.constant<ClientCase['way']>('proxy') },
    // Loading the certificate authorities for a client takes as long as several cases.
    { weight: 2, arbitrary: fc.constant<ClientCase['way']>('tls') },
  ),
  steps: fc.array(
    fc.record({
      route: fc.oneof(
        { weight: 6, arbitrary: fc.constant<Route>('upload') },
        { weight: 4, arbitrary: fc.constantFrom<Route[]>(...ROUTES) },
      ),
      plan: plans,
      name: fc.constantFrom(...NAMES),
      size: fc.oneof(
        { weight: 80, arbitrary: fc.constantFrom(1, 200) },
        { weight: 8, arbitrary: fc.constant(0) },
        { weight: 8, arbitrary: fc.constant(300_000) },
        { weight: 1, arbitrary: fc.constant(4_000_000) },
      ),
      afterLost: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  heals: fc.boolean(),
});

const QUICK = { connectMs: 5000, progressMs: 400, headersMs: 400, bodyMs: 400 };
const PATIENT = { connectMs: 10_000, progressMs: 4000, headersMs: 4000, bodyMs: 4000 };
/** Far beyond every limit of the client. */
const HANG_MS = 60_000;

const SHRINK_MS = 20_000;
const GATE = new Gate();

/** Tries the case of a seed. Returns the breach, with the smallest case that has it. */
export async function trySeed(seed: number, certificate: Certificate | null): Promise<string[]> {
  let sentence = '';
  const property = fc.asyncProperty(clientCases, async (one) => {
    const first = await GATE.inside(() => runClientCase(one, certificate, false));
    // A busy machine may be the cause: it has to happen with longer timeouts, too, while nothing else is tried.
    const breach = first?.late ? await GATE.closed(() => runClientCase(one, certificate, true)) : first;
    if (breach === null) return;
    ({ sentence } = breach);
    throw new Error(sentence);
  });
  const options = { seed, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS };
  const { failed, counterexample } = await fc.check(property, options);
  return failed && counterexample !== null
    ? [`${sentence}; the smallest case: ${fc.stringify(counterexample[0])}`]
    : [];
}

/** Cases over TLS run without it if there is no certificate. */
export async function runClientCase(
  one: ClientCase,
  certificate: Certificate | null,
  isPatient: boolean,
): Promise<Breach | null> {
  const way = one.way === 'tls' && !certificate ? 'plain' : one.way;
  let given: Given[] = [];
  let step: Step | null = null;
  let doing = 0;
  const contextFor = (route: Route): Context => ({
    route,
    name: step?.name ?? '',
    uid: UID,
    token: TOKEN,
    secret: SECRET,
  });
  const answered = (exchange: Exchange, route: Route): Reply => {
    const plan = step?.route === route ? step.plan : USUAL;
    const reply = { plan, wire: wireOf(plan, contextFor(route)) };
    doing += 1;
    given.push({ exchange, reply });
    return reply;
  };
  const server = await HostileServer.listen(
    {
      early: (exchange) => (step?.plan.start === 'connect' ? answered(exchange, step.route) : null),
      reply: (exchange) => answered(exchange, routeOf(exchange)),
      done: () => (doing -= 1),
    },
    way === 'tls' ? certificate : null,
  );
  const secrets = createRedactor([SECRET]);
  const log = new TextLog(secrets);
  const address = `${way === 'tls' ? 'https' : 'http'}://127.0.0.1:${server.port}`;
  const { service, tokens } = createReceiptService({
    baseUrl: way === 'proxy' ? 'http://service.invalid' : address,
    timeouts: isPatient ? PATIENT : QUICK,
    connections: 2,
    credentials: { get: async () => ({ clientId: 'trial', clientSecret: SECRET, store: 'environment' }) },
    clock: new StillClock(),
    log,
    redact: (text) => secrets.redactCut(text),
    hide: (text) => secrets.hide(text),
    ...(way === 'proxy' && { proxy: address }),
    ...(way === 'tls' && certificate && { ca: certificate.file }),
  });
  secrets.addSecret(TOKEN);

  const perform = async (current: Step): Promise<Breach | null> => {
    step = current;
    given = [];
    const settled = async (): Promise<readonly Given[]> => {
      await settle(() => doing);
      return [...given];
    };
    if (current.route === 'upload') {
      const { name, size, afterLost } = current;
      const endpoint = { baseUrl: address, uid: UID };
      const bytes = Buffer.alloc(size, 'i');
      const request = { endpoint, name, bytes, mediaType: 'image/jpeg', token: TOKEN };
      const answer = await inTime(service.upload(request, new AbortController().signal));
      const outcome = classify(answer, { endpoint, name, answerLost: afterLost });
      const told = JSON.stringify(outcome);
      const leak = leaked([told, answer.kind === 'fault' ? faultText(answer.fault) : '', ...log.lines]);
      return leak ?? judgeUpload(answer, outcome, await settled(), { name, afterLost });
    }
    if (current.route === 'token') tokens.refused(await tokens.token().catch(() => ''));
    given = [];
    const call = {
      token: () => tokens.token(),
      whoami: () => service.whoami(),
      create: () => service.createEndpoint({ name: current.name, outgoingUrl: 'https://office.example/' }),
    }[current.route];
    const result = await inTime<Result>(
      call().then(
        (value: unknown) => ({ kind: 'value', value }) as const,
        (error: unknown) => {
          if (error instanceof ReceiptdError) return { kind: 'error', error } as const;
          throw error;
        },
      ),
    );
    const told =
      result.kind === 'error'
        ? [result.error.sentence(), String(result.error.cause), result.error.stack]
        : [];
    const leak = leaked([...told.map(String), ...log.lines]);
    const ofRoute = (await settled()).filter(
      ({ exchange }) => routeOf(exchange, current.route) === current.route,
    );
    return (
      leak ?? { token: judgeToken, whoami: judgeWhoami, create: judgeCreate }[current.route](result, ofRoute)
    );
  };

  try {
    const last: Step = { route: 'upload', plan: USUAL, name: 'the one after', size: 200, afterLost: false };
    for (const each of [...one.steps, ...(one.heals ? [last] : [])]) {
      const found = await perform(each);
      if (found) return each === last ? { ...found, sentence: `the next upload: ${found.sentence}` } : found;
    }
    return null;
  } catch (error) {
    return { sentence: `threw ${error instanceof Error ? error.stack : String(error)}`, late: false };
  } finally {
    await service.close();
    await server.close();
  }
}

/** The route of a request, or the expected one if there is no request line. */
function routeOf({ requestLine }: Exchange, asked: Route = 'upload'): Route {
  if (requestLine === null) return asked;
  if (requestLine.includes('/oauth2/token')) return 'token';
  if (requestLine.includes('/whoami')) return 'whoami';
  return requestLine.includes('/documents?') ? 'upload' : 'create';
}

function leaked(texts: readonly string[]): Breach | null {
  const found = texts.find((text) => /recognisable-(?:"|\\+")?(?:secret|token)/.test(text));
  return found === undefined
    ? null
    : { sentence: `a secret is revealed: ${found.slice(0, 300)}`, late: false };
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`hangs: not finished after ${HANG_MS} ms`)), HANG_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Waits until the server has sent everything, and the client has had time to notice. */
async function settle(doing: () => number): Promise<void> {
  for (let quiet = 0, turns = 0; quiet < 3 && turns < 40; turns += 1) {
    await new Promise((resolve) => setTimeout(resolve, turns < 3 ? 0 : 2));
    quiet = doing() === 0 ? quiet + 1 : 0;
  }
}
