import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as askSecurely } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resultsPath } from '../../../src/core/domain/resultsPath.ts';
import { readAddress } from '../../../src/features/results/address.ts';
import { serveResults } from '../../../src/features/results/server.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { OFFICE, SHOP } from '../../contract/ledger/support.ts';
import { createAuthority, hasOpenssl } from '../../api/certificates.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { post, raw, receiving } from './receiving.ts';
import { freePort, listen } from '../../support/ports.ts';
import { RateGate } from '../../../src/features/results/rateGate.ts';

const DONE = JSON.stringify({ name: 'doc-a', endpointUid: OFFICE.uid, status: 'DONE', total: 12.5 });

async function every(ledger: Awaited<ReturnType<typeof receiving>>['ledger']) {
  return ledger.results({ of: 'all', order: 'oldest', after: null, limit: 99 });
}

describe('a result', () => {
  it('is durable before it is answered with an empty body, and handed on once', async () => {
    const { receiver, ledger, path, recorded, log, document } = await receiving();
    const answer = await post(receiver.url, { path, body: DONE });
    expect(answer).toMatchObject({ status: 204, body: '' });
    expect(Object.keys(answer.headers).sort()).toEqual(['connection', 'date']);
    expect(await ledger.document(document.id)).toMatchObject({ serviceStatus: 'DONE' });
    expect((await post(receiver.url, { path, method: 'PUT', body: DONE })).status).toBe(204);
    expect(await every(ledger)).toHaveLength(1);
    expect(recorded).toHaveLength(1);
    expect(JSON.stringify(log.lines)).not.toContain('12.5');
  });

  it('is kept even if it is not JSON, not text, empty, or for an unknown document', async () => {
    const { receiver, ledger, path } = await receiving();
    const bodies = [
      '{"name":',
      '[1]',
      '"DONE"',
      'null',
      Buffer.from([0xff, 0, 0xfe]),
      '',
      '{"name":"who","status":"DONE"}',
    ];
    for (const body of [...bodies, `{"name":{"a":1},"status":7,"endpointUid":[]}`])
      expect((await post(receiver.url, { path, body })).status).toBe(204);
    expect(await ledger.countResults('unmatched')).toBe(8);
    const rows = await every(ledger);
    expect(rows[6]).toMatchObject({ givenName: 'who', status: 'DONE', document: null });
    expect(rows[7]).toMatchObject({ givenName: null, status: null });
  });

  it('belongs to the endpoint that it or its address names', async () => {
    const { receiver, ledger, secret, document } = await receiving();
    const nameless = JSON.stringify({ name: 'doc-a', status: 'READ' });
    const at = (uid: string) => ({ path: resultsPath(secret, uid), body: nameless });
    await post(receiver.url, at(SHOP.uid));
    expect(await ledger.document(document.id)).toMatchObject({ serviceStatus: null });
    await post(receiver.url, at(OFFICE.uid));
    expect(await ledger.document(document.id)).toMatchObject({ serviceStatus: 'READ' });
    await post(receiver.url, { path: resultsPath(secret, SHOP.uid), body: DONE });
    expect(await ledger.document(document.id)).toMatchObject({ serviceStatus: 'DONE' });
  });

  it("is refused while the ledger can't be written, and taken when it is posted again", async () => {
    let isFull = true;
    const full = new ReceiptdError({ code: 'DISK_FULL', message: 'No space is left.' });
    const { receiver, path, log, ledger } = await receiving({
      ledger: (real) => ({
        recordResult: async (result) => {
          if (isFull) throw full;
          return real.recordResult(result);
        },
      }),
    });
    for (let n = 0; n < 3; n += 1) {
      expect(await post(receiver.url, { path, body: DONE })).toMatchObject({
        status: 503,
        headers: { 'retry-after': '10' },
        body: '',
      });
    }
    expect(log.said('Refusing results')).toHaveLength(1);
    isFull = false;
    expect((await post(receiver.url, { path, body: DONE })).status).toBe(204);
    expect(await every(ledger)).toHaveLength(1);
  });

  it('is also refused when a defect occurs, and the answer reveals nothing of it', async () => {
    const { receiver, path, log } = await receiving({
      ledger: () => ({ recordResult: () => Promise.reject(new Error('a secret of ours')) }),
    });
    const answer = await post(receiver.url, { path, body: DONE });
    expect(answer).toMatchObject({ status: 503, body: '' });
    expect(log.said('A result could not be recorded')).toMatchObject([{ level: 'error' }]);
  });
});

