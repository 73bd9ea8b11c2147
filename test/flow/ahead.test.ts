/** Requests that are recorded before there is a place for them: where answers are quick, and nowhere else. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { accept, pending, status, type Script } from '../support/scriptedService.ts';
import { OFFICE, sendingPlace, SHOP, type Place } from './sending.ts';

const AT_ONCE = 2;
const ANSWER_MS = 10;
/** By then the endpoint is known as a quick one. */
const WARM = 12;

/** Each answer after `ms` of the clock, until the test takes over. */
function after(place: Place, ms: () => number): Script {
  return async (request, _asked, signal) => {
    await place.clock.sleep(ms(), signal);
    return accept(request);
  };
}

/** `WARM` documents were sent, each in `ANSWER_MS`; with `waiting` more, nothing is answered any more. */
async function warmed(waiting: number, answerMs = ANSWER_MS) {
  const place = await sendingPlace();
  for (let n = 0; n < WARM + waiting; n += 1) await place.admit(`${String(n).padStart(3, '0')}.jpg`);
  const hung: ReturnType<typeof pending>[] = [];
  place.service.script = (request, asked, signal) => {
    if (asked.length <= WARM) return after(place, () => answerMs)(request, asked, signal);
    const one = pending();
    hung.push(one);
    return one.answer;
  };
  const written = { until: Promise.resolve() };
  const run = await place.start({
    endpoints: [{ key: OFFICE, limits: { concurrency: AT_ONCE } }],
    overall: { concurrency: AT_ONCE },
    wrap: (ledger) => ({
      ...ledger,
      storage: ledger.storage,
      record: async (take) => {
        await written.until;
        return ledger.record(take);
      },
    }),
  });
  onTestFinished(() => {
    for (const one of hung) one.give(status(422));
  });
  await place.clock.advanceUntil(() => hung.length === AT_ONCE, answerMs);
  // An answer may wait for its record: until then its document counts as uploading.
  await vi.waitFor(() => expect(run.accepted).toHaveLength(WARM));
  const uploading = async (): Promise<string[]> =>
    (await place.ledger.waiting(0, 1_000))
      .filter(({ state }) => state === 'uploading')
      .map(({ name }) => name);
  /** Recorded, and not sent yet. */
  const ready = async (): Promise<string[]> => {
    const sent = new Set(place.service.asked.map(({ name }) => name));
    return (await uploading()).filter((name) => !sent.has(name));
  };
  return { place, run, hung, uploading, ready, written };
}

describe('requests prepared ahead of their slots', () => {
  it('are recorded and wait, so that each starts as soon as another is answered', async () => {
    const { place, hung, uploading, ready, written } = await warmed(20);
    await vi.waitFor(async () => expect((await uploading()).length).toBeGreaterThanOrEqual(AT_ONCE * 3));
    expect(place.service.asked).toHaveLength(WARM + AT_ONCE);
    const [next] = await ready();
    // The disk hangs: the answer alone lets the next one leave.
    written.until = new Promise((resolve) => onTestFinished(() => resolve()));
    const endpointUid = OFFICE.uid;
    const { name } = place.service.asked.at(-AT_ONCE) ?? {};
    hung[0]?.give(status(200, JSON.stringify({ name, endpointUid, status: 'PROCESSING' })));
    await vi.waitFor(() => expect(place.service.asked).toHaveLength(WARM + AT_ONCE + 1));
    expect(place.service.asked.at(-1)?.name).toBe(next);
    expect(place.service.mostInFlight).toBe(AT_ONCE);
  });

  it('are not prepared if answers are slow', async () => {
    const { uploading } = await warmed(20, 1_000);
    expect(await uploading()).toHaveLength(AT_ONCE);
  });

  it('do not start once their endpoint is on hold, and are recorded as not sent', async () => {
    const { place, run, hung, uploading, ready } = await warmed(20);
    await vi.waitFor(async () => expect((await uploading()).length).toBeGreaterThanOrEqual(AT_ONCE * 3));
    const waiting = await ready();
    place.service.script = accept;
    for (const one of hung) one.give(status(429, '', 60_000));
    await vi.waitFor(async () => expect(await uploading()).toEqual([]));
    expect(place.service.asked).toHaveLength(WARM + AT_ONCE);
    for (const name of waiting) {
      const { id, state, reason, answerLost } = await place.document(name);
      expect({ state, reason, answerLost }).toEqual({
        state: 'queued',
        reason: 'HELD_BACK',
        answerLost: false,
      });
      const detail = await place.ledger.detail(id);
      expect(detail?.attempts.map(({ outcome }) => outcome)).toEqual(['notSent']);
    }
    await place.clock.advanceUntil(() => run.accepted.length === WARM + 20, 1_000);
    expect(place.service.asked).toHaveLength(WARM + 20 + AT_ONCE);
  });

  it('are queued again on shutdown, without being sent', async () => {
    const { place, run, hung, uploading } = await warmed(20);
    await vi.waitFor(async () => expect((await uploading()).length).toBeGreaterThanOrEqual(AT_ONCE * 3));
    run.stopping.abort();
    await vi.waitFor(async () => expect(await uploading()).toHaveLength(AT_ONCE));
    for (const one of hung) one.give(status(422));
    await run.running;
    expect(place.service.asked).toHaveLength(WARM + AT_ONCE);
    expect(await uploading()).toEqual([]);
  });
});

