import { expect, test } from 'vitest';
import { Client, DEPOT, OFFICE, fields, start, uploadPath, ready } from './harness.ts';
import type { Answer } from './harness.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/;

test('a token has the four fields of the interface', async () => {
  const answer = await new Client((await start()).url).requestToken();
  expect(answer.status).toBe(200);
  expect(fields(answer.text)).toEqual({
    access_token: expect.stringMatching(/^[\w-]{200,}$/),
    expires_in: 86_400,
    scope: '',
    token_type: 'Bearer',
  });
});

test('a wrong secret or identifier gets 401 with a text that does not repeat the secret', async () => {
  const client = new Client((await start()).url);
  for (const wrong of [{ client_secret: 'hunter2' }, { client_id: 'nobody' }]) {
    const answer = await client.requestToken(wrong);
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain('hunter2');
  }
});

test.each([
  ['a missing field', { client_secret: undefined }],
  ['another grant', { grant_type: 'password' }],
  ['a number for a string', { client_id: 7 }],
  ['a field that the interface does not know', { scope: 'all' }],
])('a token request with %s gets 400', async (_what, wrong) => {
  expect((await new Client((await start()).url).requestToken(wrong)).status).toBe(400);
});

test('a token request gets 400 unless both header and body are JSON', async () => {
  const client = new Client((await start()).url);
  const form = 'grant_type=client_credentials&client_id=sandbox&client_secret=sandbox-secret';
  const good = JSON.stringify({
    client_id: 'sandbox',
    client_secret: 'sandbox-secret',
    grant_type: 'client_credentials',
  });
  const post = (type: string, body: string): Promise<Answer> =>
    client.call('POST', '/v2/oauth2/token', { headers: { 'content-type': type }, body });
  expect((await post('application/x-www-form-urlencoded', form)).status).toBe(400);
  expect((await post('text/plain', good)).status).toBe(400);
  expect((await post('application/json', `${good.slice(0, -1)},`)).status).toBe(400);
  expect((await post('application/json; charset=utf-8', good)).status).toBe(200);
});

test('whoami returns the company and confirms', async () => {
  const { client } = await ready();
  const answer = await client.call('GET', '/v2/whoami');
  expect(answer.status).toBe(200);
  expect(fields(answer.text)).toEqual({ company: expect.any(String), message: expect.any(String) });
});

test.each([
  ['no header', undefined],
  ['lower case', (token: string) => `bearer ${token}`],
  ['two spaces', (token: string) => `Bearer  ${token}`],
  ['no space', (token: string) => `Bearer${token}`],
  ['a tab', (token: string) => `Bearer\t${token}`],
  ['the bare token', (token: string) => token],
  ['a second word', (token: string) => `Bearer ${token} x`],
  ['another scheme', (token: string) => `Basic ${token}`],
  ['an unknown token', (token: string) => `Bearer ${token}x`],
])('an Authorization header with %s gets 401 on every route', async (_what, header) => {
  const { sandbox, client } = await ready();
  const headers: Record<string, string> = header ? { authorization: header(client.token) } : {};
  const answers = [
    await client.call('GET', '/v2/whoami', { headers }),
    await client.call('POST', '/v2/endpoints', { headers, body: '{"name":"x"}' }),
    await client.upload('x', 'bytes', { headers }),
  ];
  expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401]);
  expect(sandbox.received()).toEqual([]);
});

test('a token works until it expires', async () => {
  let monotonic = 0;
  const clock = { now: () => Date.now(), monotonic: () => monotonic };
  const { client } = await ready({ clock, tokenLifetimeSeconds: 60 });
  monotonic = 59_999;
  expect((await client.call('GET', '/v2/whoami')).status).toBe(200);
  monotonic = 60_000;
  expect((await client.call('GET', '/v2/whoami')).status).toBe(401);
  await client.login();
  expect((await client.call('GET', '/v2/whoami')).status).toBe(200);
});

test('revoked tokens get 401 until a new one is requested', async () => {
  const { sandbox, client } = await ready();
  sandbox.revokeTokens();
  expect((await client.upload('x', 'bytes')).status).toBe(401);
  await client.login();
  expect((await client.upload('x', 'bytes')).status).toBe(200);
});

