import { array, assert, jsonValue, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountOf, lastPosted, readPosted } from '../../../src/core/domain/posted.ts';
import { isValueMeant } from '../../../src/core/domain/valueFilter.ts';
import { postedWords } from '../../../src/core/domain/search.ts';
import { readResult } from '../../../src/core/domain/result.ts';
import { withoutSecret } from '../../../src/core/domain/resultsPath.ts';
import { type Case, needsPerson } from '../../../src/core/domain/needsPerson.ts';
import { type Content, mayBeReceipt } from '../../../src/core/domain/receiptLike.ts';
import { cutAnswer, readAnswer } from '../../../src/core/domain/keptAnswer.ts';

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

const NONE = { name: null, endpointUid: null, status: null };

describe('the documented fields of a result', () => {
  it('are taken verbatim, and no others', () => {
    const text = '\uFEFF{"name":"SCAN 1 é","endpointUid":"u-1","status":" Done ","total":1}';
    expect(readResult(text)).toEqual({ name: 'SCAN 1 é', endpointUid: 'u-1', status: ' Done ' });
  });

  it.each([
    ['no text', null],
    ['no JSON', 'DONE'],
    ['a list', '[{"name":"a"}]'],
    ['other types', '{"name":1,"endpointUid":{},"status":["DONE"]}'],
    ['nothing in them', '{"name":"","status":""}'],
    ['what comes from a prototype', '{"__proto__":{"name":"a","status":"DONE"}}'],
    // Some storage ends text at a NUL, which would turn this into DONE.
    ['control characters', JSON.stringify({ name: 'a\0b', endpointUid: 'u\n', status: 'DONE\0NOT' })],
    ['too much', JSON.stringify({ name: 'a'.repeat(1_001), status: 'b'.repeat(1_001) })],
  ])('are missing in %s', (_what, text) => {
    expect(readResult(text)).toEqual(NONE);
  });
});

it('stores the service’s record of an endpoint without the secret, however its JSON encodes the address', () => {
  const secret = 'aZ_-'.repeat(11).slice(0, 43);
  expect(withoutSecret(`{"outgoingUrl":"https://a.example/results/${secret}/u"}`)).toBe(
    '{"outgoingUrl":"https://a.example/results/[redacted]/u"}',
  );
  expect(withoutSecret(`https:\\/\\/a\\/results\\/${secret}`)).toBe('https:\\/\\/a\\/results\\/[redacted]');
  const other = `{"outgoingUrl":"https://a.example/results/${secret}x","n":1.10}`;
  expect(withoutSecret(other)).toBe(other);
});

describe('a file that cannot be sent may be a receipt', () => {
  it.each<[string, Content]>([
    ['scan.jpg', 'text'],
    ['2026/SCAN.JPEG', 'unknown'],
    ['photo.heic', 'unread'],
    ['invoice.pdf', 'file'],
    ['page.jp2', 'image'],
    ['notes.txt', 'image'],
    ['SCAN0001', 'unknown'],
    ['SCAN0001', 'unread'],
    ['scan.v2', 'unread'],
    ['.jpg', 'unknown'],
  ])('if its name or its content suggests one, or neither tells what it is: %s (%s)', (path, content) => {
    expect(mayBeReceipt(path, content)).toBe(true);
  });

  it.each<[string, Content]>([
    ['notes.txt', 'text'],
    ['readme', 'text'],
    ['desktop.ini', 'unknown'],
    ['Thumbs.db', 'unknown'],
    ['backup.zip', 'unread'],
    ['archive', 'file'],
    ['film.mp4', 'unread'],
    ['sub/._scan.jpg', 'unknown'],
  ])('but not if both name and content rule it out: %s (%s)', (path, content) => {
    expect(mayBeReceipt(path, content)).toBe(false);
  });
});

describe('a person is needed', () => {
  const one: Case = { state: 'rejected', reason: 'TOO_LARGE', isGone: false, isDismissed: false };

  it('for files that will not be sent automatically', () => {
    expect(needsPerson(one)).toBe(true);
    for (const state of ['failed', 'unconfirmed', 'lost', 'incomplete', 'unreadable'] as const)
      expect(needsPerson({ ...one, state })).toBe(true);
  });

  it('not for anything that is sent, is no receipt, has left, or was dismissed', () => {
    for (const state of ['queued', 'uploading', 'held', 'accepted', 'duplicate', 'skipped'] as const)
      expect(needsPerson({ ...one, state })).toBe(false);
    expect(needsPerson({ ...one, reason: 'NOT_AN_IMAGE' })).toBe(false);
    expect(needsPerson({ ...one, isGone: true })).toBe(false);
    expect(needsPerson({ ...one, isDismissed: true })).toBe(false);
    expect(needsPerson({ ...one, state: 'failed', isDismissed: true })).toBe(false);
  });
});

const cut = { bytes: 15_500_000, sha256: 'ab'.repeat(32) };

it('reads back a truncated answer and its original size', () => {
  expect(readAnswer(cutAnswer('{"name":"a","more":"xx', cut))).toEqual({
    text: '{"name":"a","more":"xx',
    cut,
  });
  expect(readAnswer(cutAnswer('', cut))).toEqual({ text: '', cut });
});

it.each(['{"name":"a"}', '{"name":"a"}\n', '', '{"more":"[cut bytes=5 sha256=ab]"}'])(
  'reads %j as a complete answer',
  (text) => {
    expect(readAnswer(text)).toEqual({ text, cut: null });
  },
);

it('never mistakes JSON from the service for a truncated answer', () => {
  for (const beginning of ['{', '{"a":1', '{"a":1,', '{"a":"', '{"a":[1,', '{"a":']) {
    expect(() => JSON.parse(cutAnswer(beginning, cut))).toThrow(SyntaxError);
  }
});
