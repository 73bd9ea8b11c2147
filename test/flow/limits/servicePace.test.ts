/** The pace that finds what nobody has told, through flow, pacer and holds. */
import { noteText } from '../../../src/core/domain/note.ts';
import { describe, expect, it } from 'vitest';
import { endpointId } from '../../../src/core/domain/document.ts';
import { accept, fault } from '../../support/scriptedService.ts';
import { OFFICE, sendingPlace, SHOP, type Place } from '../sending.ts';

const MINUTE = 60_000;

/** How many were under way at once, request after request. */
function watchAtOnce(place: Place, answerMs: number): number[] {
  const seen: number[] = [];
  const inner = place.service.script;
  place.service.script = async (request, asked, signal) => {
    seen.push(place.service.inFlight);
    await place.clock.sleep(answerMs);
    return inner(request, asked, signal);
  };
  return seen;
}

describe('after an outage', () => {
  it('sends one request first, then more step by step, on all endpoints', async () => {
    const place = await sendingPlace();
    for (let i = 0; i < 30; i += 1) {
      await place.admit(`o${i}.jpg`);
      await place.admit(`s${i}.jpg`, { endpoint: SHOP });
    }
    let down = true;
    place.service.script = (request) => (down ? fault('ECONNREFUSED', false) : accept(request));
    const sending = await place.start({
      overall: { concurrency: 8 },
      endpoints: [{ key: OFFICE }, { key: SHOP }],
    });
    await place.clock.advance(10 * MINUTE);
    down = false;
    const before = place.service.asked.length;
    const seen = watchAtOnce(place, 100);
    await place.clock.advance(10 * MINUTE);
    expect(sending.accepted).toHaveLength(60);
    const times = place.service.asked.slice(before).map(({ at }) => at);
    const rounds = [...new Set(times)].map((time) => times.filter((at) => at === time).length);
    // The probe alone; then two of its endpoint and one of the other; then step by step.
    expect(rounds.slice(0, 2)).toEqual([1, 3]);
    expect(rounds[2]).toBeLessThan(6);
    expect(Math.max(...seen)).toBe(8);
    expect(sending.gate.notes()).toEqual([]);
  });
});

describe('a lasting rise in latency', () => {
  it('lowers the concurrency, and logs it', async () => {
    const place = await sendingPlace();
    let answerMs = 100;
    place.service.script = async (request) => {
      await place.clock.sleep(answerMs);
      return accept(request);
    };
    for (let i = 0; i < 60; i += 1) await place.admit(`a${i}.jpg`);
    const sending = await place.start();
    await place.clock.advance(MINUTE);
    expect(sending.pacer.atOnce(OFFICE)).toBe(4);
    answerMs = 2_000;
    for (let i = 0; i < 30; i += 1) await place.admit(`b${i}.jpg`);
    sending.flow.wake();
    await place.clock.advance(2 * MINUTE);
    expect(sending.accepted).toHaveLength(90);
    expect(sending.pacer.atOnce(OFFICE)).toBeLessThan(4);
    expect(sending.gate.notes().map(noteText).join()).toMatch(
      /slowed down to \d of 4 uploads at once, because it takes/,
    );
  });
});

describe('sendsSoon', () => {
  it('is false if the folder or endpoint is paused, the budget is spent, or the service is down', async () => {
    const place = await sendingPlace();
    const sending = await place.start({
      endpoints: [{ key: OFFICE, limits: { perDay: 1 } }, { key: SHOP }],
    });
    const canSend = (key = OFFICE): boolean => sending.gate.sendsSoon({ endpoint: key, folder: place.scans });
    expect([canSend(), canSend(SHOP)]).toEqual([true, true]);
    await sending.holds.pause('folder', place.scans, 'anna');
    expect([canSend(), canSend(SHOP)]).toEqual([false, false]);
    expect(sending.gate.sendsSoon({ endpoint: OFFICE, folder: '/another' })).toBe(true);
    await sending.holds.resume('folder', place.scans);
    await sending.holds.pause('endpoint', endpointId(SHOP), 'anna');
    expect([canSend(), canSend(SHOP)]).toEqual([true, false]);
    await sending.holds.resume('endpoint', endpointId(SHOP));
    await place.admit('a.jpg');
    sending.flow.wake();
    await place.clock.advance(100);
    expect([canSend(), canSend(SHOP)]).toEqual([false, true]);
    place.service.script = () => fault('ECONNREFUSED', false);
    await place.admit('s.jpg', { endpoint: SHOP });
    sending.flow.wake();
    await place.clock.advance(100);
    expect([canSend(), canSend(SHOP)]).toEqual([false, false]);
  });
});
