import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { callControl } from '../../src/control/client.ts';
import type { Operations, StatusResponse } from '../../src/control/protocol/protocol.ts';
import { startControlServer } from '../../src/control/server/server.ts';
import type { ControlServer } from '../../src/control/server/server.ts';
import { controlSocketPath } from '../../src/control/socketPath.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { asOwnerOf } from '../support/ordinaryUser.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';

const STATUS: StatusResponse = {
  pid: 4711,
  startedAt: '2026-11-21T05:00:00.000Z',
  version: '0.1.0',
  folders: [
    {
      path: '/srv/scans',
      endpoint: 'office',
      state: 'missing',
      message: 'gone',
      since: '2026-11-21T05:00:00.000Z',
      mode: 'events',
      fileSystem: null,
      settling: 2,
      lastListing: null,
    },
  ],
  inFlight: 3,
  limitedBy: [],
  incidents: [
    {
      code: 'WATCH_LIMIT',
      subject: null,
      message: 'a limit',
      hint: 'raise it',
      since: '2026-11-21T05:00:00.000Z',
    },
  ],
  notes: [{ text: 'slow', about: { kind: 'ledgerAway' } }],
  spool: { mode: 'auto', used: 1, limit: 2, images: 1 },
};
const posix = process.platform !== 'win32';

