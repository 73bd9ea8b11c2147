import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Bandwidth } from '../../src/api/bandwidth.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { systemClock } from '../../src/system/systemClock.ts';
import { createAuthority, hasOpenssl } from './certificates.ts';
import { client, never, TIMEOUTS, UID, uploadRequest } from './client.ts';
import { scriptedServer, sendJson } from './scriptedServer.ts';
import { listen } from '../support/ports.ts';

const record = { name: 'receipt.jpg', endpointUid: UID, status: 'PROCESSING' };
const OKAY = `HTTP/1.1 200 OK\r\ncontent-length: ${JSON.stringify(record).length}\r\n\r\n${JSON.stringify(record)}`;
/** More than the system buffers on both sides of a loopback connection. */
const LARGE = 24_000_000;
/** The first is several times what a burst takes; a busy machine needs the others. */
const LIMITS_MS = [300, 1_000, 3_000];

/** A server that reads only when the test tells it to. */
async function slowServer(onConnection: (socket: Socket) => void, tls?: { key: string; cert: string }) {
  const accept = (socket: Socket): void => {
    socket.on('error', () => {});
    onConnection(socket);
  };
  const server = tls ? createTlsServer(tls, accept) : createServer({ pauseOnConnect: true }, accept);
  const { port, close } = await listen(server);
  onTestFinished(close);
  return port;
}

/** Reads in bursts, so slowly that the whole takes four times the limit. */
function readSlowly(limitMs: number) {
  return (socket: Socket): void => {
    let seen = 0;
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      socket.pause();
      // TLS comes in records of 16 kB.
      setTimeout(() => socket.resume(), (chunk.length * 4 * limitMs) / LARGE);
      if (seen > LARGE && seen - chunk.length <= LARGE) socket.write(OKAY);
    });
    socket.resume();
  };
}

/** The answer, and how many times the limit it took. */
async function uploadSlowly(authority?: ReturnType<typeof createAuthority>) {
  const [scheme, tls] = authority ? ['https', authority.issue('IP:127.0.0.1')] : ['http'];
  for (const limitMs of LIMITS_MS) {
    const port = await slowServer(readSlowly(limitMs), tls);
    const begun = performance.now();
    const { service } = client(`${scheme}://127.0.0.1:${port}`, {
      // What the system has taken and not yet sent counts towards the answer.
      timeouts: { ...TIMEOUTS, progressMs: limitMs },
      ...(authority && { ca: authority.file }),
    });
    const answer = await service.upload(uploadRequest({ bytes: Buffer.alloc(LARGE) }), never);
    if (answer.kind !== 'response' && limitMs !== LIMITS_MS.at(-1)) continue;
    return { answer, limits: (performance.now() - begun) / limitMs };
  }
  throw new Error('there is no limit');
}

describe('an upload', () => {
  it.skipIf(!hasOpenssl)('has no time limit as long as it makes progress, inside TLS too', async () => {
    const authority = createAuthority();
    onTestFinished(() => authority.remove());
    for (const inside of [undefined, authority]) {
      const { answer, limits } = await uploadSlowly(inside);
      expect(answer).toMatchObject({ kind: 'response', httpStatus: 200 });
      expect(limits).toBeGreaterThan(3);
    }
  });

  it.each([11, 200_000, 1_000_000])(
    'of %d bytes times out by the answer limit if it is not answered',
    async (size) => {
      const server = await scriptedServer(() => {});
      const { service } = client(server.baseUrl, { timeouts: { ...TIMEOUTS, headersMs: 150 } });
      const answer = await service.upload(uploadRequest({ bytes: Buffer.alloc(size) }), never);
      expect(answer).toMatchObject({ kind: 'fault', sent: true, code: 'UND_ERR_HEADERS_TIMEOUT' });
      expect(server.received[0]?.body).toHaveLength(size);
    },
  );

  it('returns an answer that arrives while it is being sent', async () => {
    const port = await slowServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 413 Too large\r\ncontent-length: 0\r\n\r\n')).resume();
    });
    const { service } = client(`http://127.0.0.1:${port}`);
    let taken = false;
    const progress = { onTaken: () => (taken = true) };
    const answer = await service.upload(uploadRequest({ bytes: Buffer.alloc(LARGE) }), never, progress);
    expect(answer).toMatchObject({ kind: 'response', httpStatus: 413 });
    // The bytes are still being sent, so their buffer must not be reused.
    expect(taken).toBe(false);
  });

  it.each([0, 1, 262_144, 262_145, 700_001])('of %d bytes arrives whole with its length', async (size) => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    for (const bandwidth of [null, 100_000_000]) {
      const bytes = Buffer.from(Uint8Array.from({ length: size }, (_none, index) => index % 251));
      const { service } = client(server.baseUrl, { bandwidth, clock: systemClock });
      let starts = 0;
      let taken = 0;
      const progress = { onStart: () => (starts += 1), onTaken: () => (taken += 1) };
      await service.upload(uploadRequest({ bytes }), never, progress);
      const got = server.received.at(-1);
      expect(got?.body.equals(bytes)).toBe(true);
      expect(got?.headers['content-length']).toBe(String(size));
      expect(got?.headers).not.toHaveProperty('transfer-encoding');
      expect({ starts, taken }).toEqual({ starts: 1, taken: 1 });
    }
  });
});

