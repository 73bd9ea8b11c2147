import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from './tcpProxy.ts';
import { listen } from './ports.ts';

test('passes both ways, also what follows an end', async () => {
  const { client } = await through();
  client.write('one');
  expect(await read(client)).toBe('ONE');
  client.end('two');
  expect(await read(client)).toBe('TWO');
  await once(client, 'close');
});

test('cut resets what is open and what is opened, until it heals', async () => {
  const { proxy, client, dial, served } = await through();
  client.write('one');
  expect(await read(client)).toBe('ONE');
  const atServer = failure(served[0]!);
  proxy.cut();
  expect(await failure(client)).toBe('ECONNRESET');
  await atServer;
  expect(await failure(connect(proxy.port, '127.0.0.1'))).toBe('ECONNRESET');
  proxy.heal();
  const next = await dial();
  next.write('two');
  expect(await read(next)).toBe('TWO');
  proxy.reset();
  expect(await failure(next)).toBe('ECONNRESET');
  expect(proxy.connections()).toBe(0);
});

test('a hung connection is told nothing, and goes on when it heals', async () => {
  const { proxy, client, dial, heard } = await through();
  client.write('one');
  expect(await read(client)).toBe('ONE');
  proxy.hang();
  client.write('two');
  const late = await dial();
  late.write('three');
  await expect(Promise.race([read(client), read(late), quiet()])).resolves.toBe('quiet');
  expect(heard()).toBe('one');
  proxy.heal();
  expect(await read(client)).toBe('TWO');
  expect(await read(late)).toBe('THREE');
});

test('a hung connection whose server went away is half-open until it heals', async () => {
  const { proxy, client, served } = await through();
  client.write('one');
  expect(await read(client)).toBe('ONE');
  proxy.hang();
  served[0]!.resetAndDestroy();
  client.write('two');
  await expect(Promise.race([failure(client), read(client), quiet()])).resolves.toBe('quiet');
  proxy.heal();
  expect(await failure(client)).toMatch(/ECONNRESET|closed/);
});

test('only the answers can be lost', async () => {
  const { proxy, client, heard } = await through();
  client.write('one');
  expect(await read(client)).toBe('ONE');
  proxy.hang(true);
  client.write('two');
  await expect.poll(heard).toBe('onetwo');
  await expect(Promise.race([read(client), quiet()])).resolves.toBe('quiet');
  proxy.cut();
  expect(await failure(client)).toBe('ECONNRESET');
});

/** A server that answers in capitals, and a client connected to it through a proxy. */
async function through() {
  const served: Socket[] = [];
  let heard = '';
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    served.push(socket.on('error', () => {}));
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      socket.write(chunk.toString().toUpperCase());
    });
    socket.on('end', () => socket.end());
  });
  const { port, close } = await listen(server);
  const proxy = await startProxy(port);
  const dial = async () => {
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  onTestFinished(async () => {
    await proxy.close();
    await close();
  });
  return { proxy, client: await dial(), dial, served, heard: () => heard };
}

async function read(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

async function failure(socket: Socket): Promise<string> {
  if (socket.closed) return 'ECONNRESET';
  return await new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.once('close', () => resolve('closed'));
  });
}

/** Waits 200 ms for something that must not happen; if it happens later, the next expectation finds it. */
async function quiet(): Promise<string> {
  return await new Promise((resolve) => setTimeout(() => resolve('quiet'), 200));
}
