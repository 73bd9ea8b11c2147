import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { keepRoom } from '../../src/http/room.ts';
import { listen } from '../support/ports.ts';

it('anyone who comes is answered, however many others keep their connections open', async () => {
  const server = createServer((_request, response) => response.end('here'));
  keepRoom(server, 8);
  const { port, close } = await listen(server);
  onTestFinished(close);
  const slow: Socket[] = [];
  const closed = new Set<Socket>();
  const isClosed = (socket: Socket): boolean => closed.has(socket);
  onTestFinished(() => {
    for (const socket of slow) socket.destroy();
  });
  for (let index = 0; index < 40; index += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).on('close', () => closed.add(socket));
    // An end that is not read is not noticed.
    socket.resume();
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc');
    slow.push(socket);
  }
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect(await answer.text()).toBe('here');
  // The first ones were ended for it, and no more than had to be.
  await expect.poll(() => slow.filter(isClosed).length).toBeGreaterThanOrEqual(32);
  expect(slow.filter((socket) => !isClosed(socket)).length).toBeGreaterThanOrEqual(7);
});
