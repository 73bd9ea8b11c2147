/** A sleep of the machine, a stop of the process and a change of the clock are noticed, logged in one line, and acted on. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchForSuspend } from '../../src/daemon/suspendDetector.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { accept, fault } from '../support/scriptedService.ts';
import { sendingPlace } from '../flow/sending.ts';
import { watchingPlace } from '../intake/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;

/** The test triggers each check, and sets the clocks in between. */
function machine(kind: 'linux' | 'other') {
  let [wall, monotonic, asleep] = [Date.UTC(2026, 0, 14, 9), 0, 0];
  let wake: () => void = () => {};
  const clock: Clock = {
    now: () => wall,
    monotonic: () => monotonic,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(signal?.reason as Error);
        signal?.addEventListener('abort', abort);
        wake = () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
      }),
  };
  const log = new RecordedLog();
  const stop = new AbortController();
  let woken = 0;
  const deps = { clock, log, asleepMs: () => (kind === 'linux' ? asleep : null), onWoke: () => (woken += 1) };
  const running = watchForSuspend(deps, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  /** Ten seconds pass, plus these amounts. */
  const look = async (besides: { wall?: number; monotonic?: number; asleep?: number } = {}) => {
    wall += 10 * SECOND + (besides.wall ?? 0);
    monotonic += 10 * SECOND + (besides.monotonic ?? 0);
    asleep += besides.asleep ?? 0;
    wake();
    await new Promise((resolve) => setImmediate(resolve));
    return { said: log.lines.splice(0).map(({ level, message, fields }) => [level, message, fields]), woken };
  };
  return { look };
}

describe('between two checks of the clocks', () => {
  it('an uneventful time logs nothing, however long it is', async () => {
    const { look } = machine('linux');
    for (let n = 0; n < 10; n += 1)
      expect(await look({ wall: n % 2 ? 400 : -400 })).toEqual({ said: [], woken: 0 });
  });

  it('a sleep on Linux, which stops the monotonic clock, is logged in one line and not as a changed clock', async () => {
    const { look } = machine('linux');
    await look();
    expect(await look({ wall: 9 * HOUR, asleep: 9 * HOUR })).toEqual({
      said: [['info', 'The machine was asleep; listing the folders again', { forMs: 9 * HOUR }]],
      woken: 1,
    });
    expect(await look()).toEqual({ said: [], woken: 1 });
  });

  it('a sleep during which the monotonic clock runs is recognized by a late check', async () => {
    const { look } = machine('other');
    await look();
    const { said, woken } = await look({ wall: 9 * HOUR, monotonic: 9 * HOUR });
    expect(said).toEqual([
      [
        'info',
        'The machine was asleep or receiptd was stopped; listing the folders again',
        { forMs: 9 * HOUR },
      ],
    ]);
    expect(woken).toBe(1);
  });

  it.each([
    ['forwards by years', 56 * YEAR],
    ['forwards by an hour', HOUR],
    ['backwards by hours', -5 * HOUR],
    ['back to 1970', -56 * YEAR],
  ])('a clock that is set %s is logged as such', async (_how, byMs) => {
    const { look } = machine('linux');
    await look();
    expect(await look({ wall: byMs })).toEqual({
      said: [['warn', "This machine's clock was changed", { byMs }]],
      woken: 1,
    });
  });

  it('a sleep after which the clock is wrong is logged as both', async () => {
    const { look } = machine('linux');
    await look();
    const { said, woken } = await look({ wall: HOUR - 20 * MINUTE, asleep: HOUR });
    expect(said.map(([, message]) => message)).toEqual([
      'The machine was asleep; listing the folders again',
      "This machine's clock was changed",
    ]);
    expect(woken).toBe(1);
  });
});

describe('after a sleep', () => {
  it('a service that was unavailable is tried at once, with a back-off that starts over', async () => {
    const place = await sendingPlace(['a.jpg']);
    let isDown = true;
    place.service.script = (request) => (isDown ? fault('ENETUNREACH', false) : accept(request));
    const sending = await place.start();
    await place.clock.advance(20 * MINUTE);
    const asked = place.service.asked.length;
    await place.clock.advance(1_000);
    isDown = false;
    sending.holds.woke();
    sending.flow.wake();
    await place.clock.advance(1_500);
    expect(place.service.asked.length).toBe(asked + 1);
    expect(sending.accepted).toEqual(['doc-a.jpg']);
  });

  it('a folder is listed at once, to find files that caused no event', async () => {
    const place = await watchingPlace();
    const { intake, watching } = place.start({
      // Loses all events.
      deps: { hints: { watch: async () => ({ close: async () => {} }) }, reconcileEveryMs: HOUR },
    });
    await watching();
    await place.drop('while-asleep.jpg');
    await place.clock.advance(30 * SECOND);
    expect(await place.states()).toEqual({});
    intake.woke();
    await place.clock.advanceUntil(async () => (await place.states())['while-asleep.jpg'] === 'queued');
    expect(intake.status.state).toBe('watching');
  });
});
