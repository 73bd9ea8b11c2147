import { expect, it } from 'vitest';
import { rateForecasts } from '../../../src/control/queries/rateNotes.ts';
import { noteText } from '../../../src/core/domain/note.ts';
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
  { endpoint: shop, folder: '/b', state: 'queued', count: 20 },
];
const limit = { rate: '60/min', perMinute: 54 };
const notes = (endpoint: string | null, of = counts, perMinute = limit.perMinute): string[] =>
  rateForecasts([{ ...limit, endpoint, perMinute }], of, endpoints).map(noteText);

it('a note names the rate that delays documents, and for how long', () => {
  expect(notes(null)).toEqual(['Uploads are limited to 60/min, about 31 min left.']);
  expect(notes('office')).toEqual(['Uploads to endpoint office are limited to 60/min, about 31 min left.']);
  expect(notes('shop')).toEqual(['Uploads to endpoint shop are limited to 60/min, about a minute left.']);
});

it('a rate gets no note if no document waits for it', () => {
  expect(notes(null, [])).toEqual([]);
  expect(notes('shop', counts.slice(0, 4))).toEqual([]);
});

it.each([
  [4, '7 h'],
  [0.4, '3 days'],
])('a note says at %d documents a minute that %s are left', (perMinute, left) => {
  expect(notes(null, counts, perMinute)).toEqual([`Uploads are limited to 60/min, about ${left} left.`]);
});
