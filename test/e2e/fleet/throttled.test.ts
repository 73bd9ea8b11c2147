import { describe, expect, test } from 'vitest';
import { needsPostgres } from '../../support/postgres.ts';
import { chosenOf } from '../../support/everyCase.ts';
import { Desk } from './desk.ts';

/** Time for requests that were already sent to arrive on a busy machine. */
const ON_THE_WAY_MS = 1_500;
const ANSWER_MS = 40;

describe.skipIf(!needsPostgres())('a service that tells one of three agents to wait', () => {
  const answers = [
    { status: 429, retryAfter: 3, waitsMs: 3_000 },
    { status: 503, retryAfter: 3, waitsMs: 3_000 },
    // The agent waits for at least a second by itself, and the others for half of that.
    { status: 429, waitsMs: 500 },
  ];
  test.each(chosenOf(answers, (_, at) => at === 0))(
    'with HTTP $status for $retryAfter s gets no request during that time, and then all images',
    async ({ waitsMs, ...answer }) => {
      const desk = await Desk.open({ agents: 3 });
      const { sandbox, requests } = desk.site;
      sandbox.misbehave(
        { kind: 'delay', delayMs: ANSWER_MS, times: 20 },
        { kind: 'status', ...answer, delayMs: ANSWER_MS, times: 1 },
        { kind: 'delay', delayMs: ANSWER_MS },
      );
      await Promise.all([0, 1, 2].map((agent) => desk.start(agent)));
      await desk.scan(70);
      await desk.settled();

      const refused = requests.find(({ refusedAt }) => refusedAt !== null);
      const later = requests.map(({ arrivedAt }) => arrivedAt - (refused?.refusedAt ?? Infinity));
      const since = later.filter((ms) => ms > 0).toSorted((a, b) => a - b);
      expect(since.length).toBeGreaterThan(30);
      expect(since.filter((ms) => ms > ON_THE_WAY_MS && ms < waitsMs - 20)).toEqual([]);
      // At most the requests that were in flight at that moment.
      expect(since.filter((ms) => ms < waitsMs - 20).length).toBeLessThan(12);
      // One agent retries, and then all of them continue.
      expect(since.filter((ms) => ms < waitsMs + 5_000).length).toBeGreaterThan(12);
      const { world, breaches } = await desk.judged();
      expect(breaches).toEqual([]);
      const refusedDocument = world.documents.find(({ name }) => name === refused?.name);
      expect(world.attempts.filter(({ document }) => document === refusedDocument?.id)).toHaveLength(2);
    },
  );
});
