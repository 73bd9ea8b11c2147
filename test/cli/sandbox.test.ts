import { describe, expect, it } from 'vitest';
import { ruleOf } from '../../src/cli/sandbox.ts';

describe('a fault rule', () => {
  it.each([
    ['delay=200', { kind: 'delay', delayMs: 200 }],
    ['status=503*5', { kind: 'status', status: 503, times: 5 }],
    ['cut', { kind: 'cut', at: 'midBody' }],
    ['lost@0.1', { kind: 'lostAnswer', probability: 0.1 }],
    ['stall', { kind: 'stall' }],
    ['html*1', { kind: 'html', times: 1 }],
    ['truncated', { kind: 'truncatedJson' }],
    ['redirect', { kind: 'redirect' }],
    ['{"kind":"cut","at":"midAnswer"}', { kind: 'cut', at: 'midAnswer' }],
  ])('%s', (text, rule) => {
    expect(ruleOf(text)).toEqual(rule);
  });

  it.each(['', 'frob', 'delay', 'status', 'cut=1', 'status=5x3', 'lost@', '{"kind":'])(
    'rejects an invalid rule: %j',
    (text) => {
      expect(() => ruleOf(text)).toThrow(expect.objectContaining({ code: 'USAGE' }) as Error);
    },
  );
});
