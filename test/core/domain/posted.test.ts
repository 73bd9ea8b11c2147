import { array, assert, jsonValue, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountOf, lastPosted, readPosted } from '../../../src/core/domain/posted.ts';
import { isValueMeant } from '../../../src/core/domain/valueFilter.ts';
import { postedWords } from '../../../src/core/domain/search.ts';

describe('values that a service posted', () => {
  it('are found by JSON pointer, except fields that the ledger has anyway', () => {
    const payload = {
      name: 'a',
      status: 'DONE',
      endpointUid: 'u',
      total: 12.5,
      paid: false,
      none: null,
      empty: '',
      'a/b~c': [{ x: ' Hotel\u0000 Adler ' }],
      status2: { status: 'inner' },
    };
    expect(readPosted(JSON.stringify(payload))).toEqual({
      '/total': 12.5,
      '/paid': false,
      '/a~1b~0c/0/x': 'Hotel Adler',
      '/status2/status': 'inner',
    });
  });

  it.each([
    ['no text', null],
    ['no JSON', '{"a":'],
    ['a text alone', '"DONE"'],
    ['nothing but what is known', '{"name":"a","status":"DONE"}'],
    ['an empty list', '[]'],
    ['more than is read', JSON.stringify({ a: 'x'.repeat(300_000) })],
  ])('are missing in %s', (_, text) => expect(readPosted(text)).toBeNull());

  it('stay within limits for any posted data', () => {
    assert(
      property(array(jsonValue({ maxDepth: 12 }), { maxLength: 400 }), (value) => {
        const posted = readPosted(JSON.stringify(value));
        if (posted === null) return;
        const all = Object.entries(posted);
        expect(all.length).toBeLessThanOrEqual(200);
        expect(
          all.reduce((sum, [key, each]) => sum + key.length + String(each).length, 0),
        ).toBeLessThanOrEqual(8_000);
        expect(postedWords(posted)).not.toMatch(/[\0-\x09\x0b-\x1f]/);
      }),
    );
  });

  it('are read from own properties only, whatever their names', () => {
    const posted = readPosted('{"__proto__":{"total":1},"constructor":"x"}');
    expect(lastPosted([posted ?? {}], '/__proto__/total')).toBe(1);
    expect(lastPosted([{}], 'constructor')).toBeNull();
    expect(({} as Record<string, unknown>)['total']).toBeUndefined();
  });

  it('are shown as last posted', () => {
    const results = [{ '/total': 1, '/merchant': 'A' }, { '/total': 2 }, { '/paid': true }];
    expect(['/total', '/merchant', '/paid', '/date'].map((each) => lastPosted(results, each))).toEqual([
      2,
      'A',
      true,
      null,
    ]);
  });
});

describe('a filter by value', () => {
  const posted = [{ '/total': '1.234,50 €', '/merchant': 'Hôtel Adler', '/date': '2026-05-14', '/sum': 12 }];
  it.each([
    ['contains words in any order', { pointer: '/merchant', contains: 'adler HOTEL' }, true],
    ['contains an amount as it is written elsewhere', { pointer: '/sum', contains: '12,00' }, true],
    ['does not contain what another value has', { pointer: '/merchant', contains: '2026' }, false],
    ['is at least', { pointer: '/total', from: '1234.5' }, true],
    ['is more than the limit', { pointer: '/total', from: '1000', to: '1200' }, false],
    ['lies within numbers', { pointer: '/sum', from: '12', to: '12' }, true],
    ['lies within days', { pointer: '/date', from: '2026-05-01', to: '2026-05-31' }, true],
    ['lies before the days', { pointer: '/date', from: '2026-05-15' }, false],
    ['was posted at all', { pointer: '/sum' }, true],
    ['was never posted', { pointer: '/tip' }, false],
  ])('%s', (_, wanted, isMeant) => expect(isValueMeant(posted, wanted)).toBe(isMeant));
});

it.each([
  [12.5, 12.5],
  ['12,50', 12.5],
  ['1.234,50 €', 1234.5],
  ['EUR 1,234.50', 1234.5],
  ["CHF 12'000", 12000],
  ['1 234 567,8', 1234567.8],
  ['1.234', 1234],
  ['-7', -7],
  ['2026-05-14', null],
  ['Taxi 4711', 4711],
  ['Hotel', null],
  [true, null],
])('parses %j as the amount %j', (value, amount) => expect(amountOf(value)).toBe(amount));