describe('anyone who does not know the secret', () => {
  it('finds nothing, whatever the request', async () => {
    const { receiver, secret, ledger, log } = await receiving();
    const wrong = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
    const paths = [
      '/',
      '/results',
      '/results/',
      `/results/${wrong}`,
      `/results/${wrong}/${OFFICE.uid}`,
      `/results/${secret.slice(0, 20)}`,
      `/results/${secret}x`,
      `/results/${secret}/`,
      `/results/${secret}/a/b`,
      `/results/${secret}/%`,
      `//results/${secret}`,
      `/x/../results/${secret}`,
      `/results/../results/${secret}`,
      `/results/./${secret}`,
      `/results%2F${secret}`,
      `/Results/${secret}`,
      `/${secret}`,
      '/../../etc/passwd',
      `/?/results/${secret}`,
    ];
    for (const path of paths) {
      for (const method of ['POST', 'GET'])
        expect([
          path,
          await post(receiver.url, { method, path, body: method === 'GET' ? '' : DONE }),
        ]).toMatchObject([path, { status: 404, body: '' }]);
    }
    expect(await every(ledger)).toEqual([]);
    expect(JSON.stringify(log.lines)).not.toContain(secret);
  });

  it("can't learn from the answer how much of a guess was right, nor make a long guess cost more", () => {
    const secret = 'S'.repeat(43);
    expect(readAddress(`/results/${secret}`, secret)).toEqual({ uid: null });
    expect(readAddress(`/results/${secret}/a%20b?x=1`, secret)).toEqual({ uid: 'a b' });
    for (const guess of ['', 'S', 'S'.repeat(44), 'S'.repeat(1_000_000), `${'S'.repeat(42)}s`])
      expect(readAddress(`/results/${guess}`, secret)).toBeNull();
  });
});

