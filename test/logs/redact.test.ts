import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, isSecretField } from '../../src/logs/redact.ts';
import { anyCharacter } from '../support/anyCharacter.ts';

const SECRET = 'pa"ss/w\\örd +1';

/** Ways in which programs write a text, and how it is read again. */
const WRITERS: readonly (readonly [string, (text: string) => string, (text: string) => string])[] = [
  ['plain', same, same],
  ['JSON', (text) => JSON.stringify(text), same],
  ['JSON in JSON', (text) => JSON.stringify({ a: JSON.stringify({ text }) }), same],
  [
    'JSON of PHP',
    (text) => JSON.stringify(text).replaceAll('/', '\\/'),
    (text) => text.replaceAll('\\/', '/'),
  ],
  [
    'JSON of Python',
    (text) => JSON.stringify(text).replace(/[^\x20-\x7e]/g, (unit) => `\\u${hexOf(unit, 4)}`),
    same,
  ],
  ['URL', (text) => encodeURIComponent(Buffer.from(text).toString()), same],
  [
    'small URL',
    (text) => encodeURIComponent(Buffer.from(text).toString()).replace(/%../g, (hex) => hex.toLowerCase()),
    same,
  ],
  ['form', (text) => new URLSearchParams({ q: text }).toString(), same],
  ['HTML', (text) => text.replace(/[&<>"']/g, (mark) => HTML[mark]!), same],
  ['hex', (text) => Buffer.from(text).toString('hex'), same],
  ['base64', (text) => Buffer.from(text).toString('base64'), same],
  // Behind one, two or three other bytes.
  ...['u:', 'me:', 'you:'].map(
    (user) =>
      [
        `base64 behind ${user}`,
        (text: string) => Buffer.from(user + text).toString('base64'),
        (text: string) => Buffer.from(text.replace(/^x | y$/g, ''), 'base64').toString(),
      ] as const,
  ),
];

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function same(text: string): string {
  return text;
}

function hexOf(unit: string, digits: number): string {
  return unit.charCodeAt(0).toString(16).padStart(digits, '0');
}

describe('a known secret', () => {
  test('is hidden each time', () => {
    expect(createRedactor([SECRET]).redact(`${SECRET}${SECRET} ${SECRET}`)).toBe(
      '[redacted][redacted] [redacted]',
    );
  });

  test('is hidden completely even if it starts with another secret', () => {
    const redactor = createRedactor(['abcd', 'abcdefgh']);
    expect(redactor.redact('x abcdefgh y abcd z')).toBe('x [redacted] y [redacted] z');
  });

  test('can be added later, and can look like a regular expression', () => {
    const redactor = createRedactor();
    expect(redactor.redact('it is (a|b)*$ here')).toBe('it is (a|b)*$ here');
    redactor.addSecret('(a|b)*$');
    expect(redactor.redact('it is (a|b)*$ here')).toBe('it is [redacted] here');
  });

  test('is hidden in every form for as long as the agent runs, however often it was replaced by another', () => {
    const one = fc.string({ minLength: 4, maxLength: 60, unit: anyCharacter });
    const secrets = fc.oneof(one, fc.base64String({ minLength: 4, maxLength: 300 }));
    fc.assert(
      fc.property(fc.uniqueArray(secrets, { minLength: 300, maxLength: 400 }), fc.nat(), (some, which) => {
        const all = [SECRET, ...some];
        const redactor = createRedactor(all.slice(0, 3));
        for (const each of all) redactor.addSecret(each);
        for (const value of [...all.slice(0, 3), all[which % all.length]!]) {
          for (const [how, write, read] of WRITERS) {
            const text = `x ${write(value)} y`;
            const left = redactor.redact(text);
            // What is left can't be read back.
            const isLeft =
              left.includes(write(value)) ||
              left.split('[redacted]').some((part) => read(part).includes(value));
            expect({ how, value, left: isLeft ? left : '' }).toEqual({ how, value, left: '' });
          }
        }
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  test('can be hidden alone, without other changes', () => {
    const text = `{"url":"https://user:pw@host/","access_token":"other","echo":${JSON.stringify(SECRET)}}`;
    const hidden = createRedactor([SECRET]).hide(text);
    expect(hidden).toBe('{"url":"https://user:pw@host/","access_token":"other","echo":"[redacted]"}');
  });

  test('is hidden even if the text was cut in the middle of it', () => {
    const redactor = createRedactor([SECRET, 'abab']);
    const text = JSON.stringify({ detail: SECRET });
    for (let end = text.indexOf('pa') + 4; end < text.length; end += 1) {
      expect(redactor.redactCut(text.slice(0, end))).toMatch(/^\{"detail":"\[redacted\]"?$/);
    }
    expect(redactor.redactCut('x abab')).toBe('x [redacted]');
    expect(redactor.redactCut('nothing to hide: pa')).toBe('nothing to hide: pa');
  });

  test('is ignored if it is empty or too short', () => {
    expect(createRedactor(['', 'abc']).redact('abc def')).toBe('abc def');
  });

  test('is hidden at any length, among any number of secrets', () => {
    const long = 'Q'.repeat(60_000);
    expect(createRedactor([long]).redact(`a ${long} b`)).toBe('a [redacted] b');
    const many = Array.from({ length: 32 }, (_, n) => `${n}${'"'.repeat(4096)}`);
    expect(createRedactor(many).redact(`x${JSON.stringify(many[31])}`)).toBe('x"[redacted]"');
  });

  test('is always hidden, for any secret in any text', () => {
    const secret = fc.string({ minLength: 4, unit: anyCharacter });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        const redacted = createRedactor([value]).redact(before + value + after);
        // Nothing of the secret may be left around the mark, unless the mark itself contains it.
        expect(redacted.split('[redacted]').some((piece) => piece.includes(value))).toBe(false);
      }),
    );
  });
});

describe('text that looks like a secret but was not added', () => {
  const redactor = createRedactor();

  test.each([
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer [redacted]'],
    ['{"authorization":"bearer abc=="}', '{"authorization":"bearer [redacted]"}'],
    ['client_secret=abc&grant_type=x', 'client_secret=[redacted]&grant_type=x'],
    ['access_token: abc, then', 'access_token: [redacted], then'],
    ['{"access_token":"ab c","expires_in":5}', '{"access_token":"[redacted]","expires_in":5}'],
    [String.raw`{"client_secret":"ab\"cd"}`, '{"client_secret":"[redacted]"}'],
    [
      String.raw`{"body":"{\"access_token\":\"abc\",\"n\":1}"}`,
      String.raw`{"body":"{\"access_token\":\"[redacted]\",\"n\":1}"}`,
    ],
    ['{"access_token":"cut sho', '{"access_token":"[redacted]"'],
    ['{"access_token":"cut sho…"', '{"access_token":"[redacted]"'],
    ["{ clientSecret: 'a b' }", "{ clientSecret: '[redacted]' }"],
    ['RECEIPTD_CLIENT_SECRET=abc', 'RECEIPTD_CLIENT_SECRET=[redacted]'],
    ['via http://me:p%40ss@proxy:3128/ now', 'via http://[redacted]@proxy:3128/ now'],
    ['HTTPS_PROXY=http://me:p@ss@proxy', 'HTTPS_PROXY=http://[redacted]@proxy'],
    ['proxy-authorization: Basic bWU6cEBzcw==', 'proxy-authorization: Basic [redacted]'],
  ])('%s', (text, expected) => {
    expect(redactor.redact(text)).toBe(expected);
  });

  test.each([
    'a receipt named token.jpg',
    '{"token_type":"x"}',
    'the secret of the client',
    'https://service.example/a?mail=x@y.example',
    '/inbox/a@b.jpg',
  ])('leaves "%s" alone', (text) => {
    expect(redactor.redact(text)).toBe(text);
  });
});

test('hides a field because of its name', () => {
  for (const name of ['clientSecret', 'client_secret', 'accessToken', 'authorization', 'password']) {
    expect(isSecretField(name)).toBe(true);
  }
  for (const name of ['name', 'documentId', 'clientId', 'tokenAgeMs'])
    expect(isSecretField(name)).toBe(false);
});

describe('a text that is called clean', () => {
  const pieces = fc.constantFrom(
    SECRET,
    '1234',
    'Bearer ',
    'https://',
    'client_secret',
    '=',
    '@',
    ' ',
    'a b',
    'x',
  );
  const parts = fc.array(
    fc.array(pieces, { maxLength: 4 }).map((some) => some.join('')),
    { maxLength: 5 },
  );

  test('has no part that would be redacted', () => {
    const redactor = createRedactor([SECRET, '1234']);
    fc.assert(
      fc.property(parts, (some) => {
        fc.pre(redactor.isClean(some.join('\n')));
        expect(some.map((part) => redactor.redact(part))).toEqual(some);
      }),
    );
  });

  test.each([SECRET, '1234', 'Bearer x', 'https://a:b@c', 'access_token: x', 'Basic QmFzZTY0'])(
    'is not %s',
    (text) => {
      expect(createRedactor([SECRET, '1234']).isClean(`a line\nwith\n${text}\nin it`)).toBe(false);
    },
  );

  test('is an ordinary line', () => {
    expect(createRedactor([SECRET]).isClean('Accepted\nname\nSCAN0001-1c3bc5438ecd')).toBe(true);
  });
});