let stateDir: string;
let server: ControlServer | null = null;
const logged: string[] = [];
const log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`),
};

beforeEach(async () => {
  logged.length = 0;
  stateDir = await mkdtemp(path.join(memoryDirectory(), 'rc-'));
});
afterEach(async () => {
  await server?.close();
  server = null;
  await rm(stateDir, { recursive: true, force: true });
});

async function serve(more: Partial<Operations> = {}, closeGraceMs?: number): Promise<void> {
  const operations: Partial<Operations> = {
    status: async () => STATUS,
    retry: async ({ names }) => ({ queued: names?.length ?? 1000, names: names ?? [], next: null }),
    resend: async ({ name, endpoint }) => ({ name, endpointUid: endpoint ?? 'same', outcome: 'queued' }),
    pause: async ({ target, by }) => ({ targets: [target ?? 'all', by ?? ''] }),
    resume: async () => ({ targets: [] }),
    recordEndpoint: async () => ({}),
    tryHeld: async () => ({}),
    erase: async ({ names }) => ({ erased: names?.length ?? 0, skipped: [], there: [], next: null }),
    backup: async () => ({ file: '/b', head: { ledger: 'l', seq: 1, hash: 'h' } }),
    ...more,
  };
  const socketPath = controlSocketPath(stateDir);
  server = await startControlServer({
    socketPath,
    operations,
    streams: [],
    log,
    ...(closeGraceMs === undefined ? {} : { closeGraceMs }),
  });
}

/** A request as another program would send it. */
function raw(
  options: http.RequestOptions,
  body: string,
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { socketPath: controlSocketPath(stateDir), method: 'POST', path: '/v1/status', ...options },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

describe('an operation', () => {
  test('is carried out by the daemon and answered', async () => {
    await serve();
    expect(await callControl(stateDir, 'status', {})).toEqual(STATUS);
    expect(await callControl(stateDir, 'retry', { names: ['a', 'é☕'] })).toEqual({
      queued: 2,
      names: ['a', 'é☕'],
      next: null,
    });
    expect(await callControl(stateDir, 'retry', { all: true })).toEqual({
      queued: 1000,
      names: [],
      next: null,
    });
    expect(await callControl(stateDir, 'resend', { name: 'a', endpoint: 'other' })).toEqual({
      name: 'a',
      endpointUid: 'other',
      outcome: 'queued',
    });
    expect(await callControl(stateDir, 'pause', { target: 'office', by: 'anna' })).toEqual({
      targets: ['office', 'anna'],
    });
    expect(await callControl(stateDir, 'resume', {})).toEqual({ targets: [] });
    const endpoint = { uid: 'u', name: 'n', verbatim: '{"uid":"u"}' };
    expect(await callControl(stateDir, 'recordEndpoint', endpoint)).toEqual({});
    expect(await callControl(stateDir, 'tryHeld', {})).toEqual({});
  });

  test('that fails in the daemon with an error for people fails with the same error in the client', async () => {
    await serve({
      resend: async () => {
        throw new ReceiptdError('DOCUMENT_UNKNOWN', 'No document has this name.', {
          hint: 'Try "receiptd list".',
        });
      },
      pause: async () => {
        throw new ReceiptdError('ENDPOINT_UNKNOWN', 'No such endpoint.');
      },
    });
    const refusal = await callControl(stateDir, 'resend', { name: 'x' }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ReceiptdError);
    expect(refusal).toMatchObject({
      code: 'DOCUMENT_UNKNOWN',
      message: 'No document has this name.',
      hint: 'Try "receiptd list".',
    });
    await expect(callControl(stateDir, 'pause', {})).rejects.toMatchObject({
      code: 'ENDPOINT_UNKNOWN',
      hint: undefined,
    });
    expect(logged).toEqual([]);
  });

  test('that hits a defect is logged by the daemon, and shows the client no details', async () => {
    await serve({
      retry: () => {
        throw new TypeError('internal detail');
      },
    });
    const refusal = await callControl(stateDir, 'retry', { all: true }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'CONTROL_FAILED' });
    expect(String(refusal)).not.toContain('internal detail');
    expect(logged).toEqual([expect.stringContaining('internal detail')]);
    expect(await callControl(stateDir, 'status', {})).toEqual(STATUS);
  });

  test('is refused if the request does not match the protocol', async () => {
    await serve();
    const cases: readonly [http.RequestOptions, string, number][] = [
      [{}, 'no json', 400],
      [{ path: '/v1/resend' }, '{}', 400],
      [{ path: '/v1/retry' }, '{"names":"a"}', 400],
      [{ method: 'GET' }, '', 405],
      [{ path: '/v1/shutdown' }, '{}', 404],
      [{ path: '/v1/toString' }, '{}', 404],
      [{ path: '/' }, '{}', 404],
    ];
    for (const [options, body, status] of cases) {
      const answer = await raw(options, body);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'USAGE', message: expect.stringMatching(/\.$/) });
    }
    expect(logged).toEqual([]);
  });

  test('is refused if its request exceeds 1 MB, and accepted just below', async () => {
    const retry = vi.fn<Operations['retry']>(async () => ({ queued: 0, names: [], next: null }));
    await serve({ retry });
    const body = (size: number) => `{"names":["${'x'.repeat(size - 14)}"]}`;
    expect((await raw({ path: '/v1/retry' }, body(1024 * 1024))).status).toBe(200);
    expect(retry).toHaveBeenCalledTimes(1);
    expect((await raw({ path: '/v1/retry' }, body(1024 * 1024 + 1))).status).toBe(413);
    expect(retry).toHaveBeenCalledTimes(1);
  });

  test('fails if a daemon of another version answers in another form', async () => {
    const other = http.createServer((_request, response) => response.end('{"pid":1}'));
    await new Promise<void>((resolve) => void other.listen(controlSocketPath(stateDir), resolve));
    await expect(callControl(stateDir, 'status', {})).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    other.close();
  });

  test('ends on abort and on timeout', async () => {
    await serve({ status: () => new Promise(() => {}) }, 0);
    const stop = new AbortController();
    const call = callControl(stateDir, 'status', {}, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect(callControl(stateDir, 'status', {}, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'CONTROL_FAILED',
    });
  });
});

test('an operation is notified when its caller is gone', async () => {
  const stop = new AbortController();
  let isTold = (): void => {};
  const told = new Promise<void>((resolve) => (isTold = resolve));
  await serve(
    {
      status: async (_request, gone) => {
        gone?.addEventListener('abort', isTold);
        stop.abort(new Error('enough'));
        return new Promise(() => {});
      },
    },
    0,
  );
  await expect(callControl(stateDir, 'status', {}, { signal: stop.signal })).rejects.toThrow('enough');
  await told;
});

describe('without a daemon', () => {
  test('a call fails with NOT_RUNNING', async () => {
    await expect(callControl(stateDir, 'status', {})).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    await expect(callControl(path.join(stateDir, 'none'), 'status', {})).rejects.toMatchObject({
      code: 'NOT_RUNNING',
    });
  });

  test.skipIf(!posix)(
    'a call to a stale socket fails with NOT_RUNNING, and the next start replaces the socket',
    async () => {
      await leaveStaleSocket(controlSocketPath(stateDir));
      await expect(callControl(stateDir, 'status', {})).rejects.toMatchObject({ code: 'NOT_RUNNING' });
      await serve();
      expect(await callControl(stateDir, 'status', {})).toEqual(STATUS);
    },
  );

  test('a call after closing fails with NOT_RUNNING', async () => {
    await serve();
    await server?.close();
    await expect(callControl(stateDir, 'status', {})).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    expect(existsSync(controlSocketPath(stateDir))).toBe(false);
  });
});

describe.skipIf(!posix)('the socket', () => {
  test('is for its owner only from the start, and the umask is unchanged', async () => {
    const before = process.umask();
    await serve();
    expect(process.umask()).toBe(before);
    expect((await stat(controlSocketPath(stateDir))).mode & 0o777).toBe(0o600);
  });

  test('does not replace a file that is not a socket', async () => {
    await writeFile(controlSocketPath(stateDir), 'precious');
    await expect(serve()).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    expect((await stat(controlSocketPath(stateDir))).size).toBe(8);
  });

  test('without permission is reported with a hint', async () => {
    await serve();
    await chmod(controlSocketPath(stateDir), 0o000);
    await asOwnerOf(stateDir, async () => {
      await expect(callControl(stateDir, 'status', {})).rejects.toMatchObject({
        code: 'CONTROL_FAILED',
        hint: expect.stringContaining('as the user'),
      });
    });
  });

  test.skipIf(process.platform !== 'linux').each([60, 107, 108, 109, 200])(
    'works at a path of %i bytes',
    async (length) => {
      const filler = 'd'.repeat(length - Buffer.byteLength(controlSocketPath(stateDir)) - 1);
      const top = stateDir;
      stateDir = path.join(stateDir, filler);
      await mkdir(stateDir);
      expect(Buffer.byteLength(controlSocketPath(stateDir))).toBe(length);
      for (let round = 0; round < 2; round += 1) {
        await serve();
        expect((await stat(controlSocketPath(stateDir))).isSocket()).toBe(true);
        expect(await callControl(stateDir, 'status', {})).toEqual(STATUS);
        await server?.close();
        expect(existsSync(controlSocketPath(stateDir))).toBe(false);
        await expect(callControl(stateDir, 'status', {})).rejects.toMatchObject({ code: 'NOT_RUNNING' });
      }
      stateDir = top;
    },
  );
});

describe('closing', () => {
  test('ends idle keep-alive connections at once', async () => {
    await serve({}, 60_000);
    const agent = new http.Agent({ keepAlive: true });
    expect((await raw({ agent }, '{}')).status).toBe(200);
    const started = performance.now();
    await server?.close();
    expect(performance.now() - started).toBeLessThan(10_000);
    agent.destroy();
  });

  test('lets a running operation finish', async () => {
    let finish = (): void => {};
    const entered = new Promise<void>((enter) => {
      void serve({
        status: () =>
          new Promise((resolve) => {
            finish = () => resolve(STATUS);
            enter();
          }),
      }).then(() => {
        call = callControl(stateDir, 'status', {});
      });
    });
    let call: Promise<StatusResponse> | undefined;
    await entered;
    const closed = server?.close();
    finish();
    expect(await call).toEqual(STATUS);
    await closed;
  });

  test('does not wait forever for a hanging operation or a silent connection', async () => {
    await serve({ status: () => new Promise(() => {}) }, 20);
    const silent = net.connect(controlSocketPath(stateDir));
    const gone = new Promise((resolve) => void silent.on('close', resolve));
    const call = callControl(stateDir, 'status', {}).catch((error: unknown) => error);
    await new Promise((resolve) => void silent.on('connect', resolve));
    await server?.close();
    expect(await call).toBeInstanceOf(ReceiptdError);
    await gone;
  });
});

async function leaveStaleSocket(socketPath: string): Promise<void> {
  const listener = net.createServer();
  await new Promise<void>((resolve) => void listener.listen(`${socketPath}.old`, resolve));
  // A listener removes the name that it was bound to, so a renamed socket stays.
  await rename(`${socketPath}.old`, socketPath);
  await new Promise<void>((resolve) => void listener.close(() => resolve()));
}
