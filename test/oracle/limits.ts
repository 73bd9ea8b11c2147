/** P6: limits hold, each request is recorded before it is sent, and what the service asks for is heeded. */
import { isHold } from './answers.ts';
import type { Limits } from './evidence.ts';
import type { Rule } from './rule.ts';
import type { Arrival, Seen } from './seen.ts';

/** Time after which an answer has certainly taken effect or is in the ledger. */
const TAKEN_TO_HEART_MS = 1_000;

/** Each set of limits that the newest request is subject to, with the requests that count. */
export function* scopes(
  seen: Seen,
  arrival: Arrival,
): Generator<[where: string, Limits, readonly Arrival[]]> {
  const { overall, endpoints = {} } = seen.settings;
  if (overall) yield ['overall', overall, seen.arrivals];
  const own = endpoints[arrival.uid];
  if (own) yield [`at ${arrival.uid}`, own, seen.arrivals.filter(({ uid }) => uid === arrival.uid)];
}

export const LIMITS: readonly Rule[] = [
  {
    promise: 'P6',
    rule: 'recorded before it is sent',
    on: {
      *request({ request: { uid, name } }, seen) {
        const begun = seen.recorded?.documentNamed(uid, name)?.begun;
        const sent = seen.arrivalsOf(uid, name).length;
        if (begun !== undefined && begun < sent)
          yield `${sent} requests for ${name} arrived, but only ${begun} are on record`;
      },
    },
    *end(seen) {
      for (const { uid, name, attempts } of seen.standings()) {
        const sent = seen.arrivalsOf(uid, name).length;
        if (attempts !== null && attempts < sent)
          yield `${sent} requests for ${name} arrived, but only ${attempts} are on record`;
      }
    },
  },
  {
    promise: 'P6',
    rule: 'concurrency',
    on: {
      *request({ request: { id } }, seen) {
        if (seen.end.mostAtOnce !== undefined) return;
        const arrival = seen.arrival(id);
        for (const [where, { concurrency }, arrivals] of scopes(seen, arrival)) {
          // A killed process has no connections, even if the service still handles the request.
          const open = arrivals.filter(({ life, endedAt }) => life === arrival.life && endedAt > arrival.at);
          if (concurrency && open.length > concurrency)
            yield `${open.length} requests at once ${where}; the limit is ${concurrency}`;
        }
      },
    },
    *end({ end: { mostAtOnce = 0 }, settings: { overall } }) {
      if (overall?.concurrency && mostAtOnce > overall.concurrency)
        yield `${mostAtOnce} requests at once; the limit is ${overall.concurrency}`;
    },
  },
  {
    promise: 'P6',
    rule: 'rate',
    on: {
      *request({ request: { id } }, seen) {
        const arrival = seen.arrival(id);
        const { clock = 'steady', leewayMs = 0 } = seen.settings;
        if (arrival.mayBeLate) return;
        for (const [where, { rate }, all] of scopes(seen, arrival)) {
          const arrivals = all.filter(({ mayBeLate }) => !mayBeLate);
          const first = rate && arrivals.at(-1 - rate.count);
          if (!first) continue;
          // If the clock was set forward between two lives, the agent could not know. Time asleep does not count.
          const isTold = clock === 'steady' || first.life === arrival.life;
          const within = arrival.at - first.at;
          if (isTold && within < rate.intervalMs - leewayMs)
            yield `${rate.count + 1} requests within ${within.toFixed(1)} ms ${where}; the limit is ${rate.count} in ${rate.intervalMs} ms`;
        }
      },
    },
  },
  {
    promise: 'P6',
    rule: 'Retry-After is heeded',
    on: {
      *request({ request: { id } }, seen) {
        const arrival = seen.arrival(id);
        // A wait ends when either clock says so. Setting the wall clock forward ends it early, and so does a sleep.
        if ((seen.settings.clock ?? 'steady') !== 'steady') return;
        for (const told of seen.arrivals) {
          const { status = null, retryAfterMs = null, reached = false } = told.answer ?? {};
          if (status === null || retryAfterMs === null || reached !== true) continue;
          // A 429 applies to the endpoint, a server error to the whole service.
          const isMeant = status >= 500 || (status === 429 && told.uid === arrival.uid);
          if (!isMeant || !isKnownTo(seen, arrival.life, told)) continue;
          const until = told.answeredAt + retryAfterMs;
          // A request made within a moment after the answer may already have been on its way.
          if (arrival.askedAt <= told.answeredAt + TAKEN_TO_HEART_MS || arrival.at >= until - 1) continue;
          yield `a request ${(until - arrival.at).toFixed(0)} ms before the time that the service asked for`;
          return;
        }
      },
    },
  },
  {
    promise: 'P6',
    rule: 'one probe at a time',
    on: {
      *request({ request: { id } }, seen) {
        const arrival = seen.arrival(id);
        const ofLife = seen.arrivals.filter((each) => each.life === arrival.life);
        const atEndpoint = ofLife.filter((each) => each.uid === arrival.uid);
        const [refusal, fault] = [lastTold(atEndpoint), lastTold(ofLife)];
        if (refusal && isHold(refusal.answer?.status ?? null) && !maySetAside(refusal, ofLife))
          yield* atOnceSince(refusal, arrival, atEndpoint, arrival.uid);
        if (fault && fault.answer?.status === null && !maySetAside(fault, ofLife))
          yield* atOnceSince(fault, arrival, ofLife, 'the service');
      },
    },
  },
];

function isKnownTo({ settings, livesEnded, tablesSince }: Seen, life: number, told: Arrival): boolean {
  if (told.life === life) return true;
  const end = livesEnded.get(told.life) ?? Infinity;
  const { recordedMs = null } = settings;
  return recordedMs !== null && told.answeredAt > tablesSince && end > told.answeredAt + recordedMs;
}

function lastTold(arrivals: readonly Arrival[]): Arrival | undefined {
  const told = arrivals.filter(({ answer }) => answer?.reached === true);
  return told.toSorted((a, b) => a.answeredAt - b.answeredAt).at(-1);
}

/** A document that is answered oddly again while others are accepted may be the cause, and then holds nobody up (P4). */
function maySetAside(told: Arrival, ofLife: readonly Arrival[]): boolean {
  const atEndpoint = ofLife.filter(({ uid, answeredAt }) => uid === told.uid && answeredAt < told.answeredAt);
  const before = atEndpoint.find(({ name, answer }) => name === told.name && answer?.status !== 200);
  return (
    before !== undefined &&
    atEndpoint.some(({ answer, answeredAt }) => answer?.status === 200 && answeredAt > before.answeredAt)
  );
}

function* atOnceSince(
  told: Arrival,
  now: Arrival,
  among: readonly Arrival[],
  where: string,
): Generator<string> {
  const since = told.answeredAt + TAKEN_TO_HEART_MS;
  const open = among.filter(({ askedAt, endedAt }) => askedAt > since && endedAt > now.at);
  if (open.length > 1) yield `${open.length} requests at once at ${where}, which is on hold`;
}