describe('the bandwidth cap', () => {
  it('is exact for any callers and after any idle time', async () => {
    const clock = new FakeClock();
    const cap = new Bandwidth(1000, clock);
    const gone: [number, number][] = [];
    const sender = async (pieces: number): Promise<void> => {
      for (let piece = 0; piece < pieces; piece += 1) {
        await cap.take(cap.pieceBytes, never);
        gone.push([clock.monotonic(), cap.pieceBytes]);
      }
    };
    await clock.advance(60_000);
    const all = Promise.all([sender(20), sender(20), sender(20)]);
    await clock.advance(60 * 512 + 1);
    await all;
    const [first] = gone[0] ?? [0];
    expect(first).toBe(60_000);
    for (const [from] of gone) {
      for (const span of [512, 1000, 10_000]) {
        const bytes = gone
          .filter(([at]) => at >= from && at < from + span)
          .reduce((sum, [, n]) => sum + n, 0);
        expect(bytes).toBeLessThanOrEqual(span + cap.pieceBytes);
      }
    }
    // Nor is it slower than allowed.
    expect(gone.at(-1)?.[0]).toBe(60_000 + 59 * 512);
  });

  it('ends an aborted wait', async () => {
    const clock = new FakeClock();
    const cap = new Bandwidth(1000, clock);
    await cap.take(5000, never);
    const abort = new AbortController();
    const waiting = cap.take(1, abort.signal);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(clock.sleeping).toBe(0);
  });

  it('limits all uploads together, including small ones, within 10 percent', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    // Shorter than the wait for the cap, which must not count as a stall.
    const { service } = client(server.baseUrl, {
      bandwidth: 1_000_000,
      clock: systemClock,
      timeouts: { ...TIMEOUTS, progressMs: 40 },
    });
    const begun = performance.now();
    const sizes = [300_000, 300_000, 100_000, 40_000, 10_000];
    const answers = await Promise.all(
      sizes.map((size) => service.upload(uploadRequest({ bytes: Buffer.alloc(size) }), never)),
    );
    const seconds = (performance.now() - begun) / 1000;
    expect(answers.map((answer) => answer.kind)).toEqual(sizes.map(() => 'response'));
    expect(750_000 / seconds).toBeLessThan(1_100_000);
  });

  it('counts the start of an upload only when its head goes out', async () => {
    const clock = new FakeClock();
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const { service } = client(server.baseUrl, { bandwidth: 1000, clock });
    const starts: number[] = [];
    const uploads = [1, 2, 3].map(() =>
      service.upload(uploadRequest({ bytes: Buffer.alloc(500) }), never, {
        onStart: () => starts.push(clock.monotonic()),
      }),
    );
    await clock.advanceUntil(() => server.received.length === 3, 10);
    await Promise.all(uploads);
    expect(starts[1]! - starts[0]!).toBeGreaterThanOrEqual(490);
    expect(starts[2]! - starts[1]!).toBeGreaterThanOrEqual(490);
  });

  it('a connection that ends before the head is sent has sent nothing', async () => {
    const clock = new FakeClock();
    let connected: Socket | null = null;
    const port = await slowServer((socket) => {
      if (connected) socket.destroy();
      else connected = socket.resume();
    });
    const { service } = client(`http://127.0.0.1:${port}`, { bandwidth: 1000, clock, connections: 3 });
    const first = service.upload(uploadRequest({ bytes: Buffer.alloc(500) }), never);
    await clock.advanceUntil(() => connected !== null, 1);
    let started = false;
    const second = service.upload(uploadRequest({ bytes: Buffer.alloc(500) }), never, {
      onStart: () => (started = true),
    });
    const answer = await second;
    expect(answer).toMatchObject({ kind: 'fault', sent: false });
    expect(started).toBe(false);
    await service.close();
    expect(await first).toMatchObject({ kind: 'fault', sent: true });
  });
});
