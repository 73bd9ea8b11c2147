import { describe, expect, test } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { DEFAULT_TEMPLATE, parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import { first, HASH } from './names.ts';

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
    ['', /is empty/, /\{stem\}-\{hash:12\}/],
    [
      '{stem}-{hsah}',
      /Unknown field \{hsah\}, at character 8 of the name template "\{stem\}-\{hsah\}"/,
      /Did you mean \{hash\}\?/,
    ],
    ['{Stem}', /Unknown field \{Stem\}/, /Did you mean \{stem\}\?/],
    ['{capture}', /Unknown field/, /Did you mean \{captured\}\?/],
    ['{banana}', /Unknown field/, /^The fields are \{folder\} /],
    ['{toString}', /Unknown field/, /The fields are/],
    ['{}', /Unknown field \{\}/, /^The fields are/],
    ['{stem', /brace at character 1 /, /Write \{\{/],
    ['stem}', /brace at character 5 /, /Write \}\}/],
    ['{hash:3}', /\{hash:3\}, at character 1/, /4 to 64/],
    ['{hash:65}', /is not valid/, /4 to 64/],
    ['{hash:}', /is not valid/, /4 to 64/],
    ['{seq:0}', /is not valid/, /1 to 12/],
    ['{seq:abc}', /is not valid/, /1 to 12/],
    ['{stem:5}', /is not valid/, /does not allow anything after a colon/],
    ['{date:yyyy-mm-dd}', /is not valid/, /YYYY YY MM DD HH mm ss/],
    ['{date:YYYY-mm-DD}', /is not valid/, /MM for months/],
    ['{date:}', /is not valid/, /A date format may only contain/],
  ])('is refused with position and hint: %s', (template, message, hint) => {
    const error = refusal(template);
    expect(error.code).toBe('TEMPLATE_INVALID');
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });
});