it('requests prepared ahead never block another endpoint', async () => {
  const place = await sendingPlace();
  for (let n = 0; n < 100; n += 1) await place.admit(`${String(n).padStart(3, '0')}.jpg`);
  place.service.script = after(place, () => ANSWER_MS);
  const limits = { concurrency: AT_ONCE };
  const { flow } = await place.start({
    endpoints: [
      { key: OFFICE, limits },
      { key: SHOP, limits },
    ],
    overall: { concurrency: AT_ONCE },
  });
  const { asked } = place.service;
  await place.clock.advanceUntil(() => asked.length >= 50, 1);
  await place.admit('shop.jpg', { endpoint: SHOP, lane: 'backlog' });
  flow.wake();
  const before = asked.length;
  await place.clock.advanceUntil(() => asked.some(({ uid }) => uid === SHOP.uid), 1);
  // Those that were ready, and as many that were under way.
  expect(asked.length - before).toBeLessThanOrEqual(AT_ONCE * 4);
  expect(place.service.mostInFlight).toBe(AT_ONCE);
});

it('does not start a request that was recorded while its endpoint was put on hold, even if a slot is free', async () => {
  const place = await sendingPlace(['a.jpg']);
  let written = (): void => {};
  const isWritten = new Promise<void>((resolve) => (written = resolve));
  let begun = 0;
  const first = pending();
  place.service.script = (request, asked) => (asked.length === 1 ? first.answer : accept(request));
  const { holds, flow } = await place.start({
    endpoints: [{ key: OFFICE, limits: { concurrency: AT_ONCE } }],
    overall: { concurrency: AT_ONCE },
    wrap: (ledger) => ({
      ...ledger,
      storage: ledger.storage,
      record: async (take) => {
        const recorded = await ledger.record(take);
        begun += recorded.begun.answers?.length ?? 0;
        if (begun === 2) await isWritten;
        return recorded;
      },
    }),
  });
  await vi.waitFor(() => expect(place.service.asked).toHaveLength(1));
  await place.admit('b.jpg');
  flow.wake();
  await vi.waitFor(() => expect(begun).toBe(2));
  first.give(status(429, '', 60_000));
  await vi.waitFor(() => expect(holds.gate(OFFICE).kind).toBe('closed'));
  written();
  const heldBack = async () =>
    (await place.ledger.waiting(0, 2)).map(({ reason }) => reason).includes('HELD_BACK');
  await vi.waitFor(async () => expect(await heldBack()).toBe(true));
  expect(place.service.asked).toHaveLength(1);
});
