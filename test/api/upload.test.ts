import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/logs/redact.ts';
import { client, CLIENT_SECRET, never, TIMEOUTS, uploadRequest, UID } from './client.ts';
import { scriptedServer, sendJson } from './scriptedServer.ts';
import { anyCharacter } from '../support/anyCharacter.ts';

const isOf64Kibibytes = (text: string): boolean => text.length === 64 * 1024;
/** Time limit of a large answer on a busy machine. */
const PATIENT = { ...TIMEOUTS, headersMs: 60_000, bodyMs: 60_000 };
const record = { name: 'receipt.jpg', endpointUid: UID, status: 'PROCESSING' };

describe('upload', () => {
  it('sends the bytes with their length, their type and exactly one space before the token', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    const answer = await client(server.baseUrl).service.upload(uploadRequest({ bytes }), never);

    expect(answer).toEqual({
      kind: 'response',
      httpStatus: 200,
      retryAfterMs: null,
      body: JSON.stringify(record),
    });
    const [request] = server.received;
    expect(request?.method).toBe('POST');
    expect(request?.url).toBe(`/v2/endpoints/${UID}/documents?name=receipt.jpg`);
    expect(request?.body).toEqual(bytes);
    expect(request?.headers['content-length']).toBe('5');
    expect(request?.headers['transfer-encoding']).toBeUndefined();
    expect(request?.headers['content-type']).toBe('image/jpeg');
    expect(request?.headers.authorization).toBe('Bearer token-for-tests');
  });

  it('reports its start once it has a connection, not before', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const { service } = client(server.baseUrl);
    const said: string[] = [];
    const answer = service.upload(uploadRequest(), never, {
      onStart: () => said.push(`${server.received.length} received`),
    });
    expect(said).toEqual([]);
    await answer;
    expect(said).toEqual(['0 received']);

    const nowhere = client('http://127.0.0.1:1').service;
    expect(
      await nowhere.upload(uploadRequest(), never, { onStart: () => said.push('started') }),
    ).toMatchObject({
      sent: false,
    });
    expect(said).toHaveLength(1);
  });

  it.each(['', '/', '/api', '/api/', '/a/b//'])(
    'keeps the path prefix %j of the base URL',
    async (prefix) => {
      const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
      await client(server.baseUrl + prefix).service.upload(uploadRequest(), never);
      expect(server.received[0]?.url).toBe(
        `${prefix.replace(/\/+$/, '')}/v2/endpoints/${UID}/documents?name=receipt.jpg`,
      );
    },
  );

  it('carries every name intact', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const { service } = client(server.baseUrl);
    const roundTrip = async (name: string): Promise<void> => {
      await service.upload(uploadRequest({ name }), never);
      const query = server.received.at(-1)?.url.split('?')[1] ?? '';
      expect([...new URLSearchParams(query)]).toEqual([['name', name]]);
    };
    const awkward = [
      'Cafe\u0301 Zu\u0308rich.jpg',
      'Caf\u00e9.jpg',
      '🧾👩‍👩‍👧.png',
      'إيصال.jpg',
      'a+b & c#d %20 e/f?g=h;i.jpg',
      ' leading and trailing ',
      'x'.repeat(255),
      "!'()*~-_.",
    ];
    for (const name of awkward) await roundTrip(name);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 100 }), roundTrip),
    );
  });

  it('sends nothing for a name that has no UTF-8 form', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const answer = await client(server.baseUrl).service.upload(uploadRequest({ name: 'a\ud800b' }), never);
    expect(answer).toMatchObject({ kind: 'fault', sent: false, code: 'NAME_NOT_UTF8' });
    expect(server.received).toEqual([]);
  });

  it('returns any status with its message and Retry-After', async () => {
    const server = await scriptedServer((_request, response) =>
      response.writeHead(429, { 'retry-after': '30' }).end('quota'),
    );
    const answer = await client(server.baseUrl).service.upload(uploadRequest(), never);
    expect(answer).toEqual({ kind: 'response', httpStatus: 429, retryAfterMs: 30_000, body: 'quota' });
  });

  it('counts a Retry-After date from the clock', async () => {
    const server = await scriptedServer((_request, response) =>
      response.writeHead(503, { 'retry-after': 'Sat, 21 Nov 2026 12:00:42 GMT' }).end(),
    );
    const answer = await client(server.baseUrl).service.upload(uploadRequest(), never);
    expect(answer).toMatchObject({ httpStatus: 503, retryAfterMs: 42_000 });
  });

  it('returns the final answer after interim ones', async () => {
    const server = await scriptedServer((_request, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      sendJson(response, 200, record);
    });
    const answer = await client(server.baseUrl).service.upload(uploadRequest(), never);
    expect(answer).toMatchObject({ kind: 'response', httpStatus: 200, body: JSON.stringify(record) });
  });

  it('hides the token in an error page that repeats it, and keeps a record unchanged', async () => {
    let status = 502;
    const server = await scriptedServer((request, response) =>
      response.writeHead(status).end(`sent: ${request.headers.authorization}`),
    );
    const { service } = client(server.baseUrl);
    expect(await service.upload(uploadRequest(), never)).toMatchObject({ body: 'sent: Bearer ***' });
    status = 200;
    expect(await service.upload(uploadRequest(), never)).toMatchObject({
      body: 'sent: Bearer token-for-tests',
    });
  });

  it('hides our secrets in a refusal that repeats them', async () => {
    const secrets = createRedactor([CLIENT_SECRET]);
    const server = await scriptedServer((_request, response) =>
      response.writeHead(422).end(`no such client: ${CLIENT_SECRET}`),
    );
    const { service } = client(server.baseUrl, { redact: (text) => secrets.redactCut(text) });
    const answer = await service.upload(uploadRequest(), never);
    expect(answer).toMatchObject({ httpStatus: 422, body: 'no such client: [redacted]' });
  });

  it('keeps a record verbatim except for our secrets', async () => {
    const secrets = createRedactor(['token-for-tests', CLIENT_SECRET]);
    const more = { url: 'https://user:pw@files.example/?access_token=other' };
    const server = await scriptedServer((request, response) =>
      sendJson(response, 200, { ...record, ...more, sent: request.headers.authorization, CLIENT_SECRET }),
    );
    const { service } = client(server.baseUrl, { hide: (text) => secrets.hide(text) });
    const answer = await service.upload(uploadRequest(), never);
    expect(answer.kind === 'response' && JSON.parse(answer.body)).toEqual({
      ...record,
      ...more,
      sent: 'Bearer [redacted]',
      CLIENT_SECRET: '[redacted]',
    });
  });

  it('recognizes the record of a name that contains a secret', async () => {
    const secrets = createRedactor(['receipt']);
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const { service } = client(server.baseUrl, { hide: (text) => secrets.hide(text) });
    expect(await service.upload(uploadRequest(), never)).toMatchObject({ body: JSON.stringify(record) });
  });

  it.each([
    // Its beginning alone would be a record.
    [200, ' ', { kind: 'fault', sent: true, code: 'ANSWER_TOO_LARGE' }],
    [200, 'x', { kind: 'fault', sent: true, code: 'ANSWER_TOO_LARGE' }],
    [400, 'x', { kind: 'response', httpStatus: 400, body: expect.toSatisfy(isOf64Kibibytes) as unknown }],
  ])('leaves an answer with HTTP %d that goes on with %j forever', async (status, more, expected) => {
    const server = await scriptedServer((request, response) => {
      if (request.url.endsWith('endless')) {
        response.writeHead(status);
        response.write(JSON.stringify({ ...record, name: 'endless' }));
        const pour = (): void => {
          while (response.write(more.repeat(65_536)));
        };
        response.on('drain', pour);
        pour();
      } else {
        sendJson(response, 200, record);
      }
    });
    const { service } = client(server.baseUrl, { connections: 1, timeouts: PATIENT });
    expect(await service.upload(uploadRequest({ name: 'endless' }), never)).toMatchObject(expected);
    expect(await service.upload(uploadRequest(), never)).toMatchObject({
      kind: 'response',
      httpStatus: 200,
    });
  });

  it('uses its connections again and again', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const { service } = client(server.baseUrl, { connections: 2 });
    for (let i = 0; i < 20; i++) await service.upload(uploadRequest(), never);
    expect(server.connections()).toBeLessThanOrEqual(3);
  });

  it('opens a new connection after the service closed the idle one', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const { service } = client(server.baseUrl);
    await service.upload(uploadRequest(), never);
    const closed = new Promise((resolve) => server.received[0]?.socket.once('close', resolve));
    server.received[0]?.socket.end();
    await closed;
    expect(await service.upload(uploadRequest(), never)).toMatchObject({ kind: 'response', httpStatus: 200 });
  });
});
