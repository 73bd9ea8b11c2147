import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/core/domain/outcome.ts';
import type { Answer, Expectation, Outcome } from '../../../src/core/domain/outcome.ts';
import { outcomesOf } from '../../oracle/answers.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';
import { whyText } from '../../../src/core/domain/why.ts';

const expected: Expectation = {
  endpoint: { baseUrl: 'https://service.example', uid: 'uid-1' },
  name: 'receipt 1.jpg',
  answerLost: false,
};
const afterLostAnswer: Expectation = { ...expected, answerLost: true };

const record = { name: expected.name, endpointUid: 'uid-1', status: 'PROCESSING' };

function response(httpStatus: number, body: unknown = '', retryAfterMs: number | null = null): Answer {
  return {
    kind: 'response',
    httpStatus,
    retryAfterMs,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

describe('classifying an answer', () => {
  it('accepts 200 with a record of our name and endpoint, keeping unknown fields', () => {
    const body = JSON.stringify({ ...record, mystery: { pages: 2 } });
    expect(classify(response(200, body), expected)).toEqual({
      kind: 'accepted',
      record: { ...record, verbatim: body },
    });
  });

  it('accepts an undocumented status unchanged', () => {
    expect(classify(response(200, { ...record, status: 'ANALYSED?' }), expected)).toMatchObject({
      kind: 'accepted',
      record: { status: 'ANALYSED?' },
    });
  });

  it('accepts a status of megabytes, truncated', () => {
    const outcome = classify(response(200, { ...record, status: '\u{1F9FE}'.repeat(1_000_000) }), expected);
    const { status } = (outcome as Extract<typeof outcome, { kind: 'accepted' }>).record;
    expect(status).toBe(`${'\u{1F9FE}'.repeat(499)}…`);
  });

  it('accepts a status with control characters, without them', () => {
    expect(classify(response(200, { ...record, status: 'DONE\u0000\u001B[2J\n' }), expected)).toMatchObject({
      kind: 'accepted',
      record: { status: 'DONE\uFFFD\uFFFD[2J\uFFFD' },
    });
  });

  it.each([
    ['HTML', '<html>Sign in</html>'],
    ['broken JSON', '{"name":"rec'],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', [record]],
    ['another name', { ...record, name: 'receipt 2.jpg' }],
    ['another composition of the same letters', { ...record, name: 'receipt 1.jpg\u0301' }],
    ['another endpoint', { ...record, endpointUid: 'uid-2' }],
    ['no status', { ...record, status: undefined }],
    ['a status that is no text', { ...record, status: 1 }],
  ])('treats 200 with %s as service trouble with a possibly stored document', (_what, body) => {
    expect(classify(response(200, body), expected)).toMatchObject({
      kind: 'serviceTrouble',
      reason: 'NOT_THE_SERVICE',
      answerLost: true,
    });
  });

  it('says that an answer has no name, and not that its name differs', () => {
    expect(classify(response(200, {}), expected)).toMatchObject({
      why: { is: 'notTheService', flaw: 'noName' },
    });
  });

  it.each([201, 202, 206])('quotes nothing from the body of %d, which may contain anything', (status) => {
    const outcome = classify(response(status, { token: 'secret words' }), expected);
    expect(outcome).toMatchObject({ kind: 'endpointHold', answerLost: true });
    expect(JSON.stringify(outcome)).not.toContain('secret words');
  });

  it.each([200, 201, 400, 402, 500])('handles %d with megabytes of spaces', (status) => {
    expect(() => classify(response(status, ' '.repeat(16 * 1024 * 1024)), expected)).not.toThrow();
  });

  it.each([400, 413, 415, 422])("quotes the service's message of %d in one line", (status) => {
    const outcome = classify(response(status, 'too\n  blurred'), expected);
    expect(outcome).toMatchObject({ kind: 'failed', why: { is: 'refused', words: 'too blurred' } });
  });
});

type Kinds = readonly [first: Outcome['kind'], afterLostAnswer: Outcome['kind']];

/** Statuses with a meaning of their own; 200 is without a record. */
const MEANINGS: Readonly<Record<number, Kinds>> = {
  200: ['serviceTrouble', 'serviceTrouble'],
  400: ['failed', 'unconfirmed'],
  401: ['unauthorized', 'unauthorized'],
  402: ['slowDown', 'slowDown'],
  403: ['endpointHold', 'endpointHold'],
  404: ['endpointHold', 'endpointHold'],
  407: ['serviceTrouble', 'serviceTrouble'],
  408: ['serviceTrouble', 'serviceTrouble'],
  409: ['unconfirmed', 'unconfirmed'],
  410: ['endpointHold', 'endpointHold'],
  413: ['failed', 'unconfirmed'],
  415: ['failed', 'unconfirmed'],
  422: ['failed', 'unconfirmed'],
  429: ['slowDown', 'slowDown'],
};

/** Those of all others, by their first digit. */
const OTHERS: typeof MEANINGS = {
  1: ['endpointHold', 'endpointHold'],
  2: ['endpointHold', 'endpointHold'],
  3: ['serviceTrouble', 'serviceTrouble'],
  4: ['endpointHold', 'unconfirmed'],
  5: ['serviceTrouble', 'serviceTrouble'],
};

/** What else an outcome of that kind says. Success and server errors may have stored the document. */
function detailsOf(kind: Outcome['kind'], status: number): object {
  const retryAfterMs = 5_000;
  if (kind === 'slowDown') return { retryAfterMs };
  if (kind === 'endpointHold') return { answerLost: status >= 200 && status < 300 };
  if (kind !== 'serviceTrouble') return {};
  return { answerLost: status !== 407, ...(status >= 500 && { retryAfterMs }) };
}

it('every status has the outcome that this table gives it', () => {
  for (let status = 100; status < 600; status += 1) {
    const kinds = MEANINGS[status] ?? OTHERS[Math.floor(status / 100)]!;
    const isRedirect = status >= 300 && status < 400;
    const reason = isRedirect ? 'REDIRECT' : status === 200 ? 'NOT_THE_SERVICE' : `HTTP_${status}`;
    for (const [at, expectation] of [expected, afterLostAnswer].entries()) {
      const kind = kinds[at]!;
      expect(classify(response(status, '', 5_000), expectation), String(status)).toMatchObject({
        kind,
        reason,
        ...detailsOf(kind, status),
      });
      // An informational answer is never the final one, so the oracle does not know it.
      const allowed = status < 200 ? [kind] : outcomesOf(status, expectation.answerLost);
      expect(allowed, `${status} in test/oracle/answers.ts`).toContain(kind);
    }
  }
});

describe('any answer', () => {
  const bodies = fc.oneof(
    fc.string(),
    fc.string({ unit: anyCharacter }),
    fc.json(),
    fc
      .record({
        name: fc.oneof(fc.constant(expected.name), fc.string()),
        endpointUid: fc.oneof(fc.constant('uid-1'), fc.string()),
        status: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
      })
      .map((value) => JSON.stringify(value)),
    fc.constant(JSON.stringify(record)),
  );
  const statuses = fc.oneof(fc.constant(200), fc.integer({ min: 100, max: 599 }), fc.integer());
  const answers: fc.Arbitrary<Answer> = fc.oneof(
    fc.record({
      kind: fc.constant('response' as const),
      httpStatus: statuses,
      retryAfterMs: fc.option(fc.nat()),
      body: bodies,
    }),
    fc.record({
      kind: fc.constant('fault' as const),
      sent: fc.boolean(),
      code: fc.string(),
      fault: fc.constant({ at: 'name' as const }),
    }),
  );
  const expectations = fc.boolean().map((answerLost) => ({ ...expected, answerLost }));
  const check = (property: (answer: Answer, expectation: Expectation) => void): void =>
    fc.assert(fc.property(answers, expectations, property), { numRuns: 500 });

  it('has an outcome whose message is one short line', () => {
    check((answer, expectation) => {
      const outcome = classify(answer, expectation);
      if (answer.kind === 'fault' || outcome.kind === 'accepted') return;
      expect(whyText(outcome.why).length).toBeLessThan(600);
      expect(whyText(outcome.why)).not.toMatch(/[\n\r\u001b]/);
    });
  });

  it('never fails a document after a lost answer', () => {
    check((answer) => {
      expect(classify(answer, afterLostAnswer).kind).not.toBe('failed');
    });
  });

  it('is accepted only if it is a 200 with a record of our own name and endpoint', () => {
    let accepted = 0;
    check((answer, expectation) => {
      const outcome = classify(answer, expectation);
      if (outcome.kind !== 'accepted') return;
      accepted += 1;
      expect(answer).toMatchObject({ kind: 'response', httpStatus: 200, body: outcome.record.verbatim });
      expect(JSON.parse(outcome.record.verbatim)).toMatchObject({
        name: expected.name,
        endpointUid: 'uid-1',
      });
    });
    expect(accepted).toBeGreaterThan(0);
  });

  it('never forgets that a request which failed was partly sent', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.string(), expectations, (sent, code, expectation) => {
        const outcome = classify({ kind: 'fault', sent, code, fault: { at: 'name' } }, expectation);
        expect(outcome).toMatchObject({ kind: 'serviceTrouble', answerLost: sent });
      }),
    );
  });
});
