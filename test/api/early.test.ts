import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/system/systemClock.ts';
import { WHOLE_BYTES } from '../../src/api/feed.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { createAuthority, hasOpenssl, type Authority } from './certificates.ts';
import { client, never, UID, uploadRequest } from './client.ts';
import { proxyServer } from './proxy.ts';
import { listen } from '../support/ports.ts';
import { meaningOf } from './faultMeaning.ts';

const record = JSON.stringify({ name: 'receipt.jpg', endpointUid: UID, status: 'PROCESSING' });
const OKAY = `HTTP/1.1 200 OK\r\ncontent-length: ${record.length}\r\n\r\n${record}`;
/** More than the system buffers on both sides of a loopback connection. */
const LARGE = 24_000_000;

let authority: Authority;
let pair: ReturnType<Authority['issue']>;
beforeAll(() => {
  if (!hasOpenssl) return;
  authority = createAuthority();
  pair = authority.issue('IP:127.0.0.1');
});
afterAll(() => authority?.remove());

type Serve = (socket: Socket) => unknown;

async function listening(serve: Serve, tls: boolean): Promise<number> {
  const accept = (socket: Socket): void => {
    socket.on('error', () => {});
    serve(socket);
  };
  const server = tls ? createTlsServer(pair, accept) : createServer({ noDelay: true }, accept);
  const { port, close } = await listen(server);
  onTestFinished(close);
  return port;
}

/** Answers each request on a connection the instant its last byte is in. Whole in itself: a thread gets its text. */
function answerAtTheLastByte(socket: Socket, okay: string): void {
  let head = '';
  let rest = -1;
  socket.on('data', (chunk: Buffer) => {
    let bytes = chunk;
    if (rest < 0) {
      const before = head.length;
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      rest = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      bytes = chunk.subarray(end + 4 - before);
    }
    rest -= bytes.length;
    if (rest > 0) return;
    head = '';
    rest = -1;
    socket.write(okay);
  });
}

/** A server that keeps running while this thread is busy. */
async function inThreadOfItsOwn(tls: boolean): Promise<number> {
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     const { tls, okay } = workerData;
     const serve = ${answerAtTheLastByte.toString()};
     const accept = (socket) => { socket.on('error', () => {}); serve(socket, okay); };
     const server = tls
       ? require('node:tls').createServer(tls, accept)
       : require('node:net').createServer({ noDelay: true }, accept);
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: { tls: tls ? pair : null, okay: OKAY } },
  );
  onTestFinished(async () => void (await worker.terminate()));
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
}

/** Keeps this thread busy before and after every look for what came over the network. */
function busy(): () => void {
  let isOver = false;
  const work = (): void => {
    const until = performance.now() + 1;
    while (performance.now() < until);
  };
  const beforeLook = (): void => {
    if (isOver) return;
    work();
    setTimeout(beforeLook, 0);
  };
  const afterLook = (): void => {
    if (isOver) return;
    work();
    setImmediate(afterLook);
  };
  beforeLook();
  afterLook();
  return () => (isOver = true);
}

/** The tunnel is through a proxy that is spoken to with TLS, so that there are two layers of it. */
const WAYS = ['plain', 'tls', 'forwarded', 'tunnel'] as const;
type Way = (typeof WAYS)[number];

function isTls(way: Way): boolean {
  return way !== 'plain' && way !== 'forwarded';
}

async function serviceBy(way: Way, port: number, bandwidth: number | null) {
  const proxied = way === 'forwarded' || way === 'tunnel';
  const proxy = proxied ? await proxyServer(way === 'tunnel' ? { tls: pair } : {}) : null;
  return client(`http${isTls(way) ? 's' : ''}://127.0.0.1:${port}`, {
    bandwidth,
    clock: systemClock,
    ...(isTls(way) && { ca: authority.file }),
    ...(proxy && { proxy: `http${way === 'tunnel' ? 's' : ''}://${proxy.host}` }),
  }).service;
}

describe.each(WAYS)('%s: a success', (way) => {
  const needsOpenssl = isTls(way) && !hasOpenssl;

  it.skipIf(needsOpenssl).each([
    ['without a cap', LARGE, null],
    // This would take ten seconds.
    ['under a cap', 100_000, 10_000],
  ])('that comes before the image has left is none, %s', async (_how, size, bandwidth) => {
    const port = await listening((socket) => {
      socket.once('data', () => {
        // It means to read on.
        socket.pause().write(OKAY, () => setTimeout(() => socket.resume(), 100));
      });
    }, isTls(way));
    const service = await serviceBy(way, port, bandwidth);
    let taken = false;
    const progress = { onTaken: () => (taken = true) };
    const answer = await service.upload(uploadRequest({ bytes: Buffer.alloc(size) }), never, progress);
    expect(answer).toMatchObject({ kind: 'fault', sent: true, code: 'ANSWERED_EARLY' });
    expect(meaningOf(answer)).toBe('early');
    expect(taken).toBe(false);
  });

  const SIZES = [1, 2, 50_000, WHOLE_BYTES - 1, WHOLE_BYTES, WHOLE_BYTES + 1, WHOLE_BYTES + 2, 2_000_000];
  const CAP = 1_000_000_000;

  it.skipIf(needsOpenssl).each([
    ['this thread', false],
    ['another thread while this one is busy', true],
  ])('that comes the instant the last byte is in counts, from %s', async (_where, isBusy) => {
    const port = isBusy
      ? await inThreadOfItsOwn(isTls(way))
      : await listening((socket) => answerAtTheLastByte(socket, OKAY), isTls(way));
    const rest = isBusy ? busy() : () => {};
    onTestFinished(rest);
    const capped = await serviceBy(way, port, CAP);
    const free = await serviceBy(way, port, null);
    const sizes = isBusy ? [1, WHOLE_BYTES, WHOLE_BYTES + 1] : SIZES;
    for (const [at, size] of sizes.entries()) {
      const bandwidth = (at % 2 === 0) === isBusy ? null : CAP;
      const service = bandwidth === null ? free : capped;
      const answer = await service.upload(uploadRequest({ bytes: Buffer.alloc(size) }), never);
      expect({ size, bandwidth, answer }).toMatchObject({ answer: { kind: 'response', httpStatus: 200 } });
    }
  });
});

it('treats a success that arrives before the request as a fault with nothing sent', async () => {
  const clock = new FakeClock();
  const sockets: Socket[] = [];
  const port = await listening((socket) => sockets.push(socket.resume()), false);
  const { service } = client(`http://127.0.0.1:${port}`, { bandwidth: 1000, clock, connections: 3 });
  const first = service.upload(uploadRequest({ bytes: Buffer.alloc(500) }), never);
  await clock.advanceUntil(() => sockets.length === 1, 1);
  const second = service.upload(uploadRequest({ bytes: Buffer.alloc(500) }), never);
  await clock.advanceUntil(() => sockets.length === 2, 1);
  sockets[1]!.write(OKAY);
  expect(await second).toMatchObject({ kind: 'fault', sent: false });
  await service.close();
  await first;
});
