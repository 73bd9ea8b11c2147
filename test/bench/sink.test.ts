import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { startSink, Sink } from '../../bench/world/sinkProcess.ts';
import { compiledSources } from '../support/compiled.ts';
import { drawReceipt } from '../support/images.ts';

const DOCUMENTS = '/v2/endpoints/office/documents?name=';

let start: typeof startSink;
let sink: Sink;
let jpeg: Buffer<ArrayBuffer>;

beforeAll(async () => {
  // The sink is a process of its own, so its sources have to be compiled.
  const compiled = pathToFileURL(join(await compiledSources(), 'bench/world/sinkProcess.js')).href;
  start = ((await import(compiled)) as { startSink: typeof startSink }).startSink;
  sink = await start();
  jpeg = Buffer.from(await drawReceipt({ type: 'jpeg', seed: 'sink' }));
});

afterAll(async () => {
  await sink.close();
});

beforeEach(() => sink.reset());

const post = (name: string, body: Buffer<ArrayBuffer>) =>
  fetch(`${sink.url}${DOCUMENTS}${name}`, { method: 'POST', body });

describe('the sink', () => {
  it('answers as the service does, and counts what came since the reset', async () => {
    const before = Date.now();
    expect(await (await post('A%201', jpeg)).json()).toEqual({
      name: 'A 1',
      endpointUid: 'office',
      status: 'PROCESSING',
    });
    await post('B', jpeg);
    const report = await sink.report();
    expect(report).toMatchObject({ requests: 2, bytes: 2 * jpeg.length, truncated: 0 });
    expect(report.names.map(([name]) => name)).toEqual(['A 1', 'B']);
    for (const [, at] of report.names) expect(Math.abs(at - before)).toBeLessThan(60_000);
    await sink.reset();
    expect(await sink.report()).toMatchObject({ requests: 0, bytes: 0, truncated: 0, names: [] });
  });

  it('knows a truncated image from a whole one', async () => {
    const png = Buffer.from(await drawReceipt({ type: 'png', seed: 'sink' }));
    await post('whole', jpeg);
    await post('whole', png);
    expect(await sink.report()).toMatchObject({ requests: 2, truncated: 0 });
    await post('half', jpeg.subarray(0, -1));
    await post('half', png.subarray(0, -4));
    await post('nothing', Buffer.alloc(0));
    expect(await sink.report()).toMatchObject({ requests: 5, truncated: 3 });
  });

  it('takes requests cut anywhere, several on one connection', async () => {
    const head = `POST ${DOCUMENTS}C HTTP/1.1\r\nHost: a\r\nContent-Length: ${jpeg.length}\r\n\r\n`;
    const request = Buffer.concat([Buffer.from(head), jpeg]);
    const socket = connect({ port: sink.port, host: '127.0.0.1', noDelay: true });
    let said = '';
    const answered = new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('data', (data: Buffer) => {
        said += data.toString();
        if (said.split('HTTP/1.1 200 OK').length === 4) resolve();
      });
    });
    const all = Buffer.concat([request, request, request]);
    const cuts = [
      10,
      head.length - 2,
      head.length + 3,
      request.length - 1,
      request.length + 1,
      2 * request.length - 1,
    ];
    for (const [index, cut] of [...cuts, all.length].entries()) {
      await new Promise((sent) => socket.write(all.subarray(cuts[index - 1] ?? 0, cut), sent));
      await new Promise((turn) => setImmediate(turn));
    }
    await answered;
    socket.destroy();
    expect(await sink.report()).toMatchObject({ requests: 3, bytes: 3 * jpeg.length, truncated: 0 });
  });
});
