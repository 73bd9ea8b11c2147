import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { asFault } from '../../src/api/fault.ts';
import { client, never, uploadRequest, UID } from './client.ts';
import { scriptedServer, scriptedTcpServer, sendJson } from './scriptedServer.ts';
import { freePort } from '../support/ports.ts';
import { meaningOf } from './faultMeaning.ts';

const record = { name: 'receipt.jpg', endpointUid: UID, status: 'PROCESSING' };
const HOST = { at: 'service', host: 'host' } as const;
const hang = (): void => {};
const short = { connectMs: 150, progressMs: 5000, headersMs: 150, bodyMs: 150 };

describe('nothing was sent when', () => {
  it('the connection is refused', async () => {
    const port = await freePort();
    const answer = await client(`http://127.0.0.1:${port}`).service.upload(uploadRequest(), never);
    const code = 'ECONNREFUSED';
    expect(answer).toEqual({
      kind: 'fault',
      sent: false,
      code,
      fault: { at: 'service', host: `127.0.0.1:${port}`, code, isConnecting: true, other: null },
    });
  });

  it('both addresses of a name refuse', async () => {
    const port = await freePort();
    const answer = await client(`http://localhost:${port}`).service.upload(uploadRequest(), never);
    expect(answer).toMatchObject({ kind: 'fault', sent: false, code: 'ECONNREFUSED' });
  });

  it('the host has no address', async () => {
    // A label longer than DNS allows, which no resolver is asked for.
    const answer = await client(`http://${'a'.repeat(64)}.invalid`).service.upload(uploadRequest(), never);
    expect(answer).toMatchObject({ kind: 'fault', sent: false });
    expect(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']).toContain(answer.kind === 'fault' && answer.code);
  });
});

const OTHER_PROTOCOL = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n';

it.each<[string, 'http' | 'https', (socket: Socket) => unknown, object, string?]>([
  ['cuts the TLS handshake', 'https', (socket) => socket.destroy(), { sent: false, code: 'ECONNRESET' }],
  ['does not speak TLS', 'https', (socket) => socket.end('HTTP/1.1 400 No\r\n\r\n'), { sent: false }],
  ['cuts the connection while the body is being sent', 'http', (socket) => socket.destroy(), { sent: true }],
  [
    'ends without an answer',
    'http',
    (socket) => socket.end(),
    { sent: true, code: 'UND_ERR_SOCKET' },
    'closed',
  ],
  [
    'ends after 101',
    'http',
    (socket) => socket.end(OTHER_PROTOCOL),
    { sent: true, code: 'UND_ERR_SOCKET' },
    'closed',
  ],
  [
    'does not answer in HTTP',
    'http',
    (socket) => socket.end('220 mail.example\r\n'),
    { sent: true },
    'notHttp',
  ],
])(
  'of a server that %s, it is known whether something may have been sent',
  async (what, scheme, answer, expected, meaning) => {
    const { port } = await scriptedTcpServer((socket) => socket.once('data', () => answer(socket)));
    const request = uploadRequest(what.includes('body') ? { bytes: Buffer.alloc(8_000_000) } : {});
    const given = await client(`${scheme}://127.0.0.1:${port}`).service.upload(request, never);
    expect(given).toMatchObject({ kind: 'fault', ...expected });
    // Only where its words are its own.
    expect([undefined, meaningOf(given)]).toContain(meaning);
  },
);

it.each([11, 1_000_000])(
  '`100 Continue` comes unasked, with %d bytes: something may have been sent',
  async (size) => {
    const { port } = await scriptedTcpServer((socket) =>
      socket.once('data', () => socket.resume().write('HTTP/1.1 100 Continue\r\n\r\n')),
    );
    const { service } = client(`http://127.0.0.1:${port}`);
    const code = 'UNASKED_CONTINUE';
    expect(await service.upload(uploadRequest({ bytes: Buffer.alloc(size) }), never)).toEqual({
      kind: 'fault',
      sent: true,
      code,
      fault: { at: 'service', host: `127.0.0.1:${port}`, code, isConnecting: false, other: null },
    });
  },
);

it('keeps the status of a refusal whose body breaks off', async () => {
  const server = await scriptedServer((request, response) => {
    response.writeHead(400, { 'content-length': '1000' });
    response.write('too blurred', () => request.socket.destroy());
  });
  const answer = await client(server.baseUrl).service.upload(uploadRequest(), never);
  expect(answer).toMatchObject({ kind: 'response', httpStatus: 400 });
});

describe("the caller's abort", () => {
  const reason = new Error('the caller has had enough');

  it('before the request rejects with its reason and sends nothing', async () => {
    const server = await scriptedServer(hang);
    const upload = client(server.baseUrl).service.upload(uploadRequest(), AbortSignal.abort(reason));
    await expect(upload).rejects.toBe(reason);
    expect(server.received).toEqual([]);
  });

  it('while the connection is being made rejects at once', async () => {
    const abort = new AbortController();
    const { port } = await scriptedTcpServer((socket) => socket.once('data', () => abort.abort(reason)));
    // Waiting for the connection to time out would outlast the test.
    const { service } = client(`https://127.0.0.1:${port}`, {
      timeouts: { ...short, connectMs: 10 * 60_000 },
    });
    await expect(service.upload(uploadRequest(), abort.signal)).rejects.toBe(reason);
  });

  it('before the answer rejects with its reason', async () => {
    const abort = new AbortController();
    const server = await scriptedServer(() => abort.abort(reason));
    await expect(client(server.baseUrl).service.upload(uploadRequest(), abort.signal)).rejects.toBe(reason);
  });

  it.each([200, 400])('in the body of a %d rejects with its reason', async (status) => {
    const abort = new AbortController();
    const server = await scriptedServer((_request, response) => {
      response.writeHead(status, { 'content-length': '1000' });
      response.write('{', () => setTimeout(() => abort.abort(reason), 50));
    });
    await expect(client(server.baseUrl).service.upload(uploadRequest(), abort.signal)).rejects.toBe(reason);
  });
});

it('closing ends a running upload', async () => {
  let arrived = (): void => {};
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  const server = await scriptedServer(() => arrived());
  const { service } = client(server.baseUrl);
  const upload = service.upload(uploadRequest(), never);
  await arrival;
  await service.close();
  expect(await upload).toMatchObject({ kind: 'fault', sent: true });
});

describe('a fault', () => {
  it.each([
    ['ENOTFOUND', true, 'unknownHost'],
    ['EAI_AGAIN', true, 'unknownHost'],
    ['ENETUNREACH', true, 'noRoute'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', true, 'inspected'],
    ['CERT_HAS_EXPIRED', true, 'expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', true, 'otherName'],
    ['UPLOAD_STALLED', false, 'stalled'],
    ['EPROTO', true, 'notConnected'],
    ['ECONNRESET', false, 'closed'],
  ])('%s while connecting: %s means %s', (code, connecting, meaning) => {
    const error = Object.assign(new Error('internal words'), { code });
    const fault = asFault(error, HOST, connecting);
    expect(fault).toMatchObject({ kind: 'fault', sent: !connecting, code, fault: { ...HOST, code } });
    expect(meaningOf(fault)).toBe(meaning);
  });

  it('handles anything thrown', () => {
    expect(asFault('odd', HOST, false)).toMatchObject({ kind: 'fault', sent: true, code: 'UNKNOWN' });
  });
});

describe('a service that expects HTTP instead of HTTPS, or the reverse', () => {
  it('is named with http where https meets plain HTTP', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const { host } = new URL(server.baseUrl);
    const answer = await client(`https://${host}`).service.upload(uploadRequest(), never);
    expect(answer).toMatchObject({ kind: 'fault', sent: false, fault: { host, other: 'http' } });
  });

  it.each([
    ['https', 'http'],
    ['http', 'https'],
  ])('is named where %s is reset: %s', async (scheme, other) => {
    const { port } = await scriptedTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const answer = await client(`${scheme}://127.0.0.1:${port}`).service.upload(uploadRequest(), never);
    expect(answer).toMatchObject({ fault: { host: `127.0.0.1:${port}`, other } });
  });

  it('is not named once the service has answered', async () => {
    let isWell = true;
    const server = await scriptedServer((request, response) => {
      if (isWell) sendJson(response, 200, record);
      else request.socket.resetAndDestroy();
    });
    const { service } = client(server.baseUrl);
    await service.upload(uploadRequest(), never);
    isWell = false;
    const later = await service.upload(uploadRequest(), never);
    expect(later).toMatchObject({ kind: 'fault', fault: { other: null } });
  });
});
