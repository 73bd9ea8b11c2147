import { describe, expect, it } from 'vitest';
import { client } from './client.ts';
import { scriptedServer, sendJson } from './scriptedServer.ts';
import type { ScriptedServer } from './scriptedServer.ts';

/** Answers whoami with these in turn; tokens are token-1, token-2, ... */
async function answering(...answers: [number, unknown][]): Promise<ScriptedServer> {
  let issued = 0;
  return await scriptedServer((request, response) => {
    if (request.url === '/v2/oauth2/token') {
      sendJson(response, 200, { access_token: `token-${++issued}` });
      return;
    }
    const [status, body] = answers.shift() ?? [599, 'not scripted'];
    if (typeof body === 'string') response.writeHead(status).end(body);
    else sendJson(response, status, body);
  });
}

const me = { company: 'Office & Sons', message: 'It works' };

describe('whoami', () => {
  it('returns the company and the message', async () => {
    const server = await answering([200, { ...me, extra: 1 }]);
    expect(await client(server.baseUrl).service.whoami()).toEqual(me);
    const request = server.received[1];
    expect([request?.method, request?.url, request?.body.length]).toEqual(['GET', '/v2/whoami', 0]);
    expect(request?.headers.authorization).toBe('Bearer token-1');
  });

  it('is repeated once with a new token after a 401', async () => {
    const server = await answering([401, 'expired'], [200, me]);
    expect(await client(server.baseUrl).service.whoami()).toEqual(me);
    expect(server.received.map((request) => request.headers.authorization)).toEqual([
      undefined,
      'Bearer token-1',
      undefined,
      'Bearer token-2',
    ]);
  });

  it('is not repeated after a second 401, and discards the token', async () => {
    const server = await answering([401, 'no'], [401, 'no: token-2'], [200, me]);
    const { service } = client(server.baseUrl);
    const failed = service.whoami();
    await expect(failed).rejects.toMatchObject({ code: 'CREDENTIALS_REFUSED' });
    await expect(failed).rejects.toThrow('no: ***');
    await service.whoami();
    expect(server.received.at(-1)?.headers.authorization).toBe('Bearer token-3');
  });

  it.each([
    ['CREDENTIALS_REFUSED', 403, 'plan'],
    ['SERVICE_ANSWER', 404, ''],
    ['SERVICE_ANSWER', 500, ''],
    ['SERVICE_ANSWER', 302, ''],
    ['SERVICE_ANSWER', 200, '<html>'],
    ['SERVICE_ANSWER', 200, '{"company":1}'],
  ] as const)('%s for a %d with %j', async (code, status, body) => {
    const server = await answering([status, body]);
    await expect(client(server.baseUrl).service.whoami()).rejects.toMatchObject({ code });
  });
});
