import { describe, expect, it } from 'vitest';
import { pageOf, timesOf, wordsOf } from '../../../src/console/app/words.ts';

const text = (text: string) => ({ kind: 'text', text });

describe('a message of the agent', () => {
  it('is split into text, commands and settings', () => {
    expect(wordsOf('Read it, then `receiptd retry X`.')).toEqual([
      text('Read it, then '),
      { kind: 'code', text: 'receiptd retry X' },
      text('.'),
    ]);
  });

  it('has its timestamps marked, whatever their UTC offset, for display in the time zone of the reader', () => {
    const at = (sentence: string) =>
      wordsOf(sentence).flatMap(({ kind, text: time }) => (kind === 'time' ? Date.parse(time) : []));
    const then = Date.UTC(2026, 10, 23, 3, 28, 32);
    expect(at('Away since 2026-11-23 03:28:32 +00:00, tried at 2026-11-23 09:13:32 +05:45.')).toEqual([
      then,
      then,
    ]);
    expect(at('Moved (2026-11-23T03:28:32.000Z).')).toEqual([then]);
    expect(at('Holds from 2026-11-23 on; scan 2026-11-23 03:28:32.jpg')).toEqual([]);
  });

  it.each([
    ['{"message":"Too small."}', 'Too small.'],
    ['{"error":{"code":"E7","message":"Too \\"small\\"."}}', 'Too "small".'],
    ['{"errors":[{"detail":"No text; none."}]}', 'No text; none.'],
    ['[{"title":"Bad image"}]', 'Bad image'],
    ['{"error":"quota"}', 'quota'],
    ['<html><head><title>502 Bad Gateway</title></head></html>', '502 Bad Gateway'],
    ['{"message":"Cut short, after this.","trace":"aaaaa…', 'Cut short, after this.'],
  ])('shows the readable text of %s and folds the original', (body, said) => {
    const words = wordsOf(`The service refused the document: "${body}"; look there.`);
    expect(words).toEqual([
      text('The service refused the document: '),
      { kind: 'folded', text: `"${said}"`, whole: expect.any(String) },
      text('; look there.'),
    ]);
    const [, folded] = words;
    expect(folded?.kind === 'folded' && folded.whole.replace(/\s/g, '')).toBe(body.replace(/\s/g, ''));
  });

  it('is folded whole if none of it is readable', () => {
    expect(wordsOf('HTTP 500: "{"a":1}".')).toEqual([
      text('HTTP 500'),
      { kind: 'folded', text: '', whole: '{\n  "a": 1\n}' },
      text('.'),
    ]);
  });

  it('links a command to its page if there is one', () => {
    expect(pageOf('receiptd results list --unmatched')).toEqual({
      href: '#/results?unmatched=1',
      page: 'unmatched',
    });
    expect(pageOf('receiptd list --state skipped')).toEqual({
      href: '#/documents?state=skipped',
      page: 'documents',
    });
    expect(pageOf('receiptd login --account agency')).toBeNull();
  });

  it('has only its timestamps marked in a log line', () => {
    expect(timesOf('until=2026-11-23T03:28:32.000Z `x`')).toEqual([
      text('until='),
      { kind: 'time', text: '2026-11-23T03:28:32.000Z' },
      text(' `x`'),
    ]);
  });

  it('keeps plain text of the service in place', () => {
    const said = 'The service refused the document: "the image is too small {really}".';
    expect(wordsOf(said)).toEqual([text(said)]);
  });
});
