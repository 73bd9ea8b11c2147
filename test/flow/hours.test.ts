import { noteText } from '../../src/core/domain/note.ts';
import { expect, it } from 'vitest';
import { parseHours } from '../../src/core/domain/hours.ts';
import { accept } from '../support/scriptedService.ts';
import { OFFICE, sendingPlace } from './sending.ts';

const HOUR = 3_600_000;

// The fake clock begins on Monday, 2 March 2026, at 09:00 local time.

it('starts nothing outside the sending hours, and starts exactly when they begin', async () => {
  const place = await sendingPlace(6);
  const sending = await place.start({ hours: parseHours(['Mon-Fri 22:00-06:00']) });
  await place.clock.advance(13 * HOUR - 1);
  expect(place.service.asked).toEqual([]);
  expect(sending.idles.at(-1)?.why).toBe('hold');
  expect(sending.gate.sendsSoon({ endpoint: OFFICE, folder: place.scans })).toBe(false);
  expect(sending.gate.notes().map(noteText)).toEqual([
    'Outside the sending hours (`delivery.hours`). Uploads start again on Mon 22:00.',
  ]);
  await place.clock.advance(1);
  expect(sending.accepted).toHaveLength(6);
  expect(sending.gate.sendsSoon({ endpoint: OFFICE, folder: place.scans })).toBe(true);
  expect(sending.gate.notes()).toEqual([]);
});

it('finishes running uploads when the hours end, and starts none until they begin again', async () => {
  const place = await sendingPlace(30);
  place.service.script = async (request) => {
    await place.clock.sleep(20 * 60_000);
    return accept(request);
  };
  const sending = await place.start({ hours: parseHours(['09:00-10:30']), overall: { concurrency: 2 } });
  await place.clock.advance(2 * HOUR);
  // Begun at 09:00, 09:20, 09:40, 10:00 and 10:20, two at a time.
  expect(place.service.asked).toHaveLength(10);
  expect(sending.accepted).toHaveLength(10);
  await place.clock.advance(22 * HOUR - 1);
  expect(place.service.asked).toHaveLength(10);
  await place.clock.advance(1);
  expect(place.service.asked).toHaveLength(12);
});

it('is done with an empty queue at any hour', async () => {
  const place = await sendingPlace();
  const sending = await place.start({ hours: parseHours(['Tue 22:00-23:00']) });
  await place.clock.advance(100);
  expect(sending.idles.at(-1)?.why).toBe('done');
});

it('starts within a minute if the machine wakes during the sending hours', async () => {
  const place = await sendingPlace(['a.jpg']);
  const sending = await place.start({ hours: parseHours(['12:00-18:00']) });
  await place.clock.advance(1_000);
  place.clock.jump(4 * HOUR);
  await place.clock.advance(60_000);
  expect(sending.accepted).toEqual(['doc-a.jpg']);
});
