import { expect, it } from 'vitest';
import { rateForecasts } from '../../../src/control/queries/rateNotes.ts';
import type { StateCount } from '../../../src/core/ports/ledgerReports.ts';

const office = { baseUrl: 'https://service.example', uid: 'office' };
const shop = { ...office, uid: 'shop' };
const endpoints = [
  { alias: 'office', key: office },
  { alias: 'shop', key: shop },
];
const counts: StateCount[] = [
  { endpoint: office, folder: '/a', state: 'queued', count: 1_679 },
  { endpoint: office, folder: '/a', state: 'uploading', count: 1 },
  { endpoint: office, folder: '/a', state: 'held', count: 500 },
  { endpoint: office, folder: '/a', state: 'accepted', count: 9_000 },
  { endpoint: shop, folder: '/b', state: 'queued', count: 30 },
];

it.each([
  [null, counts, [1_710 * 1_000]],
  ['office', counts, [1_680 * 1_000]],
  ['shop', counts, [30 * 1_000]],
  [null, [], []],
  ['shop', counts.slice(0, 4), []],
])('a note names the rate of endpoint %s that delays documents, and for how long', (endpoint, of, left) => {
  const limit = { endpoint, rate: '60/min', perMinute: 60 };
  expect(rateForecasts([limit], of, endpoints)).toEqual(
    left.map((leftMs) => ({ kind: 'limited', endpoint, rate: '60/min', leftMs })),
  );
});
