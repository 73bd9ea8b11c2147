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

describe('the report of an unexpected exception', () => {
  test.each([
    ['that quotes its input', () => JSON.parse('the-secret')],
    ['that quotes a pattern', () => new RegExp(['the-secret', '('].join(''))],
    [
      'whose message looks like a stack trace',
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
      'that is not an Error',
      () => {
        throw 'the-secret';
      },
    ],
  ])('omits the message of one %s', (_which, act) => {
    const report = defectReport(thrownBy(act), {});
    expect(report).not.toContain('the-secret');
    expect(report).toMatch(/^error: This command stopped because of a bug in receiptd \S+\./);
  });

  test('shows the type, code and location', () => {
    const report = defectReport(
      thrownBy(() => new URL('nothing')),
      {},
    );
    expect(report).toContain('TypeError (ERR_INVALID_URL)\n    at ');
    expect(report).toContain('defect.test.ts');
  });

  test('shows a message that concerns only the program', () => {
    const nothing = JSON.parse('{}') as { a: { b: string } };
    expect(
      defectReport(
        thrownBy(() => nothing.a.b),
        {},
      ),
    ).toContain("TypeError: Cannot read properties of undefined (reading 'b')");
  });
});
