import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../src/sandbox/server.ts';
import { Client, OFFICE, fields, start, until, ready } from './harness.ts';

test('Retry-After is sent as seconds or as a date', async () => {
  const { sandbox, client } = await ready();
  const date = 'Sat, 21 Nov 2026 10:00:00 GMT';
  sandbox.misbehave(
    { kind: 'status', status: 429, retryAfter: 7, times: 1 },
    { kind: 'status', status: 503, retryAfter: date, times: 1 },
  );
  expect((await client.upload('x', 'bytes')).headers['retry-after']).toBe('7');
  expect((await client.upload('x', 'bytes')).headers['retry-after']).toBe(date);
  expect((await client.upload('x', 'bytes')).headers['retry-after']).toBeUndefined();
});

test('a rule answers with an error although the document was stored', async () => {
  const { sandbox, client } = await ready();
  sandbox.misbehave({ kind: 'status', status: 504, store: true, body: 'gateway', times: 1 });
  expect(await client.upload('x', 'bytes')).toMatchObject({ status: 504, text: 'gateway' });
  expect(sandbox.received()).toMatchObject([{ name: 'x', accepted: true }]);
});

test('a rule applies to a number of requests, forever, or until it is reset', async () => {
  const { sandbox, client } = await ready();
  const statuses = async (count: number): Promise<number[]> => {
    const seen: number[] = [];
    while (seen.length < count) seen.push((await client.upload(`x${seen.length}`, 'bytes')).status);
    return seen;
  };
  sandbox.misbehave({ kind: 'status', status: 500, times: 2 }, { kind: 'status', status: 503 });
  expect(await statuses(5)).toEqual([500, 500, 503, 503, 503]);
  expect(sandbox.faults().map(({ fired, spent }) => [fired, spent])).toEqual([
    [2, true],
    [3, false],
  ]);
  sandbox.behave();
  expect(await statuses(2)).toEqual([200, 200]);
});

test('a probability uses the given random source, and misses fall through to the next rule', async () => {
  const dice = [0.49, 0.5, 0.99, 0];
  const { sandbox, client } = await ready({ random: () => dice.shift() ?? 1 });
  sandbox.misbehave(
    { kind: 'status', status: 500, probability: 0.5 },
    { kind: 'status', status: 429, times: 1 },
  );
  const seen: number[] = [];
  while (seen.length < 4) seen.push((await client.upload('x', 'bytes')).status);
  expect(seen).toEqual([500, 429, 200, 500]);
});

test('a rule applies only to its route and names', async () => {
  const { sandbox, client } = await ready();
  sandbox.misbehave({ kind: 'status', status: 422, nameIncludes: 'größe' });
  expect((await client.upload('a größe b', 'bytes')).status).toBe(422);
  expect((await client.upload('a size b', 'bytes')).status).toBe(200);
  expect((await client.call('GET', '/v2/whoami')).status).toBe(200);
  sandbox.misbehave({ kind: 'status', status: 500, route: 'whoami' });
  expect((await client.call('GET', '/v2/whoami')).status).toBe(500);
  sandbox.misbehave({ kind: 'status', status: 502, route: 'any' });
  expect((await client.requestToken()).status).toBe(502);
  expect((await client.call('POST', '/v2/endpoints', { body: '{"name":"x"}' })).status).toBe(502);
  expect((await client.upload('a size b', 'bytes')).status).toBe(502);
});

