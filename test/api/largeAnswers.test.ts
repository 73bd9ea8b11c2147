/** Answers that are too large to be kept whole. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../src/core/domain/keptAnswer.ts';
import { classify } from '../../src/core/domain/outcome.ts';
import { createRedactor } from '../../src/logs/redact.ts';
import { client, never, uploadRequest, UID } from './client.ts';
import { scriptedServer } from './scriptedServer.ts';

const record = { name: 'receipt.jpg', endpointUid: UID, status: 'PROCESSING' };

describe('a large answer', () => {
  it('keeps the beginning of a record with megabytes of extra fields, and still finds its fields', async () => {
    const body = JSON.stringify({ more: 'é'.repeat(4_000_000), ...record });
    const server = await scriptedServer((_request, response) => response.writeHead(200).end(body));
    const answer = await client(server.baseUrl, { answerLimit: 5_000 }).service.upload(
      uploadRequest(),
      never,
    );
    const sha256 = createHash('sha256').update(body).digest('hex');
    expect(answer).toMatchObject({ large: { bytes: Buffer.byteLength(body), sha256, record } });
    const { body: kept } = answer as { body: string };
    expect(body.startsWith(kept)).toBe(true);
    expect(Buffer.byteLength(kept)).toBeGreaterThanOrEqual(4_999);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(5_000);
    const outcome = classify(answer, {
      endpoint: { baseUrl: server.baseUrl, uid: UID },
      name: record.name,
      answerLost: false,
    });
    expect(outcome).toMatchObject({ kind: 'accepted', record: { status: 'PROCESSING' } });
    const { verbatim } = (outcome as Extract<typeof outcome, { kind: 'accepted' }>).record;
    expect(readAnswer(verbatim)).toEqual({ text: kept, cut: { bytes: Buffer.byteLength(body), sha256 } });
  });

  it('keeps a record of exactly the limit whole', async () => {
    // The default.
    const body = JSON.stringify(record).padEnd(64_000);
    const server = await scriptedServer((_request, response) => response.writeHead(200).end(body));
    const { service } = client(server.baseUrl);
    const answer = await service.upload(uploadRequest(), never);
    expect(answer).toEqual({ kind: 'response', httpStatus: 200, retryAfterMs: null, body });
  });

  it('does not accept a large record that is of another document or breaks off', async () => {
    let body = '';
    const server = await scriptedServer((_request, response) => response.writeHead(200).end(body));
    const { service } = client(server.baseUrl, { answerLimit: 1_000 });
    const expected = {
      endpoint: { baseUrl: server.baseUrl, uid: UID },
      name: record.name,
      answerLost: false,
    };
    const more = 'x'.repeat(100_000);
    for (const each of [
      JSON.stringify({ more, ...record, name: 'other' }),
      JSON.stringify({ more, ...record, endpointUid: 'other' }),
      JSON.stringify({ more, ...record, status: 7 }),
      JSON.stringify({ ...record, more }).slice(0, -1),
      JSON.stringify([{ ...record, more }]),
      `<html>${more}</html>`,
    ]) {
      body = each;
      const outcome = classify(await service.upload(uploadRequest(), never), expected);
      expect(outcome).toMatchObject({ kind: 'serviceTrouble', reason: 'NOT_THE_SERVICE', answerLost: true });
    }
  });

  it('hides a secret that the limit cuts in two', async () => {
    const secret = `S${'s'.repeat(3_000)}`;
    const secrets = createRedactor([secret]);
    for (const length of [900, 990, 999, 30_000]) {
      const body = JSON.stringify({
        a: 'x'.repeat(length),
        secret,
        b: secret.repeat(6),
        ...record,
        status: secret,
      });
      const server = await scriptedServer((_request, response) => response.writeHead(200).end(body));
      const { service } = client(server.baseUrl, { answerLimit: 1_000, hide: (text) => secrets.hide(text) });
      const answer = await service.upload(uploadRequest(), never);
      expect(JSON.stringify(answer)).not.toContain('Sss');
      expect(answer).toMatchObject({ large: { record: { ...record, status: '[redacted]' } } });
    }
  });
});
