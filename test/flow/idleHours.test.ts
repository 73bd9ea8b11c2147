import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { watchingPlace } from '../intake/watching.ts';

const HOUR = 3_600_000;
const RECONCILE_EVERY_MS = 120_000;
const FILES = 12;
/** What the engine itself keeps of some thousand more turns: compiled code, feedback of it. */
const SLACK_BYTES = 500_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  for (let round = 0; round < 3; round += 1) collect();
  return process.memoryUsage().heapUsed;
}

/** What leaks, leaks all the time. */
const HOURS = 0.3;

it('memory does not grow during idle hours', async () => {
  const place = await watchingPlace();
  for (let n = 0; n < FILES; n += 1) await place.drop(`scan ${n}.jpg`);
  const { intake, admitted } = place.start({ deps: { reconcileEveryMs: RECONCILE_EVERY_MS } });
  await place.clock.advanceUntil(() => admitted.length === FILES, 500);
  await place.clock.advance(HOUR / 6);
  const [before, linesBefore] = [heapBytes(), place.log.lines.length];
  await place.clock.advance(HOURS * HOUR);

  expect(heapBytes() - before).toBeLessThan(SLACK_BYTES);
  expect(place.log.lines.length).toBe(linesBefore);
  expect(place.clock.sleeping).toBeLessThan(10);
  expect(intake.status.state).toBe('watching');
});
