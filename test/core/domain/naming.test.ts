import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TEMPLATE, parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import { MIN_NAME_BYTES, namesOf, usesSeq } from '../../../src/core/domain/naming.ts';
import { context, first, HASH } from './names.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';

describe('proposed names', () => {
  test('are the template, the template with more of the hash, and with the full hash', () => {
    expect(parseTemplate('{stem}').propose(context(), 1)).toEqual([
      'SCAN0001',
      `SCAN0001-${HASH.slice(0, 16)}`,
      `SCAN0001-${HASH}`,
    ]);
  });

  test('leave a name that equals the full hash of another image to that image', () => {
    const foreign = 'f'.repeat(64);
    const names = parseTemplate('{stem}').propose(context({ path: `scan-${foreign}.jpg` }), 1);
    expect(names[0]).toBe(`scan-${foreign}-${HASH.slice(0, 16)}`);
    expect(
      parseTemplate('{stem}').propose(context({ path: `${foreign.toUpperCase()}.jpg` }), 1),
    ).toHaveLength(2);
    expect(parseTemplate('{stem}').propose(context({ path: `scan-${HASH}.jpg` }), 1)[0]).toBe(`scan-${HASH}`);
  });

  test('are not empty if the template yields nothing', () => {
    expect(parseTemplate('{ext}').propose(context({ path: 'x' }), 1)[0]).toBe('_');
    expect(parseTemplate('{stem}').propose(context({ path: '...' }), 1)[0]).toBe('_');
  });

  test('shrink to the hash if the fixed parts of the template exceed the limit', () => {
    const names = parseTemplate('{hash:64}{hash:64}').propose(context({ maxBytes: MIN_NAME_BYTES }), 1);
    expect(names.at(-1)).toBe(HASH);
    for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MIN_NAME_BYTES);
  });
});

describe('sanitizing a name', () => {
  const decomposed = 'Cafe\u0301';
  const emoji = '👩‍👩‍👧‍👦🏳️‍🌈';
  test.each([decomposed, emoji, 'إيصال ١٢٣', '領収書', 'नमस्ते', 'a\u200Fb', 'a b', '-_+=,;!@#%&()'])(
    'keeps %s unchanged',
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
  ])('turns %j into %j', (stem, name) => {
    expect(first('{stem}', { path: `${stem}.jpg` })).toBe(name);
  });

  test('replaces separators in the template itself', () => {
    expect(first('{endpoint}/{stem}')).toBe('office_SCAN0001');
  });
});

describe('the length limit', () => {
  test('leaves a file name of 255 bytes uncut by default', () => {
    const stem = 'é'.repeat(125);
    expect(first(DEFAULT_TEMPLATE, { path: `${stem}.jpeg` })).toBe(`${stem}-0123456789ab`);
  });

  test('cuts text between visible characters, and never cuts the hash', () => {
    const family = '👩‍👩‍👧‍👦';
    const size = Buffer.byteLength(family);
    const name = first('{stem}-{hash:12}', { path: `${family.repeat(10)}.jpg`, maxBytes: size * 4 });
    expect(name).toBe(`${family.repeat(3)}-0123456789ab`);
    expect(first('{stem}', { path: `${'e\u0301'.repeat(100)}.jpg`, maxBytes: 100 })).toBe(
      'e\u0301'.repeat(33),
    );
  });

  test('cuts the longest text first', () => {
    const name = first('{folder}-{stem}-{hash:12}', { path: `${'x'.repeat(200)}.jpg`, maxBytes: 100 });
    expect(name).toBe(`scans-${'x'.repeat(100 - 6 - 13)}-0123456789ab`);
  });
});

