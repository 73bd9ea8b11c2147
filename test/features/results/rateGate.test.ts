import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { RateGate } from '../../../src/features/results/rateGate.ts';

it('the rate gate lets no more through in any interval than the rate allows, and returns when to try again', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 50, maxLength: 300 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 20 }), (waits, count) => {
      let now = 0;
      const gate = new RateGate({ count, intervalMs: 1_000 }, { monotonic: () => now });
      const passed: number[] = [];
      const waited: number[] = [];
      for (const wait of waits) {
        now += wait;
        const waitMs = gate.pass();
        if (waitMs === null) passed.push(now);
        else waited.push(waitMs);
      }
      expect(waited.filter((ms) => ms <= 0 || ms > 1_050)).toEqual([]);
      for (const from of passed)
        expect(passed.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(count);
    }),
    { numRuns: 200 },
  );
});

it('the rate gate lets requests through again once its wait is over', () => {
  let now = 5;
  const gate = new RateGate({ count: 2, intervalMs: 1_000 }, { monotonic: () => now });
  expect([gate.pass(), gate.pass()]).toEqual([null, null]);
  now += gate.pass() ?? 0;
  expect(gate.pass()).toBeNull();
});

it('the rate gate applies a new rate at once, and no rate means no limit', () => {
  const gate = new RateGate({ count: 1, intervalMs: 1_000 }, { monotonic: () => 0 });
  expect(gate.pass()).toBeNull();
  expect(gate.pass()).not.toBeNull();
  gate.take({ count: 2, intervalMs: 1_000 });
  expect(gate.pass()).toBeNull();
  gate.take(null);
  for (let n = 0; n < 100; n += 1) expect(gate.pass()).toBeNull();
});
