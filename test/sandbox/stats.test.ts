import { expect, test } from 'vitest';
import { Meter } from '../../src/sandbox/stats.ts';

test('only the last 10,000 arrivals are kept, in order', () => {
  let now = 0;
  const meter = new Meter({ now: () => 0, monotonic: () => now });
  for (; now < 25_000; now += 1) meter.uploadArrived(now % 2 === 0 ? 'even' : null)();
  expect(meter.arrivals()).toEqual(Array.from({ length: 10_000 }, (_, index) => 15_000 + index));
  expect(meter.arrivals('even')).toHaveLength(5_000);
  expect(meter.report()).toMatchObject({ uploadsInFlight: 0, maxConcurrentUploads: 1 });
});
