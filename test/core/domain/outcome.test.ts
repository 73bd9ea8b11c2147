import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/core/domain/outcome.ts';
import type { Answer, Expectation } from '../../../src/core/domain/outcome.ts';
import { anyCharacter } from '../../support/anyCharacter.ts';

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

describe('one row of the design after the other', () => {
  it('200 with a record of our name and endpoint is accepted, unknown fields kept', () => {
    const body = JSON.stringify({ ...record, mystery: { pages: 2 } });
    expect(classify(response(200, body), expected)).toEqual({
      kind: 'accepted',
      record: { ...record, verbatim: body },
    });
  });

  it('an undocumented status is accepted unchanged', () => {
    expect(classify(response(200, { ...record, status: 'ANALYSED?' }), expected)).toMatchObject({
      kind: 'accepted',
      record: { status: 'ANALYSED?' },
    });
  });

  it('a status of megabytes is accepted, and truncated', () => {
    const outcome = classify(response(200, { ...record, status: '\u{1F9FE}'.repeat(1_000_000) }), expected);
    const { status } = (outcome as Extract<typeof outcome, { kind: 'accepted' }>).record;
    expect(status).toBe(`${'\u{1F9FE}'.repeat(499)}…`);
  });

  it('a status with control characters is accepted without them', () => {
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
  ])('200 with %s is trouble of the service, and the document may be there', (_what, body) => {
    expect(classify(response(200, body), expected)).toMatchObject({
      kind: 'serviceTrouble',
      reason: 'NOT_THE_SERVICE',
      answerLost: true,
      serverError: false,
    });
  });

  it.each([201, 202, 206])('%d quotes nothing of the body, which may be anything', (status) => {
    const outcome = classify(response(status, { token: 'secret words' }), expected);
    expect(outcome).toMatchObject({ kind: 'endpointHold', answerLost: true });
    expect(JSON.stringify(outcome)).not.toContain('secret words');
  });

  it.each([200, 201, 400, 402, 500])('%d may come with megabytes of spaces', (status) => {
    expect(() => classify(response(status, ' '.repeat(16 * 1024 * 1024)), expected)).not.toThrow();
  });

  it('401 concerns the credentials', () => {
    expect(classify(response(401), expected)).toMatchObject({ kind: 'unauthorized', reason: 'HTTP_401' });
  });

  it.each([403, 404, 410])('%d holds the endpoint', (status) => {
    for (const expectation of [expected, afterLostAnswer]) {
      expect(classify(response(status), expectation)).toMatchObject({
        kind: 'endpointHold',
        reason: `HTTP_${status}`,
      });
    }
  });

  it.each([402, 429])('%d slows the endpoint down for the time that the service asks for', (status) => {
    expect(classify(response(status, '', 30_000), expected)).toMatchObject({
      kind: 'slowDown',
      reason: `HTTP_${status}`,
      retryAfterMs: 30_000,
    });
    expect(classify(response(status), afterLostAnswer)).toMatchObject({
      kind: 'slowDown',
      retryAfterMs: null,
    });
  });

  it.each([400, 413, 415, 422])("%d fails the document with the service's message", (status) => {
    const outcome = classify(response(status, 'too\n  blurred'), expected);
    expect(outcome).toMatchObject({ kind: 'failed', reason: `HTTP_${status}` });
    expect(outcome.kind === 'failed' && outcome.message).toContain('"too blurred"');
  });

  it.each([400, 413, 415, 422, 418, 451])(
    '%d after a lost answer leaves the document unconfirmed',
    (status) => {
      expect(classify(response(status), afterLostAnswer)).toMatchObject({
        kind: 'unconfirmed',
        reason: `HTTP_${status}`,
      });
    },
  );

  it('409 leaves the document unconfirmed', () => {
    for (const expectation of [expected, afterLostAnswer]) {
      expect(classify(response(409), expectation)).toMatchObject({ kind: 'unconfirmed', reason: 'HTTP_409' });
    }
  });

  it.each([201, 202, 204, 405, 418, 451])('%d, which is undocumented, holds the endpoint', (status) => {
    expect(classify(response(status, record), expected)).toMatchObject({
      kind: 'endpointHold',
      reason: `HTTP_${status}`,
    });
  });

  it.each([
    [407, false],
    [408, true],
  ])('%d is trouble of the service, no error of its own', (status, answerLost) => {
    expect(classify(response(status), expected)).toMatchObject({
      kind: 'serviceTrouble',
      reason: `HTTP_${status}`,
      serverError: false,
      answerLost,
    });
  });

  it.each([500, 501, 502, 503, 504, 520, 599])(
    '%d is trouble of the service, and counts for the document',
    (status) => {
      expect(classify(response(status, '', 5000), expected)).toMatchObject({
        kind: 'serviceTrouble',
        reason: `HTTP_${status}`,
        serverError: true,
        answerLost: true,
        retryAfterMs: 5000,
      });
    },
  );

  it.each([
    ['ECONNREFUSED', false],
    ['ENOTFOUND', false],
    ['UND_ERR_CONNECT_TIMEOUT', false],
    ['EPROTO', false],
    ['ECONNRESET', true],
    ['UND_ERR_HEADERS_TIMEOUT', true],
  ])(
    'a fault (%s) is trouble of the service; the answer is lost only if something was sent',
    (code, sent) => {
      expect(classify({ kind: 'fault', sent, code, message: 'words' }, expected)).toMatchObject({
        kind: 'serviceTrouble',
        reason: code,
        message: 'words',
        answerLost: sent,
        serverError: false,
      });
    },
  );

  it.each([301, 302, 303, 307, 308])('%d is trouble of the service', (status) => {
    expect(classify(response(status), expected)).toMatchObject({
      kind: 'serviceTrouble',
      reason: 'REDIRECT',
      answerLost: true,
    });
  });
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
      message: fc.string(),
    }),
  );
  const expectations = fc.boolean().map((answerLost) => ({ ...expected, answerLost }));
  const check = (property: (answer: Answer, expectation: Expectation) => void): void =>
    fc.assert(fc.property(answers, expectations, property), { numRuns: 500 });

  it('there is an outcome, in one line of sane length', () => {
    check((answer, expectation) => {
      const outcome = classify(answer, expectation);
      if (answer.kind === 'fault' || outcome.kind === 'accepted') return;
      expect(outcome.message.length).toBeLessThan(600);
      expect(outcome.message).not.toMatch(/[\n\r\u001b]/);
    });
  });

  it('no document fails after an answer was lost', () => {
    check((answer) => {
      expect(classify(answer, afterLostAnswer).kind).not.toBe('failed');
    });
  });

  it('no document fails but by one of the four refusals', () => {
    check((answer, expectation) => {
      if (classify(answer, expectation).kind !== 'failed') return;
      expect([400, 413, 415, 422]).toContain(answer.kind === 'response' && answer.httpStatus);
    });
  });

  it('only a 200 with a record of our own name and endpoint is accepted', () => {
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

  it('a fault of which something was sent is never forgotten', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.string(), expectations, (sent, code, expectation) => {
        const outcome = classify({ kind: 'fault', sent, code, message: '' }, expectation);
        expect(outcome).toMatchObject({ kind: 'serviceTrouble', answerLost: sent });
      }),
    );
  });
});
