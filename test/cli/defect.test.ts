import { describe, expect, test } from 'vitest';
import { defectReport } from '../../src/cli/defect.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('of an exception that nobody expected', () => {
  test.each([
    ['that quotes what it could not read', () => JSON.parse('the-secret')],
    ['that quotes a pattern', () => new RegExp(['the-secret', '('].join(''))],
    [
      'with lines like those of a stack',
      () => {
        throw new Error('a\n    at the-secret:1:2\nb');
      },
    ],
    [
      'with a cause',
      () => {
        throw new Error('the-secret', { cause: thrownBy(() => new URL('the-secret')) });
      },
    ],
    [
      'that is none',
      () => {
        throw 'the-secret';
      },
    ],
  ])('%s the message is not shown', (_which, act) => {
    const report = defectReport(thrownBy(act));
    expect(report).not.toContain('the-secret');
    expect(report).toMatch(/^error: This command stopped because of a bug in receiptd \S+\./);
  });

  test('kind, code and place are', () => {
    const report = defectReport(thrownBy(() => new URL('nothing')));
    expect(report).toContain('TypeError (ERR_INVALID_URL)\n    at ');
    expect(report).toContain('defect.test.ts');
  });

  test('a message about the program is, too', () => {
    const nothing = JSON.parse('{}') as { a: { b: string } };
    expect(defectReport(thrownBy(() => nothing.a.b))).toContain(
      "TypeError: Cannot read properties of undefined (reading 'b')",
    );
  });
});
