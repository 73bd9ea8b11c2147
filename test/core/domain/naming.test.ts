import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TEMPLATE, parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import { MIN_NAME_BYTES, namesOf, usesSeq } from '../../../src/core/domain/naming.ts';
import { context, first, HASH } from './names.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

describe('names in order of preference', () => {
  test('the template, then more of the hash, then all of it', () => {
    expect(parseTemplate('{stem}').propose(context(), 1)).toEqual([
      'SCAN0001',
      `SCAN0001-${HASH.slice(0, 16)}`,
      `SCAN0001-${HASH}`,
    ]);
  });

  test('a file called like the whole hash of another image leaves that name alone', () => {
    const foreign = 'f'.repeat(64);
    const names = parseTemplate('{stem}').propose(context({ path: `scan-${foreign}.jpg` }), 1);
    expect(names[0]).toBe(`scan-${foreign}-${HASH.slice(0, 16)}`);
    expect(
      parseTemplate('{stem}').propose(context({ path: `${foreign.toUpperCase()}.jpg` }), 1),
    ).toHaveLength(2);
    expect(parseTemplate('{stem}').propose(context({ path: `scan-${HASH}.jpg` }), 1)[0]).toBe(`scan-${HASH}`);
  });

  test('a template that comes to nothing still gives a name', () => {
    expect(parseTemplate('{ext}').propose(context({ path: 'x' }), 1)[0]).toBe('_');
    expect(parseTemplate('{stem}').propose(context({ path: '...' }), 1)[0]).toBe('_');
  });

  test('a template whose fixed parts are longer than the limit gives way to the hash', () => {
    const names = parseTemplate('{hash:64}{hash:64}').propose(context({ maxBytes: MIN_NAME_BYTES }), 1);
    expect(names.at(-1)).toBe(HASH);
    for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MIN_NAME_BYTES);
  });
});

describe('what stays and what goes', () => {
  const decomposed = 'Cafe\u0301';
  const emoji = '👩‍👩‍👧‍👦🏳️‍🌈';
  test.each([decomposed, emoji, 'إيصال ١٢٣', '領収書', 'नमस्ते', 'a\u200Fb', 'a b', '-_+=,;!@#%&()'])(
    '%s stays as it is',
    (stem) => {
      expect(first('{stem}', { path: `${stem}.jpg` })).toBe(stem);
    },
  );

  test.each([
    ['a\\b', 'a_b'],
    ['a\nb\tc\0d\x7fe\x9ff', 'a_b_c_d_e_f'],
    ['a\u2028b\u2029c', 'a_b_c'],
    ['gpj.\u202Eexe', 'gpj._exe'],
    ['\u2066a\u2069\u202A', '_a__'],
    ['\uFEFFa', '_a'],
    ['a\uD800b\uDC00', 'a_b_'],
    ['  a. ', 'a'],
    ['..', '_'],
  ])('%j becomes %j', (stem, name) => {
    expect(first('{stem}', { path: `${stem}.jpg` })).toBe(name);
  });

  test('separators in the template itself go, too', () => {
    expect(first('{endpoint}/{stem}')).toBe('office_SCAN0001');
  });
});

describe('the length limit', () => {
  test('a file name of 255 bytes is not cut by default', () => {
    const stem = 'é'.repeat(125);
    expect(first(DEFAULT_TEMPLATE, { path: `${stem}.jpeg` })).toBe(`${stem}-0123456789ab`);
  });

  test('text is cut between characters as people see them, and the hash never', () => {
    const family = '👩‍👩‍👧‍👦';
    const size = Buffer.byteLength(family);
    const name = first('{stem}-{hash:12}', { path: `${family.repeat(10)}.jpg`, maxBytes: size * 4 });
    expect(name).toBe(`${family.repeat(3)}-0123456789ab`);
    expect(first('{stem}', { path: `${'e\u0301'.repeat(100)}.jpg`, maxBytes: 100 })).toBe(
      'e\u0301'.repeat(33),
    );
  });

  test('the longest text is cut first', () => {
    const name = first('{folder}-{stem}-{hash:12}', { path: `${'x'.repeat(200)}.jpg`, maxBytes: 100 });
    expect(name).toBe(`scans-${'x'.repeat(100 - 6 - 13)}-0123456789ab`);
  });
});