describe('the receiver', () => {
  it('accepts only POST and PUT', async () => {
    const { receiver, path } = await receiving();
    for (const method of ['GET', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
      const answer = await post(receiver.url, { method, path });
      expect([method, answer]).toMatchObject([
        method,
        { status: 405, headers: { allow: 'POST, PUT' }, body: '' },
      ]);
    }
  });

  it('refuses a body that is too large, with or without a declared length', async () => {
    const { receiver, path, ledger } = await receiving({ settings: { maxSize: 1_000 } });
    const most = 'x'.repeat(1_000);
    expect((await post(receiver.url, { path, body: most })).status).toBe(204);
    for (const chunked of [false, true]) {
      for (const body of [`${most}x`, most.repeat(3_000)])
        expect((await post(receiver.url, { path, body, chunked })).status).toBe(413);
    }
    expect(await every(ledger)).toHaveLength(1);
  });

  it('asks callers that exceed the rate to come back later', async () => {
    const rate = { count: 3, intervalMs: 3_600_000 };
    const { receiver, path } = await receiving({ settings: { rate } });
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await post(receiver.url, { path, body: `${n}` })).status);
    expect(statuses).toEqual([204, 204, 204, 429, 429]);
    const { headers } = await post(receiver.url, { path });
    expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
    // Attempts of strangers do not use it up, and get no hint of it.
    expect((await post(receiver.url, { path: '/results/x' })).status).toBe(404);
  });

  it('cuts off a head or body that never ends, and anything that is not HTTP', async () => {
    const log = new RecordedLog();
    const server = await serveResults({
      host: '127.0.0.1',
      port: 0,
      pair: null,
      log,
      requestMs: 200,
      receive: async (request) => {
        request.on('error', () => {}).resume();
      },
    });
    onTestFinished(() => server.close());
    const cut = await Promise.all([
      raw(server.origin, 'POST / HTTP/1.1\r\nhost: a\r\n'),
      raw(server.origin, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc'),
      raw(server.origin, 'hello\r\n\r\n'),
      raw(server.origin, `POST / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
    ]);
    expect(cut.map((text) => text.split('\r\n')[0])).toEqual([
      'HTTP/1.1 408 Request Timeout',
      'HTTP/1.1 408 Request Timeout',
      'HTTP/1.1 400 Bad Request',
      'HTTP/1.1 431 Request Header Fields Too Large',
    ]);
  });

  it('reports that another program uses its port, and takes the port when it is free', async () => {
    const { port, close } = await listen(createServer());
    const clock = new FakeClock();
    const { receiver, incidents } = await receiving({
      settings: { listen: { host: '127.0.0.1', port } },
      clock,
    });
    expect(incidents.list()).toMatchObject([{ code: 'PORT_IN_USE' }]);
    await close();
    await clock.advanceUntil(() => incidents.list().length === 0, 10_000);
    expect(receiver.url).toBe(`http://127.0.0.1:${port}`);
  });

  it('applies a new address, size and rate while it runs, and stops listening when switched off', async () => {
    const { receiver, path, settings } = await receiving();
    const before = receiver.url;
    receiver.take({ ...settings, maxSize: 5 });
    expect(await post(before, { path, body: '123456' })).toMatchObject({ status: 413 });
    const port = await freePort();
    receiver.take({ ...settings, listen: { host: '127.0.0.1', port } });
    await expect.poll(() => receiver.url).toBe(`http://127.0.0.1:${port}`);
    expect((await post(receiver.url, { path, body: '123456' })).status).toBe(204);
    receiver.take({ ...settings, listen: null });
    await expect.poll(() => receiver.url).toBeNull();
    await expect(post(`http://127.0.0.1:${port}`, { path })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.skipIf(!hasOpenssl)('speaks HTTPS with its certificate, and names an invalid one', async () => {
    const authority = createAuthority();
    onTestFinished(() => authority.remove());
    const ca = readFileSync(authority.file, 'utf8');
    const { receiver, path, stateDir, incidents, settings } = await receiving({ settings: { listen: null } });
    const files = { cert: join(stateDir, 'cert.pem'), key: join(stateDir, 'key.pem') };
    const pair = authority.issue('IP:127.0.0.1', 1);
    writeFileSync(files.cert, 'nothing');
    writeFileSync(files.key, pair.key);
    receiver.take({ ...settings, listen: { host: '127.0.0.1', port: 0 }, tls: files });
    await expect.poll(() => incidents.list()).toMatchObject([{ code: 'RESULTS_UNAVAILABLE' }]);
    writeFileSync(files.cert, pair.cert);
    receiver.take({ ...settings, listen: { host: '127.0.0.1', port: 0 }, tls: files, maxSize: 99 });
    await expect.poll(() => receiver.url).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      const request = askSecurely(
        `${receiver.url}${path}`,
        { method: 'POST', ca, agent: false },
        (response) => resolve(response.resume().statusCode),
      );
      request.on('error', reject).end(DONE.slice(0, 50));
    });
    expect(status).toBe(204);
  });
});

describe('the secret', () => {
  it('is created once, readable by its owner only, and differs in every state directory', async () => {
    const [one, other] = [await receiving(), await receiving()];
    expect(one.secret).toMatch(/^[\w-]{43}$/);
    expect(one.secret).not.toBe(other.secret);
    const file = join(one.stateDir, 'results-secret');
    expect(readFileSync(file, 'utf8')).toBe(`${one.secret}\n`);
    expect(statSync(file).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
  });

  it('is reported if damaged, but not recreated, because the endpoints use it', async () => {
    const { stateDir, receiver, settings, incidents } = await receiving({ settings: { listen: null } });
    const file = join(stateDir, 'results-secret');
    for (const breaking of [
      () => writeFileSync(file, 'short'),
      () => {
        rmSync(file);
        execFileSync('mkfifo', [file]);
      },
    ]) {
      breaking();
      receiver.take({ ...settings, listen: { host: '127.0.0.1', port: 0 } });
      await expect.poll(() => incidents.list()).toMatchObject([{ code: 'RESULTS_UNAVAILABLE' }]);
      receiver.take({ ...settings, listen: null });
      await expect.poll(() => incidents.list()).toEqual([]);
    }
  });
});

it('the rate gate lets no more through in any interval than the rate allows, and returns when to try again', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 50, maxLength: 300 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 20 }), (waits, count) => {
      let now = 0;
      const gate = new RateGate({ count, intervalMs: 1_000 }, { monotonic: () => now });
      const passed: number[] = [];
      const waited: number[] = [];
      for (const wait of waits) {
        now += wait;
        const waitMs = gate.pass();
        if (waitMs === null) passed.push(now);
        else waited.push(waitMs);
      }
      expect(waited.filter((ms) => ms <= 0 || ms > 1_050)).toEqual([]);
      for (const from of passed)
        expect(passed.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(count);
    }),
    { numRuns: 200 },
  );
});

it('the rate gate lets requests through again once its wait is over', () => {
  let now = 5;
  const gate = new RateGate({ count: 2, intervalMs: 1_000 }, { monotonic: () => now });
  expect([gate.pass(), gate.pass()]).toEqual([null, null]);
  now += gate.pass() ?? 0;
  expect(gate.pass()).toBeNull();
});

it('the rate gate applies a new rate at once, and no rate means no limit', () => {
  const gate = new RateGate({ count: 1, intervalMs: 1_000 }, { monotonic: () => 0 });
  expect(gate.pass()).toBeNull();
  expect(gate.pass()).not.toBeNull();
  gate.take({ count: 2, intervalMs: 1_000 });
  expect(gate.pass()).toBeNull();
  gate.take(null);
  for (let n = 0; n < 100; n += 1) expect(gate.pass()).toBeNull();
});