test('a created endpoint has every field and takes uploads', async () => {
  const { sandbox, client } = await ready();
  const request = { name: 'Büro', outgoingUrl: 'https://example.org/hook', dominantLanguage: 'de-CH' };
  const answer = await client.call('POST', '/v2/endpoints', {
    ...auth(client),
    body: JSON.stringify(request),
  });
  expect(answer.status).toBe(201);
  expect(fields(answer.text)).toEqual({
    ...request,
    uid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    createdAt: expect.stringMatching(TIMESTAMP),
    updatedAt: expect.stringMatching(TIMESTAMP),
    companyUid: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const uid = String(fields(answer.text)['uid']);
  expect((await client.upload('first', 'bytes', { uid })).status).toBe(200);
  expect(sandbox.endpoints().map((endpoint) => endpoint.uid)).toContain(uid);
});

test.each([
  ['no name', '{}'],
  ['a language that is not <ll>-<RR>', '{"name":"x","dominantLanguage":"german"}'],
  ['an address that is none', '{"name":"x","outgoingUrl":"nowhere"}'],
  ['an unknown field', '{"name":"x","colour":"red"}'],
  ['no JSON', 'name=x'],
])('an endpoint request with %s gets 400', async (_what, body) => {
  const { client } = await ready();
  expect((await client.call('POST', '/v2/endpoints', { ...auth(client), body })).status).toBe(400);
});

test('an upload is answered with its record and with unknown fields', async () => {
  const { client } = await ready();
  const answer = await client.upload('scan 1+2&3.jpg', 'bytes', { uid: DEPOT });
  expect(answer.status).toBe(200);
  expect(fields(answer.text)).toMatchObject({
    name: 'scan 1+2&3.jpg',
    endpointUid: DEPOT,
    status: 'PROCESSING',
  });
  expect(Object.keys(fields(answer.text)).length).toBeGreaterThan(6);
  expect(answer.text).toContain('"sequence":9007199254740993,"cost":0.10');
});

test('an upload to an unknown endpoint gets 404, and one without a name or bytes 400', async () => {
  const { sandbox, client } = await ready();
  const post = async (path: string, body: string): Promise<number> =>
    (await client.call('POST', path, { ...auth(client), body })).status;
  expect(await post(uploadPath('x', '99999999-2222-4333-8444-555555555555'), 'bytes')).toBe(404);
  expect(await post(uploadPath('x', '..'), 'bytes')).toBe(404);
  expect(await post(uploadPath('x', '%2e%2e'), 'bytes')).toBe(404);
  expect(await post(`/v2/endpoints/${OFFICE}/documents`, 'bytes')).toBe(400);
  expect(await post(`/v2/endpoints/${OFFICE}/documents?name=`, 'bytes')).toBe(400);
  expect(await post(`/v2/endpoints/${OFFICE}/documents?name=a&name=b`, 'bytes')).toBe(400);
  expect(await post(`/v2/endpoints/${OFFICE}/documents?name=%E0%A4%A`, 'bytes')).toBe(400);
  expect(await post(uploadPath('x'), '')).toBe(400);
  expect(sandbox.received()).toEqual([]);
});

test('unknown routes get 404, and known ones with another method 405', async () => {
  const { client } = await ready();
  expect((await client.call('GET', '/')).status).toBe(404);
  expect((await client.call('GET', '/v1/whoami')).status).toBe(404);
  expect((await client.call('GET', '/v2/whoami/')).status).toBe(404);
  const answer = await client.call('GET', uploadPath('x'));
  expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
});

test('uploads without a plan get 403, while whoami still works', async () => {
  const { sandbox, client } = await ready({ plan: { enabled: false, quota: null } });
  expect((await client.upload('x', 'bytes')).status).toBe(403);
  expect((await client.call('GET', '/v2/whoami')).status).toBe(200);
  sandbox.setPlan({ enabled: true, quota: null });
  expect((await client.upload('x', 'bytes')).status).toBe(200);
});

test('a quota holds for concurrent uploads, and refused ones do not use it', async () => {
  const { sandbox, client } = await ready({ plan: { enabled: true, quota: 5 } });
  expect((await client.upload('empty', '')).status).toBe(400);
  const names = Array.from({ length: 30 }, (_, index) => `scan-${index}`);
  const answers = await Promise.all(names.map((name) => client.upload(name, `bytes of ${name}`)));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(5);
  expect(answers.filter((answer) => answer.status === 429)).toHaveLength(25);
  expect(sandbox.stats().quotaUsed).toBe(5);
  sandbox.setPlan({ enabled: true, quota: 6 });
  expect((await client.upload('next', 'bytes')).status).toBe(200);
  expect((await client.upload('more', 'bytes')).status).toBe(429);
});

function auth(client: Client): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' } };
}