describe('whatever files are called', () => {
  const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
  // Everything a file system may hold, and what a decoder makes of bytes that are no text.
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom('a', '/', '.', ' ', '\n', '\uD83D', '\uDC69', '\u202E', 'e\u0301', '👩‍👧', 'ש'),
      maxLength: 80,
    }),
  );
  const contexts = fc.record({
    folder: text,
    path: text,
    hash,
    host: text,
    endpoint: text,
    date: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
    captured: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
    maxBytes: fc.integer({ min: MIN_NAME_BYTES, max: 400 }),
  });
  const fields = [
    'folder',
    'path',
    'stem',
    'ext',
    'host',
    'endpoint',
    'date',
    'time',
    'captured',
    'hash',
    'hash:20',
    'seq:6',
  ];
  const templates = fc
    .array(
      fc.oneof(
        fc.constantFrom(...fields.map((field) => `{${field}}`)),
        fc.constantFrom('-', ' ', '.', '/', '{{', 'é'),
      ),
      {
        minLength: 1,
        maxLength: 6,
      },
    )
    .map((parts) => parts.join(''));
  const seqs = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

  test('a name keeps the limit, carries nothing forbidden, and survives a query parameter', () => {
    fc.assert(
      fc.property(templates, contexts, seqs, (template, given, seq) => {
        const names = parseTemplate(template).propose(given, seq);
        expect(names.length).toBeGreaterThan(0);
        for (const name of names) {
          expect(name).not.toBe('');
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(given.maxBytes);
          expect(name).not.toMatch(/[\p{Cc}\p{Cs}/\\\u202A-\u202E\u2066-\u2069\uFEFF]|^[\s.]|[\s.]$/u);
          expect(decodeURIComponent(encodeURIComponent(name))).toBe(name);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('the same context gives the same names, and the last holds the whole hash', () => {
    fc.assert(
      fc.property(templates, contexts, seqs, (template, given, seq) => {
        const names = parseTemplate(template).propose(given, seq);
        expect(parseTemplate(template).propose(given, seq)).toEqual(names);
        expect(names.at(-1)!.endsWith(given.hash)).toBe(true);
      }),
    );
  });

  test('no image is ever offered the last name of another', () => {
    fc.assert(
      fc.property(templates, contexts, contexts, seqs, (template, one, other, seq) => {
        fc.pre(one.hash !== other.hash);
        const parsed = parseTemplate(template);
        const last = parsed.propose(one, seq).at(-1)!;
        // At worst the other file is called just like it.
        const hostile = { ...other, path: `${last}.jpg`, maxBytes: 400 };
        for (const names of [parsed.propose(hostile, seq), parseTemplate('{stem}').propose(hostile, seq)]) {
          expect(names).not.toContain(last);
        }
      }),
    );
  });

  test('what is said as data gives the same names once the number is known', () => {
    fc.assert(
      fc.property(templates, contexts, seqs, (template, given, seq) => {
        const parsed = parseTemplate(template);
        const naming = structuredClone(parsed.naming(given));
        expect(usesSeq(naming)).toBe(parsed.usesSeq);
        expect(namesOf(naming, seq)).toEqual(parsed.propose(given, seq));
      }),
    );
  });

  test('the hash of the template is in the name unless the limit leaves no room for it', () => {
    fc.assert(
      fc.property(contexts, (given) => {
        const name = parseTemplate('{stem}-{host}-{hash:20}').propose(given, 1)[0]!;
        expect(name.endsWith(given.hash.slice(0, 20))).toBe(true);
      }),
    );
  });
});
