import { expect, it } from 'vitest';
import { oddUids } from '../../src/config/oddUids.ts';

const key = (uid: string) => ({ baseUrl: 'https://service.example', uid });
const limits = { concurrency: 1, rate: null, perDay: null, perMonth: null };
const odd = (uid: string): string[] =>
  oddUids({ endpoints: [{ alias: 'office', key: key(uid), account: null, limits }] });

it('accepts a lowercase UUID', () => {
  expect(odd('0b8d6a52-6f5e-4c0a-9d3b-1d7a4c2e9f10')).toEqual([]);
});

it.each([
  ['0B8D6A52-6F5E-4C0A-9D3B-1D7A4C2E9F10', 'has capital letters'],
  ['0b8d6a526f5e4c0a9d3b1d7a4c2e9f10', 'is not a UUID'],
  ['u-1', 'is not a UUID'],
])('warns of the uid %s: it %s', (uid, why) => {
  expect(odd(uid)).toEqual([
    `The uid of the endpoint office, ${uid}, ${why}. The service's uids are lowercase UUIDs. Compare it with the one the service shows.`,
  ]);
});