describe('names of arbitrary files', () => {
  const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
  // Every character that a file system can hold, and what a decoder turns invalid bytes into.
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

  test('keep the limit, contain nothing forbidden, and survive a query parameter', () => {
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

  test('are the same for the same context, and the last one contains the full hash', () => {
    fc.assert(
      fc.property(templates, contexts, seqs, (template, given, seq) => {
        const names = parseTemplate(template).propose(given, seq);
        expect(parseTemplate(template).propose(given, seq)).toEqual(names);
        expect(names.at(-1)!.endsWith(given.hash)).toBe(true);
      }),
    );
  });

  test('never include the last name of another image', () => {
    fc.assert(
      fc.property(templates, contexts, contexts, seqs, (template, one, other, seq) => {
        fc.pre(one.hash !== other.hash);
        const parsed = parseTemplate(template);
        const last = parsed.propose(one, seq).at(-1)!;
        // In the worst case the other file has exactly that name.
        const hostile = { ...other, path: `${last}.jpg`, maxBytes: 400 };
        for (const names of [parsed.propose(hostile, seq), parseTemplate('{stem}').propose(hostile, seq)]) {
          expect(names).not.toContain(last);
        }
      }),
    );
  });

  test('are the same when built from data once the number is known', () => {
    fc.assert(
      fc.property(templates, contexts, seqs, (template, given, seq) => {
        const parsed = parseTemplate(template);
        const naming = structuredClone(parsed.naming(given));
        expect(usesSeq(naming)).toBe(parsed.usesSeq);
        expect(namesOf(naming, seq)).toEqual(parsed.propose(given, seq));
      }),
    );
  });

  test('contain the hash of the template unless the limit leaves no room for it', () => {
    fc.assert(
      fc.property(contexts, (given) => {
        const name = parseTemplate('{stem}-{host}-{hash:20}').propose(given, 1)[0]!;
        expect(name.endsWith(given.hash.slice(0, 20))).toBe(true);
      }),
    );
  });
});

function refusal(template: string): ReceiptdError {
  try {
    parseTemplate(template);
  } catch (error) {
    if (error instanceof ReceiptdError) return error;
    throw error;
  }
  return expect.fail(`${template} was accepted`);
}

describe('template fields', () => {
  test.each([
    [DEFAULT_TEMPLATE, 'SCAN0001-0123456789ab'],
    ['{folder}_{path}_{stem}.{ext}', 'scans_front desk_SCAN0001.jpg'],
    ['{date} {time}', '2026-11-21 04-53-07'],
    ['{date:YYMMDD}{time:HHmm}', '2611210453'],
    ['{captured} {captured:DD.MM.YYYY_HH-mm-ss}', '2025-01-02 02.01.2025_13-14-15'],
    ['{hash}/{hash:4}/{hash:64}', `0123456789ab_0123_${HASH}`],
    ['{seq}-{seq:5}', '42-00042'],
    ['{host}@{endpoint}', 'till-3@office'],
    ['{{{stem}}} {{x}}', '{SCAN0001} {x}'],
  ])('%s', (template, name) => {
    expect(first(template, {}, 42)).toBe(name);
  });

  test.each([
    ['scan.tar.gz', 'scan.tar|gz'],
    ['.hidden', 'hidden|'],
    ['a/b.c/plain', 'plain|'],
    ['ends with dot.', 'ends with dot|'],
  ])('split the file name %s into stem and extension %s', (path, name) => {
    expect(first('{stem}|{ext}', { path })).toBe(name);
  });

  test('join directories, and are empty at the top level', () => {
    expect(first('{path}+{stem}', { path: 'a/b/c.png' })).toBe('a-b+c');
    expect(first('{path}+{stem}', { path: 'c.png' })).toBe('+c');
    expect(first('{folder}', { folder: '/srv/scans/' })).toBe('scans');
  });

  test('tell whether the template needs a number or the capture time', () => {
    expect(parseTemplate('{seq:3}-{stem}')).toMatchObject({ usesSeq: true, usesCaptured: false });
    expect(parseTemplate('{captured:YYYY}-{hash}')).toMatchObject({ usesSeq: false, usesCaptured: true });
  });
});

describe('an invalid template', () => {
  test.each([
    ['', { is: 'templateEmpty', standard: '{stem}-{hash:12}' }],
    ['{stem}-{hsah}', { is: 'templateField', field: 'hsah', at: 8, guess: 'hash' }],
    ['{Stem}', { field: 'Stem', guess: 'stem' }],
    ['{capture}', { guess: 'captured' }],
    ['{banana}', { is: 'templateField', guess: null }],
    ['{toString}', { is: 'templateField' }],
    ['{}', { is: 'templateField', field: '', guess: null }],
    ['{stem', { is: 'templateBrace', at: 1, brace: '{' }],
    ['stem}', { at: 5, brace: '}' }],
    ['{hash:3}', { field: 'hash:3', at: 1, wrong: { kind: 'digits', of: 'hash', min: 4, max: 64 } }],
    ['{hash:65}', { wrong: { min: 4, max: 64 } }],
    ['{hash:}', { wrong: { min: 4, max: 64 } }],
    ['{seq:0}', { wrong: { min: 1, max: 12 } }],
    ['{seq:abc}', { wrong: { min: 1, max: 12 } }],
    ['{stem:5}', { wrong: { kind: 'unexpected' } }],
    ['{date:yyyy-mm-dd}', { wrong: { kind: 'dateFormat' } }],
    ['{date:YYYY-mm-DD}', { wrong: { kind: 'minutes' } }],
    ['{date:}', { wrong: { kind: 'dateFormat' } }],
  ])('is refused with position and hint: %s', (template, flaw) => {
    expect(refusal(template)).toMatchObject({ key: 'TEMPLATE_INVALID.template', params: { flaw } });
  });
});
