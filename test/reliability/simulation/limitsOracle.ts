import type { Arrival } from './modelService.ts';
import type { Plan } from './plan.ts';
import type { Limits } from '../../../src/pipeline/settings.ts';

/** What the newest of these arrivals does against the limits (promise P6) and against what the service asked for. */
export function complaintsAbout(arrival: Arrival, arrivals: readonly Arrival[], plan: Plan): string[] {
  const { delivery, endpoints } = plan.config;
  const own = endpoints.find(({ key }) => key.uid === arrival.uid)?.limits;
  const atEndpoint = arrivals.filter(({ uid }) => uid === arrival.uid);
  return [
    ...limitComplaints('overall', arrival, arrivals, delivery.limits, plan),
    ...(own ? limitComplaints(`at ${arrival.uid}`, arrival, atEndpoint, own, plan) : []),
    // A wait ends when either clock says so: a wall clock that is set forward ends it, and so does a sleep.
    ...(plan.clockJumps.length + plan.sleeps.length === 0 ? impatience(arrival, atEndpoint) : []),
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
  // A killed process has no connection any more, whatever the service goes on to do.
  const open = arrivals.filter(({ life, endedAt }) => life === arrival.life && endedAt > arrival.at);
  if (open.length > concurrency)
    complaints.push(`${open.length} requests at once ${where}; ${concurrency} may be`);
  if (rate && arrivals.length > rate.count) {
    const first = arrivals[arrivals.length - 1 - rate.count]!;
    // A clock that was set forward while no process lived: nobody could know. Of a sleep the timeline does not count the time.
    const isTold = clockJumps.length + sleeps.length === 0 || first.life === arrival.life;
    const within = arrival.at - first.at;
    if (isTold && within < rate.intervalMs)
      complaints.push(
        `${rate.count + 1} requests within ${within.toFixed(1)} ms ${where}; the limit is ${rate.count} in ${rate.intervalMs}`,
      );
  }
  if (perDay !== null && clockJumps.length === 0 && arrivals.length > perDay)
    complaints.push(`${arrivals.length} requests on a day; ${perDay} may be`);
  return complaints;
}

/** A Retry-After that reached the agent, and was not heeded by what it asked for later. */
function impatience(arrival: Arrival, arrivals: readonly Arrival[]): string[] {
  for (const { answered, answeredAt, life } of arrivals) {
    if (life !== arrival.life || answered?.kind !== 'response' || answered.httpStatus !== 429) continue;
    const until = answeredAt + (answered.retryAfterMs ?? 0);
    // Asked for a moment later, it was on its way already.
    if (arrival.askedAt > answeredAt + 1_000 && arrival.at < until - 1)
      return [`a request ${(until - arrival.at).toFixed(0)} ms before the service wanted the next one`];
  }
  return [];
}
