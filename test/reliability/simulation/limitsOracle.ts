import type { Arrival } from './modelService.ts';
import type { Plan } from './plan.ts';
import type { Limits } from '../../../src/core/domain/settings.ts';

/** Violations by the newest arrival: of limits (promise P6) and of the service's demands. */
export function complaintsAbout(
  arrival: Arrival,
  arrivals: readonly Arrival[],
  plan: Plan,
  lives: Lives,
): string[] {
  const { delivery, endpoints } = plan.config;
  const own = endpoints.find(({ key }) => key.uid === arrival.uid)?.limits;
  const atEndpoint = arrivals.filter(({ uid }) => uid === arrival.uid);
  return [
    ...limitComplaints('overall', arrival, arrivals, delivery.limits, plan),
    ...(own ? limitComplaints(`at ${arrival.uid}`, arrival, atEndpoint, own, plan) : []),
    // A wait ends when either clock says so. Setting the wall clock forward ends it early, and so does a sleep.
    ...(plan.clockJumps.length + plan.sleeps.length === 0 ? impatience(arrival, arrivals, lives) : []),
    ...besideProbe(arrival, arrivals),
  ];
}

function limitComplaints(
  where: string,
  arrival: Arrival,
  arrivals: readonly Arrival[],
  { concurrency, rate, perDay }: Limits,
  { clockJumps, sleeps }: Plan,
): string[] {
  const complaints: string[] = [];
  // A killed process has no connections, even if the service still handles the request.
  const open = arrivals.filter(({ life, endedAt }) => life === arrival.life && endedAt > arrival.at);
  if (open.length > concurrency)
    complaints.push(`${open.length} requests at once ${where}; the limit is ${concurrency}`);
  if (rate && arrivals.length > rate.count) {
    const first = arrivals[arrivals.length - 1 - rate.count]!;
    // If the clock was set forward between two lives, the agent could not know. The timeline does not count time asleep.
    const isTold = clockJumps.length + sleeps.length === 0 || first.life === arrival.life;
    const within = arrival.at - first.at;
    if (isTold && within < rate.intervalMs)
      complaints.push(
        `${rate.count + 1} requests within ${within.toFixed(1)} ms ${where}; the limit is ${rate.count} in ${rate.intervalMs} ms`,
      );
  }
  if (perDay !== null && clockJumps.length === 0 && arrivals.length > perDay)
    complaints.push(`${arrivals.length} requests in a day; the limit is ${perDay}`);
  return complaints;
}

/** What the simulation knows about the lives of the agent's process. */
export interface Lives {
  /** End of each life on the timeline, by its number. */
  readonly endedAt: ReadonlyMap<number, number>;
  /** Timeline time from which facts that only the tables of the ledger hold are still known. */
  readonly ledgerSince: number;
  /** Upper limit of the time until an answer is in the ledger, even with a slow disk. */
  readonly recordedMs: number;
}

/** Milliseconds after which an answer has certainly taken effect or is in the ledger. */
const TAKEN_TO_HEART_MS = 1_000;
const ON_HOLD = new Set([403, 404, 410]);

/** Reports a request that ignored an earlier Retry-After which had reached the agent, in this life or the next. */
function impatience(arrival: Arrival, arrivals: readonly Arrival[], lives: Lives): string[] {
  for (const { answered, answeredAt, life, uid } of arrivals) {
    if (answered?.kind !== 'response' || answered.retryAfterMs === null) continue;
    // A 429 applies to the endpoint, a server error to the whole service.
    const isHeeded = answered.httpStatus >= 500 || (answered.httpStatus === 429 && uid === arrival.uid);
    if (!isHeeded || !isKnownTo(arrival.life, { life, answeredAt }, lives)) continue;
    const until = answeredAt + answered.retryAfterMs;
    // A request made within a moment after the answer may already have been on its way.
    if (arrival.askedAt > answeredAt + TAKEN_TO_HEART_MS && arrival.at < until - 1)
      return [`a request ${(until - arrival.at).toFixed(0)} ms before the time that the service asked for`];
  }
  return [];
}

function isKnownTo(
  life: number,
  told: Pick<Arrival, 'life' | 'answeredAt'>,
  { endedAt, ledgerSince, recordedMs }: Lives,
): boolean {
  if (told.life === life) return true;
  const end = endedAt.get(told.life) ?? Infinity;
  return told.answeredAt > ledgerSince && end > told.answeredAt + recordedMs;
}

/** An endpoint that refuses everything, or a service that does not answer, gets one request at a time until one succeeds. */
function besideProbe(arrival: Arrival, arrivals: readonly Arrival[]): string[] {
  const { uid, life } = arrival;
  const ofLife = arrivals.filter((each) => each.life === life);
  const atEndpoint = ofLife.filter((each) => each.uid === uid);
  const refusal = lastTold(atEndpoint);
  const fault = lastTold(ofLife);
  return [
    ...(refusal?.answered?.kind === 'response' && ON_HOLD.has(refusal.answered.httpStatus)
      ? atOnceSince(refusal, arrival, atEndpoint, uid)
      : []),
    ...(fault?.answered?.kind === 'fault' ? atOnceSince(fault, arrival, ofLife, 'the service') : []),
  ];
}

function lastTold(arrivals: readonly Arrival[]): Arrival | undefined {
  const told = arrivals.filter(({ answered }) => answered !== null);
  return told.toSorted((a, b) => a.answeredAt - b.answeredAt).at(-1);
}

function atOnceSince(told: Arrival, now: Arrival, among: readonly Arrival[], where: string): string[] {
  const since = told.answeredAt + TAKEN_TO_HEART_MS;
  const open = among.filter(({ askedAt, endedAt }) => askedAt > since && endedAt > now.at);
  return open.length > 1 ? [`${open.length} requests at once at ${where}, which is on hold`] : [];
}
