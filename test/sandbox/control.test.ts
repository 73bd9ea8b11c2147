import { get } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { isLoopback } from '../../src/sandbox/routes/control.ts';
import type { RequestEvent } from '../../src/sandbox/server.ts';
import { Client, DEPOT, OFFICE, fields, keptBytes, start, until, ready } from './harness.ts';

test('faults are set, shown and deleted over HTTP without a token', async () => {
  const { sandbox, client } = await ready();
  const faults = (method: string, body?: string): ReturnType<Client['call']> =>
    client.call(method, '/sandbox/faults', { headers: {}, ...(body === undefined ? {} : { body }) });
  expect((await faults('PUT', '[{"kind":"status","status":503}]')).status).toBe(200);
  expect((await client.upload('x', 'bytes')).status).toBe(503);
  expect(JSON.parse((await faults('GET')).text)).toMatchObject([{ kind: 'status', status: 503, fired: 1 }]);
  expect((await faults('PUT', '{"kind":"html","times":1}')).status).toBe(200);
  expect(sandbox.faults()).toMatchObject([{ kind: 'html', fired: 0 }]);
  expect((await faults('DELETE')).status).toBe(200);
  expect((await client.upload('x', 'bytes')).status).toBe(200);
});

test('an invalid rule gets 400 with the reason and changes nothing', async () => {
  const sandbox = await start();
  const client = new Client(sandbox.url);
  sandbox.misbehave({ kind: 'html' });
  for (const [body, reason] of [
    ['[{"kind":"explode"}]', 'kind'],
    ['[{"kind":"html","oops":1}]', 'oops'],
    ['{', 'JSON'],
  ] as const) {
    const answer = await client.call('PUT', '/sandbox/faults', { headers: {}, body });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(reason);
  }
  expect(sandbox.faults()).toMatchObject([{ kind: 'html' }]);
});

test('new credentials for several accounts replace the old ones and revoke their tokens', async () => {
  const { client } = await ready({ owners: { [DEPOT]: 'branch' } });
  expect((await client.upload('x', 'bytes', { uid: DEPOT })).status).toBe(403);
  const put = (body: string) => client.call('PUT', '/sandbox/credentials', { headers: {}, body });
  const branch = { client_id: 'branch', client_secret: 'b' };
  expect((await client.requestToken(branch)).status).toBe(401);
  const both = '[{"clientId":"sandbox","clientSecret":"new"},{"clientId":"branch","clientSecret":"b"}]';
  expect(await put(both)).toMatchObject({ status: 200, text: '{}' });
  expect((await client.upload('x', 'bytes')).status).toBe(401);
  expect((await client.requestToken()).status).toBe(401);
  expect((await client.requestToken({ client_secret: 'new' })).status).toBe(200);
  client.token = String(fields((await client.requestToken(branch)).text)['access_token']);
  expect((await client.upload('x', 'bytes', { uid: DEPOT })).status).toBe(200);
  expect((await put('[]')).status).toBe(400);
  expect((await put('{')).status).toBe(400);
  expect((await client.upload('y', 'bytes', { uid: DEPOT })).status).toBe(200);
});

test('the list of documents shows what was received', async () => {
  const { sandbox, client } = await ready();
  const list = async (): Promise<unknown> =>
    JSON.parse((await client.call('GET', '/sandbox/documents', { headers: {} })).text);
  expect(await list()).toEqual([]);
  await client.upload('one', 'bytes');
  await client.upload('two', 'bytes');
  expect(await list()).toEqual(sandbox.received().map(({ file: _file, ...document }) => document));
});

test('the controls answer to no page that calls this machine by its own name', async () => {
  const { port } = await start();
  const status = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { port, path: '/sandbox/documents', headers: { host } };
      get(options, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    });
  for (const host of [`127.0.0.1:${port}`, 'LOCALHOST', '[::1]:1'])
    expect([host, await status(host)]).toEqual([host, 200]);
  for (const host of [
    'evil.example',
    `localhost.evil.example:${port}`,
    'localhost@evil.example',
    '127.evil.example',
  ])
    expect([host, await status(host)]).toEqual([host, 403]);
});

