import { expect, it } from 'vitest';
import { cutAnswer, readAnswer } from '../../../src/core/domain/keptAnswer.ts';

const cut = { bytes: 15_500_000, sha256: 'ab'.repeat(32) };

it('reads back a truncated answer and its original size', () => {
  expect(readAnswer(cutAnswer('{"name":"a","more":"xx', cut))).toEqual({
    text: '{"name":"a","more":"xx',
    cut,
  });
  expect(readAnswer(cutAnswer('', cut))).toEqual({ text: '', cut });
});

it.each([
  '{"name":"a"}',
  '{"name":"a"}\n',
  '',
  '{"more":"[cut here; the whole answer has 5 bytes, SHA-256 ab]"}',
])('reads %j as a complete answer', (text) => {
  expect(readAnswer(text)).toEqual({ text, cut: null });
});

it('never mistakes JSON from the service for a truncated answer', () => {
  for (const beginning of ['{', '{"a":1', '{"a":1,', '{"a":"', '{"a":[1,', '{"a":']) {
    expect(() => JSON.parse(cutAnswer(beginning, cut))).toThrow(SyntaxError);
  }
});