test('a rule applies to the token route too', async () => {
  const sandbox = await start();
  const client = new Client(sandbox.url);
  sandbox.misbehave(
    { route: 'token', kind: 'status', status: 401, times: 1 },
    { route: 'token', kind: 'html', times: 1 },
    { route: 'token', kind: 'truncatedJson', times: 1 },
    { route: 'token', kind: 'lostAnswer', times: 1 },
  );
  expect((await client.requestToken()).status).toBe(401);
  expect((await client.requestToken()).text).toContain('<html>');
  const { text } = await client.requestToken();
  expect(() => fields(text)).toThrow(SyntaxError);
  await expect(client.requestToken()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  expect((await client.requestToken()).status).toBe(200);
});

test('a delay comes after the work and before the answer', async () => {
  const { sandbox, client } = await ready();
  sandbox.misbehave({ kind: 'delay', delayMs: 150, times: 1 });
  const startedAt = performance.now();
  let answered = false;
  const answer = client.upload('x', 'bytes').finally(() => (answered = true));
  await until(() => sandbox.received().length === 1);
  expect(answered).toBe(false);
  expect((await answer).status).toBe(200);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(149);
  sandbox.misbehave({ kind: 'delay', delayMs: 3_600_000 });
  const held = client.upload('y', 'bytes');
  await until(() => sandbox.received().length === 2);
  sandbox.behave();
  expect((await held).status).toBe(200);
});

test.each(['beforeBody', 'midBody'] as const)('a connection cut %s leaves nothing stored', async (at) => {
  const { sandbox, client } = await ready();
  sandbox.misbehave({ kind: 'cut', at, times: 1 });
  await expect(client.upload('x', Buffer.alloc(3_000_000))).rejects.toThrow(/closed|ECONNRESET|EPIPE/);
  expect(sandbox.received()).toEqual([]);
  expect(sandbox.stats()).toMatchObject({ requests: { upload: { cut: 1 } }, uploadsInFlight: 0 });
  expect((await client.upload('x', 'bytes')).status).toBe(200);
});

test.each([
  { kind: 'lostAnswer', times: 1 },
  { kind: 'cut', at: 'midAnswer', times: 1 },
] satisfies FaultRule[])(
  'a lost answer ($kind) leaves the document stored, and a retry finds it',
  async (rule) => {
    const { sandbox, client } = await ready();
    sandbox.misbehave(rule);
    await expect(client.upload('x', 'bytes')).rejects.toThrow(/closed|terminated/);
    expect(sandbox.received()).toMatchObject([{ name: 'x', tries: 1 }]);
    expect((await client.upload('x', 'bytes')).status).toBe(200);
    expect(sandbox.received()).toMatchObject([{ name: 'x', tries: 2 }]);
    expect(sandbox.stats()).toMatchObject({ repeats: 1, repeatsWithOtherBytes: 0 });
  },
);

test.each([
  ['a web page', { kind: 'html' }, 0, /^<!doctype html>/],
  ['half a record', { kind: 'truncatedJson' }, 1, /^\{"name":"x".*[^}]$/s],
  ['a record of another name', { kind: 'wrongRecord', name: 'y' }, 1, /^\{"name":"y","endpointUid":"1111/],
  [
    'a record of another endpoint',
    { kind: 'wrongRecord', name: 'x', endpointUid: 'z' },
    1,
    /"endpointUid":"z"/,
  ],
] satisfies [string, FaultRule, number, RegExp][])(
  'HTTP 200 can carry %s',
  async (_what, rule, stored, pattern) => {
    const { sandbox, client } = await ready();
    sandbox.misbehave(rule);
    const answer = await client.upload('x', 'bytes');
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(pattern);
    expect(sandbox.received()).toHaveLength(stored);
  },
);

test('a redirect points to the given location', async () => {
  const { sandbox, client } = await ready();
  sandbox.misbehave({ kind: 'redirect', status: 308, location: 'http://127.0.0.1:1/v2', times: 1 });
  const answer = await client.upload('x', 'bytes');
  expect([answer.status, answer.headers['location']]).toEqual([308, 'http://127.0.0.1:1/v2']);
  expect(sandbox.received()).toEqual([]);
});

test.each([
  ['before the body', { kind: 'stall', at: 'beforeBody' }, 0],
  ['before the answer', { kind: 'stall' }, 0],
  ['before the answer, stored', { kind: 'stall', store: true }, 1],
  ['in the answer', { kind: 'stall', at: 'midAnswer' }, 1],
] satisfies [string, FaultRule, number][])(
  'a stall %s lasts until the client gives up',
  async (_what, rule, stored) => {
    const { sandbox, client } = await ready();
    sandbox.misbehave(rule);
    const giveUp = new AbortController();
    const upload = client.upload('x', Buffer.alloc(3_000_000), { signal: giveUp.signal });
    const end = upload.catch((error: Error) => error.name);
    await until(() => sandbox.faults()[0]?.fired === 1 && sandbox.received().length === stored);
    giveUp.abort();
    expect(await end).toBe('AbortError');
    await until(() => sandbox.stats().uploadsInFlight === 0);
    expect(sandbox.stats().requests['upload']).toEqual({ stalled: 1 });
    expect(sandbox.received()).toHaveLength(stored);
  },
);

test('closing the sandbox ends stalled and delayed requests at once', async () => {
  const { sandbox, client } = await ready();
  sandbox.misbehave({ kind: 'stall', times: 1 }, { kind: 'delay', delayMs: 3_600_000 });
  const pending = ['x', 'y'].map((name) => client.upload(name, 'bytes'));
  const ends = Promise.allSettled(pending);
  await until(() => sandbox.faults().every((rule) => rule.fired === 1));
  await sandbox.close();
  expect((await ends).map((end) => end.status)).toEqual(['rejected', 'rejected']);
});

test('a client that disconnects in the middle of its body is counted, and nothing is stored', async () => {
  const { sandbox, client } = await ready();
  const giveUp = new AbortController();
  const body = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('half');
    await until(() => sandbox.stats().uploadsInFlight === 1);
    giveUp.abort();
    yield Buffer.from('never');
  };
  await expect(
    client.pool.request({
      method: 'POST',
      path: `/v2/endpoints/${OFFICE}/documents?name=x`,
      headers: { authorization: `Bearer ${client.token}` },
      body: Readable.from(body()),
      signal: giveUp.signal,
    }),
  ).rejects.toThrow(/abort/i);
  await until(() => sandbox.stats().requests['upload']?.['aborted'] === 1);
  expect(sandbox.stats()).toMatchObject({ uploadsInFlight: 0, quotaUsed: 0 });
  expect(sandbox.received()).toEqual([]);
});

test('keep-alive survives refusals and faults that answer', async () => {
  const sandbox = await start();
  const client = new Client(sandbox.url, 1);
  let connections = 0;
  client.pool.on('connect', () => (connections += 1));
  await client.login();
  sandbox.misbehave(
    { kind: 'status', status: 503, times: 1 },
    { kind: 'html', times: 1 },
    { kind: 'redirect', times: 1 },
    { kind: 'truncatedJson', times: 1 },
  );
  const large = Buffer.alloc(2_000_000);
  for (const status of [503, 200, 307, 200]) expect((await client.upload('x', large)).status).toBe(status);
  const refused = [
    await client.upload('x', large, { headers: {} }),
    await client.upload('x', large, { uid: 'nowhere' }),
    await client.upload('', large),
  ];
  expect(refused.map((answer) => answer.status)).toEqual([401, 404, 400]);
  expect((await client.upload('y', large)).status).toBe(200);
  expect(connections).toBe(1);
});