test('an unknown control gets 404, and faults do not affect the controls', async () => {
  const sandbox = await start();
  sandbox.misbehave({ kind: 'status', status: 500, route: 'any' });
  const client = new Client(sandbox.url);
  expect((await client.call('GET', '/sandbox/nothing', { headers: {} })).status).toBe(404);
  expect((await client.call('GET', '/sandbox/faults', { headers: {} })).status).toBe(200);
});

test('fifty concurrent uploads are all kept, counted and timed', async () => {
  const sandbox = await start();
  const client = await new Client(sandbox.url, 50).login();
  const startedAt = performance.now();
  const sent = new Map(
    Array.from({ length: 50 }, (_, index) => [`scan ${index}`, Buffer.alloc(100_000 + index, index)]),
  );
  /** Half of it only once all have begun. */
  const parts = async function* (bytes: Buffer): AsyncGenerator<Buffer> {
    yield bytes.subarray(0, 50_000);
    await until(() => sandbox.stats().uploadsInFlight === 50);
    yield bytes.subarray(50_000);
  };
  const answers = await Promise.all(
    [...sent].map(([name, bytes], index) =>
      client.upload(name, Readable.from(parts(bytes)), { uid: index < 10 ? DEPOT : OFFICE }),
    ),
  );
  const finishedAt = performance.now();
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
  for (const [name, bytes] of await keptBytes(sandbox)) expect(sent.get(name)?.equals(bytes)).toBe(true);
  const stats = sandbox.stats();
  expect(stats).toMatchObject({
    requests: { token: { 200: 1 }, upload: { 200: 50 } },
    stored: 50,
    repeats: 0,
    uploadsInFlight: 0,
    maxConcurrentUploads: 50,
    maxConcurrentUploadsByEndpoint: { [DEPOT]: 10, [OFFICE]: 40 },
  });
  expect(stats.uploadArrivals).toHaveLength(50);
  expect(stats.uploadArrivals).toEqual(stats.uploadArrivals.toSorted((a, b) => a - b));
  expect(stats.uploadArrivals[0]).toBeGreaterThanOrEqual(startedAt);
  expect(stats.uploadArrivals[49]).toBeLessThanOrEqual(finishedAt);
  expect(sandbox.arrivals(DEPOT)).toHaveLength(10);
  const overHttp = await client.call('GET', '/sandbox/stats', { headers: {} });
  expect(fields(overHttp.text)).toEqual(stats);
});

test('a client with one connection never counts as two concurrent uploads', async () => {
  const sandbox = await start();
  const client = await new Client(sandbox.url, 1).login();
  for (let index = 0; index < 50; index += 1) await client.upload(`x${index}`, 'bytes');
  expect(sandbox.stats().maxConcurrentUploads).toBe(1);
});

test('refused and spoilt uploads count as arrivals', async () => {
  const { sandbox, client } = await ready();
  await client.upload('x', 'bytes', { headers: {} });
  await client.upload('x', 'bytes', { uid: 'nowhere' });
  sandbox.misbehave({ kind: 'cut', at: 'beforeBody' });
  await expect(client.upload('x', 'bytes')).rejects.toThrow(/closed|ECONNRESET/);
  expect(sandbox.arrivals()).toHaveLength(3);
});

test('every request is reported once, without token or secret', async () => {
  const events: RequestEvent[] = [];
  const { sandbox, client } = await ready({ onRequest: (event) => events.push(event) });
  sandbox.misbehave({ kind: 'lostAnswer', times: 1 });
  await expect(client.upload('x', 'bytes')).rejects.toThrow(/closed|ECONNRESET/);
  await client.upload('x', 'bytes');
  await client.call('GET', '/nowhere');
  expect(events.map(({ route, ending, name, fault }) => [route, ending, name, fault])).toEqual([
    ['token', 200, null, null],
    ['upload', 'cut', 'x', 'lostAnswer'],
    ['upload', 200, 'x', null],
    ['other', 404, null, null],
  ]);
  const printed = JSON.stringify(events);
  expect(printed).not.toContain(client.token);
  expect(printed).not.toContain('sandbox-secret');
});

test.each([
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['192.168.1.5', false],
  ['::ffff:10.0.0.1', false],
  ['2001:db8::1', false],
  ['127.evil', false],
  [undefined, false],
])('controls for %s: %s', (address, allowed) => {
  expect(isLoopback(address)).toBe(allowed);
});
