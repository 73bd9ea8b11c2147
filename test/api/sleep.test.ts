/** Connections made before the machine slept are not used afterwards. */
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { client, never, uploadRequest } from './client.ts';
import { scriptedServer, sendJson } from './scriptedServer.ts';

const HOUR = 3_600_000;
/** A pool with one connection, so that none is new by chance. */
const ONE = { connections: 0 };

/** Answers each request; from a sleep on it hears nothing any more of what it was connected to, and does not say so. */
async function forgetfulServer() {
  const dead = new Set<Socket>();
  const server = await scriptedServer(({ socket }, response) => {
    if (!dead.has(socket)) sendJson(response, 200, {});
  });
  const sleep = (): void => server.received.forEach(({ socket }) => dead.add(socket));
  return { ...server, sleep };
}

it('reuses an idle connection if the machine did not sleep', async () => {
  const server = await forgetfulServer();
  const { service } = client(server.baseUrl, ONE);
  for (let n = 0; n < 3; n += 1) expect((await service.upload(uploadRequest(), never)).kind).toBe('response');
  expect(server.connections()).toBe(1);
});

it('opens a new connection after a sleep that only the wall clock shows', async () => {
  const server = await forgetfulServer();
  const { service, clock } = client(server.baseUrl, ONE);
  await service.upload(uploadRequest(), never);
  server.sleep();
  clock.wall += 9 * HOUR;
  expect((await service.upload(uploadRequest(), never)).kind).toBe('response');
  expect(server.connections()).toBe(2);
});

it('opens a new connection after a reported sleep', async () => {
  const server = await forgetfulServer();
  const { service } = client(server.baseUrl, ONE);
  await service.upload(uploadRequest(), never);
  server.sleep();
  service.dropIdle?.();
  expect((await service.upload(uploadRequest(), never)).kind).toBe('response');
  expect(server.connections()).toBe(2);
});

it('does not interrupt a running request', async () => {
  let answer: () => void = () => {};
  let hasArrived: () => void = () => {};
  const arrived = new Promise<void>((resolve) => (hasArrived = resolve));
  const server = await scriptedServer((_request, response) => {
    answer = () => sendJson(response, 200, {});
    hasArrived();
  });
  const { service, clock } = client(server.baseUrl, ONE);
  const underWay = service.upload(uploadRequest(), never);
  await arrived;
  clock.wall += HOUR;
  service.dropIdle?.();
  answer();
  expect((await underWay).kind).toBe('response');
});
