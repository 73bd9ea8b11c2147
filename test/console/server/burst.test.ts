import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ask, dial, own, perform, signIn } from './browser.ts';
import { signedIn } from './opened.ts';

/** More connections than the console keeps. */
const CROWD = 700;
/** A system queues only some hundred connections. */
const AT_ONCE = 175;

/** Connections of strangers: some send nothing, some send part of a request, and none ends. @returns counts the open ones */
async function crowd(origin: string): Promise<() => number> {
  const { host } = new URL(origin);
  const head = `Host: ${host}\r\n`;
  const session = `${Object.entries(own(origin))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}Content-Length: 900\r\n`;
  const beginnings = [
    '',
    `GET / HTTP/1.1\r\n${head}`,
    `POST /session HTTP/1.1\r\n${head}${session}\r\n{"tok`,
  ];
  const sockets: Socket[] = [];
  const open = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const begin = async (n: number): Promise<void> => {
    const socket = await dial(origin);
    sockets.push(socket);
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    // Without a reader, the end would go unnoticed.
    socket.resume();
    socket.write(beginnings[n % beginnings.length] ?? '');
  };
  for (let n = 0; n < CROWD; n += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, each) => begin(n + each)));
  return () => open.size;
}

/** Requests of one person on one connection. @returns the status of an answer, or 0 if the connection was ended */
async function connected(origin: string, cookie: string): Promise<() => Promise<number>> {
  const socket = await dial(origin);
  onTestFinished(() => void socket.destroy());
  const got = { text: '', isOver: false, notify: () => {} };
  socket.on('data', (part) => {
    got.text += part.toString('latin1');
    got.notify();
  });
  socket
    .on('error', () => {})
    .on('close', () => {
      got.isOver = true;
      got.notify();
    });
  const headers = Object.entries({ host: new URL(origin).host, ...own(origin, { cookie }) });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return async () => {
    got.text = '';
    socket.write(`POST /v1/tryHeld HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}`);
    while (!got.isOver && !got.text.endsWith('\r\n0\r\n\r\n'))
      await new Promise<void>((resolve) => (got.notify = resolve));
    return Number(/^HTTP\/1\.1 (\d+)/.exec(got.text)?.[1] ?? 0);
  };
}

it('while others hold hundreds of connections open, signed-in users get answers; one who signed out loses the reserved connection', async () => {
  const { console, origin, cookie } = await signedIn();
  const before = await connected(origin, cookie);
  expect(await before()).toBe(200);
  const link = (await console.open()).url;
  const all = crowd(origin);
  // At the same moment.
  const asked = perform(origin, cookie, 'tryHeld');
  const signed = signIn(link);
  expect((await asked).status).toBe(200);
  await signed;
  const stillOpen = await all;
  expect(await before()).toBe(200);
  for (let n = 0; n < 10; n += 1) expect((await perform(origin, cookie, 'tryHeld')).status).toBe(200);
  // The strangers have not left, but not all of them are kept.
  expect(stillOpen()).toBeGreaterThan(256);
  expect(stillOpen()).toBeLessThan(CROWD);
  await ask(origin, { method: 'DELETE', path: '/session', headers: own(origin, { cookie }) });
  await crowd(origin);
  await expect.poll(before).toBe(0);
});
