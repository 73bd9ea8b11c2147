import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { callControl } from '../../src/control/client.ts';
import type { Operations } from '../../src/control/protocol/protocol.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { controlled, STATUS } from './controlled.ts';

const posix = process.platform !== 'win32';

describe('an operation', () => {
  test('is carried out by the daemon and answered', async () => {
    const { serve, ask } = await controlled();
    await serve();
    expect(await ask('status', {})).toEqual(STATUS);
    expect(await ask('retry', { names: ['a', 'é☕'] })).toEqual({
      queued: 2,
      names: ['a', 'é☕'],
      next: null,
    });
    expect(await ask('retry', { all: true })).toEqual({
      queued: 1000,
      names: [],
      next: null,
    });
    expect(await ask('resend', { name: 'a', endpoint: 'other' })).toEqual({
      name: 'a',
      endpointUid: 'other',
      outcome: 'queued',
    });
    expect(await ask('pause', { target: 'office', by: 'anna' })).toEqual({
      targets: ['office', 'anna'],
    });
    expect(await ask('resume', {})).toEqual({ targets: [] });
    const endpoint = { uid: 'u', name: 'n', verbatim: '{"uid":"u"}' };
    expect(await ask('recordEndpoint', endpoint)).toEqual({});
    expect(await ask('tryHeld', {})).toEqual({});
  });

  test('fails in the client with the same error for people as in the daemon', async () => {
    const { logged, serve, ask } = await controlled();
    await serve({
      resend: async () => {
        throw new ReceiptdError({
          code: 'DOCUMENT_UNKNOWN',
          message: 'No document has this name.',
          hint: 'Try "receiptd list".',
        });
      },
      pause: async () => {
        throw new ReceiptdError({ code: 'ENDPOINT_UNKNOWN', message: 'No such endpoint.' });
      },
    });
    const refusal = await ask('resend', { name: 'x' }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ReceiptdError);
    expect(refusal).toMatchObject({
      code: 'DOCUMENT_UNKNOWN',
      message: 'No document has this name.',
      hint: 'Try "receiptd list".',
    });
    await expect(ask('pause', {})).rejects.toMatchObject({
      code: 'ENDPOINT_UNKNOWN',
      hint: undefined,
    });
    expect(logged).toEqual([]);
  });

  test('is logged by the daemon if it hits a defect, and shows the client no details', async () => {
    const { logged, serve, ask } = await controlled();
    await serve({
      retry: () => {
        throw new TypeError('internal detail');
      },
    });
    const refusal = await ask('retry', { all: true }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'CONTROL_FAILED' });
    expect(String(refusal)).not.toContain('internal detail');
    expect(logged).toEqual([expect.stringContaining('internal detail')]);
    expect(await ask('status', {})).toEqual(STATUS);
  });

  test('is refused if the request does not match the protocol', async () => {
    const { logged, serve, raw } = await controlled();
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
    expect(JSON.parse((await raw({}, 'no json')).text)).toMatchObject({
      message: 'The request is not JSON.',
    });
    for (const [options, body, status] of cases) {
      const answer = await raw(options, body);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'USAGE', message: expect.stringMatching(/\.$/) });
    }
    expect(logged).toEqual([]);
  });

  test('is refused if its request exceeds 1 MB, and accepted just below', async () => {
    const { serve, raw } = await controlled();
    const retry = vi.fn<Operations['retry']>(async () => ({ queued: 0, names: [], next: null }));
    await serve({ retry });
    const body = (size: number) => `{"names":["${'x'.repeat(size - 14)}"]}`;
    expect((await raw({ path: '/v1/retry' }, body(1024 * 1024))).status).toBe(200);
    expect(retry).toHaveBeenCalledTimes(1);
    expect((await raw({ path: '/v1/retry' }, body(1024 * 1024 + 1))).status).toBe(413);
    expect(retry).toHaveBeenCalledTimes(1);
  });

  test('fails if a daemon of another version answers in another form', async () => {
    const { socketPath, ask } = await controlled();
    const other = http.createServer((_request, response) => response.end('{"pid":1}'));
    await new Promise<void>((resolve) => void other.listen(socketPath, resolve));
    await expect(ask('status', {})).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    other.close();
  });

  test('is cancelled by an abort and by a timeout', async () => {
    const { serve, ask } = await controlled();
    await serve({ status: () => new Promise(() => {}) }, 0);
    const stop = new AbortController();
    const call = ask('status', {}, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect(ask('status', {}, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'CONTROL_FAILED',
    });
  });
});

test('an operation is notified when its caller is gone', async () => {
  const { serve, ask } = await controlled();
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
  await expect(ask('status', {}, { signal: stop.signal })).rejects.toThrow('enough');
  await told;
});

describe('without a daemon', () => {
  test('a call fails with NOT_RUNNING', async () => {
    const { stateDir, ask } = await controlled();
    await expect(ask('status', {})).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    await expect(callControl(path.join(stateDir, 'none'), 'status', {})).rejects.toMatchObject({
      code: 'NOT_RUNNING',
    });
  });

  test.skipIf(!posix)(
    'a call to a stale socket fails with NOT_RUNNING, and the next start replaces the socket',
    async () => {
      const { socketPath, serve, ask } = await controlled();
      await leaveStaleSocket(socketPath);
      await expect(ask('status', {})).rejects.toMatchObject({ code: 'NOT_RUNNING' });
      await serve();
      expect(await ask('status', {})).toEqual(STATUS);
    },
  );

  test('a call after closing fails with NOT_RUNNING', async () => {
    const { socketPath, serve, close, ask } = await controlled();
    await serve();
    await close();
    await expect(ask('status', {})).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    expect(existsSync(socketPath)).toBe(false);
  });
});

async function leaveStaleSocket(socketPath: string): Promise<void> {
  const listener = net.createServer();
  await new Promise<void>((resolve) => void listener.listen(`${socketPath}.old`, resolve));
  // A listener removes the name that it was bound to, so a renamed socket stays.
  await rename(`${socketPath}.old`, socketPath);
  await new Promise<void>((resolve) => void listener.close(() => resolve()));
}
