/** The machine sleeps, or somebody sets the clock: limits hold, and nothing waits longer than it should. */
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accept, fault } from '../../support/scriptedService.ts';
import { Pacer } from '../../../src/flow/limits/pacer.ts';
import { OFFICE, sendingPlace, UNLIMITED, type Place } from '../sending.ts';
import { begin } from '../../support/uploads.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function waitingForItsTime(place: Place): Promise<number> {
  await place.admit('a.jpg');
  await unlink(join(place.scans, 'a.jpg'));
  await place.start();
  await place.clock.advance(0);
  await writeFile(join(place.scans, 'a.jpg'), 'the text of a.jpg');
  return (await place.document('doc-a.jpg')).notBefore - place.clock.now();
}

describe('after a suspend', () => {
  it('sends an overdue document within a minute', async () => {
    const place = await sendingPlace(['a.jpg']);
    place.service.script = (request, asked) =>
      asked.length === 1 ? fault('ECONNRESET', true) : accept(request);
    await place.start();
    await place.clock.advance(0);
    const { id, notBefore } = await place.document('doc-a.jpg');
    expect(notBefore).toBeGreaterThan(0);
    await place.ledger.postpone(id, place.clock.now() + 50 * MINUTE, 'PARKED', 'Parked.', place.clock.now());
    await place.clock.advance(2 * MINUTE);
    expect(place.service.asked).toHaveLength(1);
    place.clock.jump(HOUR);
    await place.clock.advance(MINUTE);
    expect(place.service.asked).toHaveLength(2);
  });
});

describe('a clock that is set back', () => {
  it.each([20_000, 20 * MINUTE, 3 * HOUR, 400 * DAY])(
    'by %d ms makes no document wait longer than before',
    async (backMs) => {
      const place = await sendingPlace();
      const waitMs = await waitingForItsTime(place);
      expect(waitMs).toBeGreaterThan(10_000);
      place.clock.jump(-backMs);
      await place.clock.advance(waitMs);
      await place.clock.advance(100);
      expect(place.service.asked).toHaveLength(1);
    },
  );
});

describe('limits', () => {
  const overall = { ...UNLIMITED, rate: { count: 5, intervalMs: MINUTE }, perDay: 12 };

  /** Sends as soon as the limits let it, for so long; each request is recorded before it is sent. */
  async function sendFor(place: Place, pacer: Pacer, forMs: number, starts: number[]): Promise<void> {
    const { clock, ledger } = place;
    const until = clock.monotonic() + forMs;
    for (;;) {
      const { ms } = pacer.delay(OFFICE, 'fresh');
      if (clock.monotonic() + ms >= until) return clock.advance(until - clock.monotonic());
      await clock.advance(ms);
      pacer.take(OFFICE, 'fresh');
      await begin(ledger, (await place.admit(`${starts.length}.jpg`)).id, clock.now(), 1);
      await pacer.run(OFFICE, async () => {});
      starts.push(clock.monotonic());
    }
  }

  it.each([
    ['1970', (now: number) => -now + 60_000],
    ['2000', (now: number) => Date.UTC(2000, 0, 1) - now],
    ['yesterday', () => -DAY],
  ])(
    'do not grant a second budget if the clock stood at %s at startup and is then corrected',
    async (_when, backBy) => {
      const place = await sendingPlace();
      const { clock, ledger } = place;
      const endpoints = [{ key: OFFICE, alias: 'office', limits: UNLIMITED }];
      const create = () => Pacer.create({ clock, ledger, overall: { ...overall, rate: null }, endpoints });
      const starts: number[] = [];
      await sendFor(place, await create(), 1_000, starts);
      expect(starts).toHaveLength(12);
      const by = backBy(clock.now());
      clock.jump(by);
      const pacer = await create();
      await sendFor(place, pacer, 30_000, starts);
      clock.jump(-by);
      await sendFor(place, pacer, HOUR, starts);
      expect(starts).toHaveLength(12);
      clock.jump(DAY);
      expect(pacer.delay(OFFICE, 'fresh').ms).toBe(0);
    },
  );
});
