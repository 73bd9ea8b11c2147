import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { Client, fields, OFFICE, start, ready } from './harness.ts';
import { listen } from '../support/ports.ts';
import { SandboxMeter } from '../../src/sandbox/stats.ts';

/** Receives results like an agent: answers with each of `answers` in turn, then 204. */
async function handler(answers: number[] = []) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  const { port, close } = await listen(server);
  onTestFinished(close);
  return { bodies, url: `http://127.0.0.1:${port}/results/x` };
}

const statuses = (bodies: readonly string[]) => bodies.map((body) => fields(body)['status']);

test('the planned results of an upload are posted to its endpoint in order, and repeated until accepted', async () => {
  const { bodies, url } = await handler([503]);
  const sandbox = await start({
    endpoints: [{ uid: OFFICE, name: 'Office', outgoingUrl: url }],
    results: { afterMs: 1, statuses: ['READ', 'DONE'] },
  });
  const client = await new Client(sandbox.url).login();
  await client.upload('one', 'bytes');
  await expect.poll(() => statuses(bodies)).toEqual(['READ', 'READ', 'DONE']);
  expect(fields(bodies[2] ?? '')).toMatchObject({ name: 'one', endpointUid: OFFICE, status: 'DONE' });
  expect(bodies[0]).toBe(bodies[1]);
});

test('a result is posted on request: for an unknown name, twice, malformed, or out of order', async () => {
  const { bodies, url } = await handler([204, 413]);
  const { sandbox, client } = await ready({ endpoints: [{ uid: OFFICE, name: 'Office', outgoingUrl: url }] });
  await client.upload('one', 'bytes');
  const post = async (result: object) =>
    client.call('POST', '/sandbox/results', { headers: {}, body: JSON.stringify(result) });
  const answer = await post({ endpointUid: OFFICE, name: 'nobody', status: 'DONE', times: 2 });
  expect(JSON.parse(answer.text)).toEqual({ answers: [204, 413] });
  await post({ endpointUid: OFFICE, name: 'one', status: 'READ' });
  expect(await sandbox.postResult({ endpointUid: OFFICE, payload: '{"name":' })).toEqual([204]);
  expect(statuses(bodies.slice(0, 3))).toEqual(['DONE', 'DONE', 'READ']);
  expect(bodies[3]).toBe('{"name":');
  expect((await post({ endpointUid: 'other' })).status).toBe(404);
  expect((await post({ endpointUid: OFFICE, oops: 1 })).status).toBe(400);
});

test('a missing listener is harmless, and an upload without an outgoingUrl posts nothing', async () => {
  const sandbox = await start({
    endpoints: [{ uid: OFFICE, name: 'Office', outgoingUrl: 'http://127.0.0.1:9/' }],
    results: { afterMs: 1, statuses: ['DONE'] },
  });
  const client = await new Client(sandbox.url).login();
  expect((await client.upload('one', 'bytes')).status).toBe(200);
  expect(await sandbox.postResult({ endpointUid: OFFICE, name: 'one' })).toEqual([0]);
});

test('only the last 10,000 arrivals are kept, in order', () => {
  let now = 0;
  const meter = new SandboxMeter({ now: () => 0, monotonic: () => now });
  for (; now < 25_000; now += 1) meter.uploadArrived(now % 2 === 0 ? 'even' : null)();
  expect(meter.arrivals()).toEqual(Array.from({ length: 10_000 }, (_, index) => 15_000 + index));
  expect(meter.arrivals('even')).toHaveLength(5_000);
  expect(meter.report()).toMatchObject({ uploadsInFlight: 0, maxConcurrentUploads: 1 });
});
