import { expect, it } from 'vitest';
import { createMetrics, type Standing } from '../../../src/features/metrics/metrics.ts';
import { METRICS } from '../../../src/features/metrics/metricList.ts';

const NOTHING: Standing = {
  counts: [],
  holds: [],
  oldestWaiting: null,
  inFlight: 0,
  incidents: [],
  folders: [],
  spool: { used: 0, limit: 1 },
};

it('a scrape returns every metric of the agent, and no other', async () => {
  const metrics = createMetrics({
    version: '1.0.0',
    clock: { now: () => 0 },
    standing: () => Promise.resolve(NOTHING),
    aliasOf: () => undefined,
  });
  const { text } = await metrics.scrape();
  const own = [...text.matchAll(/^# TYPE (receiptd_\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
  const listed = Object.entries(METRICS).map(([name, { type }]) => [name, type]);
  expect(own.toSorted()).toEqual(listed.toSorted());
});
