/** When a document's place among those being sent is free for the next. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EVERYTHING } from '../../src/core/domain/hold.ts';
import type { Limits } from '../../src/core/domain/settings.ts';
import type { OpenFolder } from '../../src/keeper/locateBytes.ts';
import { accept, pending, status, type Script } from '../support/scriptedService.ts';
import { failing, OFFICE, recording, sendingPlace } from './sending.ts';

it('sends no more than a kill may cost before they are recorded', async () => {
  const place = await sendingPlace(60);
  let mostUnrecorded = 0;
  let recorded = 0;
  const run = await place.start({
    endpoints: [{ key: OFFICE, limits: { concurrency: 2 } }],
    overall: { concurrency: 2 },
    wrap: (ledger) => ({
      ...ledger,
      record: async (take) => {
        const uploads = take();
        await place.clock.sleep(200);
        const done = await ledger.record(() => uploads);
        recorded += uploads.ends.length;
        return done;
      },
    }),
  });
  place.service.script = async (request, _asked, signal) => {
    await place.clock.sleep(10, signal);
    mostUnrecorded = Math.max(mostUnrecorded, place.service.asked.length - recorded);
    return accept(request);
  };
  await place.clock.advanceUntil(() => run.accepted.length === 60, 10);
  // More than may be sent at once, for an accepted one frees its slot before that is recorded.
  expect(mostUnrecorded).toBeGreaterThan(2);
  expect(mostUnrecorded).toBeLessThanOrEqual(2 * 8);
  expect(place.service.mostInFlight).toBeLessThanOrEqual(2);
});

it('keeps the slot of a refused document until that is recorded', async () => {
  const place = await sendingPlace(10);
  let write = (): void => {};
  const written = new Promise<void>((resolve) => (write = resolve));
  await place.start({
    overall: { concurrency: 1 },
    wrap: recording(({ ends }) => (ends.length > 0 ? written : undefined)),
  });
  // Before the run is stopped, which waits for what is under way.
  onTestFinished(() => write());
  place.service.script = () => status(422);
  await place.clock.advance(1_000);
  expect(place.service.asked).toHaveLength(1);
});

describe('a share that does not answer', () => {
  /** Documents of a share whose reading takes until `answer`, and of a folder on a disk. */
  async function withShare(count: number, overall: Partial<Limits>, script?: Script) {
    const place = await sendingPlace(6);
    const share = join(place.dir, 'share');
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const asked: string[] = [];
    const open: OpenFolder = (path) => {
      const folder = place.open(path);
      if (path !== share) return folder;
      return {
        ...folder,
        read: async (file, ...how) => {
          asked.push(file);
          await answered;
          return folder.read(file, ...how);
        },
      };
    };
    for (let n = 0; n < count; n += 1) await place.admit(`share-${n}.jpg`, { folder: share });
    if (script) place.service.script = script;
    const { accepted } = await place.start({ overall, open });
    // Before the run is stopped, which waits for what is under way.
    onTestFinished(() => answer());
    return { ...place, accepted, asked, answer: () => answer() };
  }

  const others = Array.from({ length: 6 }, (_, n) => `doc-${n}.jpg`);

  it.each([{}, { rate: { count: 8, intervalMs: 60_000 } }])(
    'holds neither slots nor places in the rate from the documents of other folders (%o)',
    async (limits) => {
      const { accepted, clock } = await withShare(20, { concurrency: 2, ...limits });
      await clock.advance(5_000);
      expect(accepted.toSorted()).toEqual(others);
    },
  );

  it('keeps no more of its documents waiting than are read at once, and sends all of them once it answers', async () => {
    const { accepted, clock, asked, answer } = await withShare(20, { concurrency: 2 });
    await clock.advance(60_000);
    expect(asked.length).toBeLessThanOrEqual(2);
    answer();
    await clock.advanceUntil(() => accepted.length === 26, 100);
  });

  it('is no reason to hold back the probe of its endpoint', async () => {
    const script: Script = (request, asked) => (asked.length === 1 ? status(503) : accept(request));
    const { accepted, clock } = await withShare(3, { concurrency: 1 }, script);
    await clock.advance(20_000);
    expect(accepted.toSorted()).toEqual(others);
  });
});

