import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { client } from './client.ts';
import { scriptedServer, sendJson } from './scriptedServer.ts';
import type { Received, ScriptedServer } from './scriptedServer.ts';
import { freePort } from '../support/ports.ts';

type Script = (response: ServerResponse, request: Received) => unknown;

async function answering(...scripts: Script[]): Promise<ScriptedServer & { creations(): Received[] }> {
  let issued = 0;
  const server = await scriptedServer((request, response) => {
    if (request.url === '/v2/oauth2/token') sendJson(response, 200, { access_token: `token-${++issued}` });
    else scripts.shift()?.(response, request);
  });
  return {
    ...server,
    creations: () => server.received.filter((request) => request.url !== '/v2/oauth2/token'),
  };
}

const record = { uid: 'u-1', name: 'office', createdAt: '2026-11-21T12:00:00.000+01:00', mystery: [1] };

describe('creating an endpoint', () => {
  it.each([200, 201, 202])('succeeds with a record and HTTP %d', async (status) => {
    const server = await answering((response) => sendJson(response, status, record));
    const created = await client(server.baseUrl).service.createEndpoint({
      name: 'office',
      outgoingUrl: 'https://example.test/hook',
      dominantLanguage: 'de-CH',
    });
    expect(created).toEqual({ uid: 'u-1', name: 'office', verbatim: JSON.stringify(record) });
    const [request] = server.creations();
    expect([request?.method, request?.url]).toEqual(['POST', '/v2/endpoints']);
    expect(request?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(String(request?.body))).toEqual({
      name: 'office',
      outgoingUrl: 'https://example.test/hook',
      dominantLanguage: 'de-CH',
    });
  });

  it('sends only what was given', async () => {
    const server = await answering((response) => sendJson(response, 200, { uid: 'u-1' }));
    const created = await client(server.baseUrl).service.createEndpoint({ name: 'office' });
    expect(created.name).toBe('office');
    expect(JSON.parse(String(server.creations()[0]?.body))).toEqual({ name: 'office' });
  });

  it('is repeated after a 401, which had no effect', async () => {
    const server = await answering(
      (response) => response.writeHead(401).end(),
      (response) => sendJson(response, 200, record),
    );
    expect((await client(server.baseUrl).service.createEndpoint({ name: 'office' })).uid).toBe('u-1');
    expect(server.creations()).toHaveLength(2);
  });

  it.each<[string, Script]>([
    ['the connection breaks', (_response, request) => request.socket.destroy()],
    ['the server fails', (response) => response.writeHead(500).end()],
    ['a gateway gives up', (response) => response.writeHead(504).end()],
    ['the request is said to have timed out', (response) => response.writeHead(408).end()],
    ['it redirects to what may have been made', (response) => response.writeHead(303).end()],
    ['a success is HTML', (response) => response.writeHead(200).end('<html>')],
    ['a success has no uid', (response) => sendJson(response, 201, { name: 'office' })],
    ['a success is empty', (response) => response.writeHead(204).end()],
    [
      'a success breaks off',
      (response, request) => {
        response.writeHead(201, { 'content-length': '500' });
        response.write('{', () => request.socket.destroy());
      },
    ],
  ])('is uncertain, and not repeated, when %s', async (_what, script) => {
    const server = await answering(script);
    await expect(client(server.baseUrl).service.createEndpoint({ name: 'office' })).rejects.toMatchObject({
      code: 'CREATE_UNCERTAIN',
      hint: expect.stringContaining('before you try again'),
    });
    expect(server.creations()).toHaveLength(1);
  });

  it.each([
    [400, 'ENDPOINT_REFUSED'],
    [402, 'ENDPOINT_REFUSED'],
    [403, 'ENDPOINT_FORBIDDEN'],
    [409, 'ENDPOINT_REFUSED'],
    [422, 'ENDPOINT_REFUSED'],
  ])('HTTP %d is %s, with the words of the service', async (status, code) => {
    const server = await answering((response) => response.writeHead(status).end('name\ntoo  long'));
    const failed = client(server.baseUrl).service.createEndpoint({ name: 'office' });
    await expect(failed).rejects.toMatchObject({ code });
    await expect(failed).rejects.toThrow('"name too long"');
    expect(server.creations()).toHaveLength(1);
  });

  it('does not follow a redirect', async () => {
    const server = await answering((response) => response.writeHead(307, { location: '/elsewhere' }).end());
    await expect(client(server.baseUrl).service.createEndpoint({ name: 'office' })).rejects.toMatchObject({
      code: 'SERVICE_ANSWER',
    });
    expect(server.creations()).toHaveLength(1);
  });

  it('is reported as certainly not created if the service is unreachable', async () => {
    const { service } = client(`http://127.0.0.1:${await freePort()}`);
    await expect(service.createEndpoint({ name: 'office' })).rejects.toMatchObject({
      code: 'SERVICE_UNREACHABLE',
    });
  });
});
