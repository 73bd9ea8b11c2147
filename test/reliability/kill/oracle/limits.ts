import { tooFast } from '../../support/oracle.ts';
import type { World } from '../world.ts';
import { endOf, hasJournal } from './expected.ts';

/** P2 and P6 from the service's view: requests are recorded before they are sent, and limits hold across kills. */
export function judgeLimits(world: World): string[] {
  return [...configured(world), ...recordedFirst(world)];
}

function* configured({
  settings,
  mostAtOnce,
  arrivals,
  stallMs,
  requestsOfTheDay,
}: World): Generator<string> {
  const { concurrency, perSecond, perDay } = settings;
  if (mostAtOnce > concurrency) yield `${mostAtOnce} uploads at once; the limit is ${concurrency}`;
  if (perDay !== null && requestsOfTheDay > perDay)
    yield `${requestsOfTheDay} requests in a day; the limit is ${perDay}`;
  yield* tooFast(arrivals, perSecond, stallMs);
}

function* recordedFirst(world: World): Generator<string> {
  const { uploads, observations, runs } = world;
  for (const [index, observation] of observations.entries()) {
    if (!hasJournal(world, observation)) continue;
    const { journal } = observation;
    const next = runs[index + 1]?.ended.startedAt ?? Infinity;
    const known = new Set(journal.documents.map(({ endpointUid, name }) => `${endpointUid} ${name}`));
    for (const { arrivedAt, endpointUid, name } of uploads) {
      if (arrivedAt < next && !known.has(`${endpointUid} ${name}`))
        yield `${name} was sent in run ${index + 1} or before, but was not on record when that run ended`;
    }
  }
  for (const { endpointUid, name, requests } of endOf(world).journal.documents) {
    const seen = uploads.filter((each) => each.name === name && each.endpointUid === endpointUid).length;
    if (seen > requests) yield `${seen} requests for ${name} arrived, but only ${requests} are on record`;
  }
}