it('begins no document again while its beginning is being recorded', async () => {
  const place = await sendingPlace(['a.jpg']);
  let begins = 0;
  const { flow, accepted } = await place.start({
    wrap: recording((uploads) => {
      begins += uploads.begins.length;
      return place.clock.sleep(200);
    }),
  });
  await place.clock.advanceUntil(() => begins > 0, 10);
  for (let n = 0; n < 10; n += 1) {
    flow.wake();
    await place.clock.advance(10);
  }
  await place.clock.advance(1_000);
  expect([begins, accepted]).toEqual([1, ['doc-a.jpg']]);
});

it('does not restart the pace if a hold ends at once because of a request already under way', async () => {
  const place = await sendingPlace(12);
  const [first, second, slow] = [pending(), pending(), pending()];
  let giveFirst = (): void => {};
  place.service.script = (request, asked) => {
    if (asked.length === 1) {
      giveFirst = () => first.give(accept(request));
      return first.answer;
    }
    return asked.length === 2 ? second.answer : slow.answer;
  };
  const { holds } = await place.start({ overall: { concurrency: 4 } });
  onTestFinished(() => slow.give(status(422)));
  // While the clock stands still no back-off ends.
  await vi.waitFor(() => expect(place.service.inFlight).toBe(4));
  second.give(status(503));
  await vi.waitFor(() => expect(holds.gate(OFFICE).kind).toBe('closed'));
  expect(place.service.inFlight).toBe(3);
  giveFirst();
  await vi.waitFor(() => expect(place.service.inFlight).toBe(4));
});

it('does not send a request that was slow to prepare once its endpoint is on hold', async () => {
  const place = await sendingPlace(['a.jpg', 'b.jpg']);
  let ready = (): void => {};
  const slow = new Promise<void>((resolve) => (ready = resolve));
  let tokens = 0;
  place.tokens.token = async () => {
    tokens += 1;
    if (tokens === 2) await slow;
    return 'token-1';
  };
  place.service.script = () => status(429, '', 60_000);
  const { holds } = await place.start();
  await place.clock.advanceUntil(() => holds.gate(OFFICE).kind === 'closed' && tokens === 2, 1);
  ready();
  await place.clock.advance(50_000);
  expect(place.service.asked).toHaveLength(1);
  place.service.script = accept;
  await place.clock.advance(60_000);
  expect(new Set(place.service.asked.map(({ name }) => name))).toEqual(new Set(['doc-a.jpg', 'doc-b.jpg']));
});

it('does not send a request that was slow to prepare once its folder is paused', async () => {
  const place = await sendingPlace(['a.jpg']);
  let ready = (): void => {};
  const slow = new Promise<void>((resolve) => (ready = resolve));
  let isAsked = false;
  place.tokens.token = async () => {
    isAsked = true;
    await slow;
    return 'token-1';
  };
  const { holds, flow } = await place.start();
  await place.clock.advanceUntil(() => isAsked, 1);
  await holds.pause('folder', place.scans, 'a person');
  ready();
  await place.clock.advance(50_000);
  expect(place.service.asked).toEqual([]);
  await holds.resume('folder', place.scans);
  flow.wake();
  await place.clock.advance(1_000);
  expect(place.service.asked).toHaveLength(1);
});

