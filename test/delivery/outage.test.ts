/** Promise P5: an outage of any kind, however long, fails no document. */
import { expect, it } from 'vitest';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { accept, fault, status, type Script } from '../support/scriptedService.ts';
import { sendingPlace } from './sending.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

it('delivers everything after 30 days of outages of every kind, the backlog in order of arrival', async () => {
  const place = await sendingPlace();
  const { clock, ledger, service, tokens } = place;
  for (let i = 0; i < 60; i += 1) await place.admit(`b${i}.jpg`, { lane: 'backlog' });
  for (let i = 0; i < 40; i += 1) await place.admit(`f${i}.jpg`);

  const outages: Script[] = [
    () => fault('ECONNREFUSED', false),
    () => fault('ECONNRESET', true),
    () => fault('ENOTFOUND', false),
    () => status(503, '', 6 * HOUR),
    () => status(500),
    () => status(200, '<html>Log in to the hotel network</html>'),
    () => status(302),
    () => status(407),
    () => status(408),
    () => status(401),
    () => status(403, 'plan'),
    () => status(404),
    () => status(429, '', 3 * HOUR),
    () => status(402),
  ];
  let tokenTrouble: ReceiptdError | null = null;
  // Every kind for six hours, then weeks of those that are tried seldom.
  service.script = (request, asked, signal) => {
    const hour = Math.floor(clock.monotonic() / HOUR);
    const kind = outages[Math.floor(hour / 6)];
    if (kind) return kind(request, asked, signal);
    return Math.floor(hour / 24) % 2 === 0 ? status(503, '', 12 * HOUR) : status(403, 'plan');
  };
  const sending = await place.start();
  for (let day = 0; day < 30; day += 1) {
    // Two days of it there is no token.
    if (day === 20) tokenTrouble = new ReceiptdError('SERVICE_UNREACHABLE', 'No answer.');
    if (day === 21) tokenTrouble = new ReceiptdError('CREDENTIALS_MISSING', 'There are none.');
    if (day === 22) tokenTrouble = null;
    tokens.failure = tokenTrouble;
    await clock.advance(DAY);
    const states = new Set((await ledger.counts()).map(({ state }) => state));
    for (const state of ['failed', 'lost', 'unconfirmed', 'accepted', 'uploading']) {
      expect(states).not.toContain(state);
    }
  }
  const asked = service.asked.length;
  // It was looked at all the time, and never hammered.
  expect(asked).toBeGreaterThan(300);
  expect(asked).toBeLessThan(30 * 24 * 12);

  const tried = new Set(service.asked.map(({ name }) => name));
  service.script = accept;
  await clock.advance(2 * HOUR);
  expect(sending.accepted).toHaveLength(100);
  expect(new Set(sending.accepted).size).toBe(100);
  expect(await ledger.holds()).toEqual([]);
  const untried = service.asked
    .slice(asked)
    .map(({ name }) => name)
    .filter((name) => !tried.has(name));
  // Four are under way at once, so neighbours may change places; nobody jumps the queue.
  const arrival = (name: string): number => (name[4] === 'b' ? 0 : 1_000) + Number(name.slice(5, -4));
  const inLine = untried.toSorted((a, b) => arrival(a) - arrival(b));
  for (const [index, name] of untried.entries()) {
    expect(Math.abs(inLine.indexOf(name) - index)).toBeLessThan(4);
  }
});