it.each(['service', 'folder'] as const)(
  'sends what waited for the end of a pause of the %s, without being woken',
  async (scope) => {
    const place = await sendingPlace(['a.jpg']);
    const { holds, flow, accepted } = await place.start();
    await place.clock.advanceUntil(() => accepted.length === 1, 1);
    const until = place.clock.now() + 10 * 60_000;
    await holds.pause(scope, scope === 'folder' ? place.scans : EVERYTHING, 'a person', until);
    flow.forget();
    await place.admit('b.jpg');
    flow.wake();
    await place.clock.advance(10 * 60_000 - 1);
    expect(accepted).toHaveLength(1);
    await place.clock.advance(1_000);
    expect(accepted).toHaveLength(2);
  },
);

it('waits for a ledger that cannot record the end of a pause, and then sends', async () => {
  const place = await sendingPlace();
  let tries = 0;
  let isBroken = true;
  const broken = (): boolean => isBroken && (tries += 1) > 0;
  const { holds, flow, accepted } = await place.start({ wrap: failing(['clearHold'], broken) });
  await holds.pause('service', EVERYTHING, 'a person', place.clock.now() + 1_000);
  await place.admit('a.jpg');
  flow.forget();
  await place.clock.advance(30_000);
  expect(accepted).toEqual([]);
  expect(tries).toBeLessThan(40);
  isBroken = false;
  await place.clock.advance(6_000);
  expect(accepted).toHaveLength(1);
});

it('does not replay a request after a 401 once its endpoint is on hold', async () => {
  const place = await sendingPlace(['a.jpg', 'b.jpg']);
  const slow = pending();
  place.service.script = (_request, asked) => (asked.length === 1 ? slow.answer : status(429, '', 60_000));
  const { holds } = await place.start();
  await place.clock.advanceUntil(() => holds.gate(OFFICE).kind === 'closed', 1);
  expect(place.service.asked).toHaveLength(2);
  slow.give(status(401));
  await place.clock.advance(50_000);
  expect(place.service.asked).toHaveLength(2);
  place.service.script = accept;
  await place.clock.advance(60_000);
  expect(new Set(place.service.asked.slice(2).map(({ name }) => name)).size).toBe(2);
});

/** A delivery that ends with a defect. */
describe('a bug after a request has begun', () => {
  it('leaves the document queued under its name, as possibly stored already', async () => {
    const place = await sendingPlace(['a.jpg', 'b.jpg']);
    let broken = true;
    place.service.script = (request) => {
      if (request.name === 'doc-a.jpg' && broken) throw new Error('a defect');
      return accept(request);
    };
    const sending = await place.start();
    await place.clock.advance(10_000);
    expect(sending.accepted).toEqual(['doc-b.jpg']);
    expect(await place.document('doc-a.jpg')).toMatchObject({
      state: 'queued',
      reason: 'INTERRUPTED',
      answerLost: true,
      attempts: 1,
    });
    expect(await place.attempts('doc-a.jpg')).toMatchObject([{ outcome: 'unknown' }]);
    broken = false;
    await place.clock.advance(60_000);
    expect(sending.accepted).toEqual(['doc-b.jpg', 'doc-a.jpg']);
  });

  it('is retried less and less often if it recurs, and never in a tight loop', async () => {
    const place = await sendingPlace(['a.jpg']);
    place.service.script = () => {
      throw new Error('a defect');
    };
    await place.start();
    await place.clock.advance(1_800_000);
    const early = place.service.asked.length;
    expect(early).toBeGreaterThan(3);
    expect(early).toBeLessThan(30);
    await place.clock.advance(1_800_000);
    expect(place.service.asked.length - early).toBeLessThan(early / 2);
  });

  it('gives back its place in the budget if the request never left', async () => {
    const place = await sendingPlace(['a.jpg', 'b.jpg']);
    let isBroken = true;
    const contentType = (): string => {
      if (isBroken) throw new Error('a defect');
      return 'image/jpeg';
    };
    const { accepted } = await place.start({ overall: { perDay: 1 }, contentType });
    await place.clock.advance(1_000);
    isBroken = false;
    await place.clock.advance(10_000);
    expect(accepted).toEqual(['doc-b.jpg']);
  });
});
