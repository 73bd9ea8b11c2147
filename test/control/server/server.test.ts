import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import path, { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it, test } from 'vitest';
import { PROTOCOL, type StatusResponse } from '../../../src/control/protocol/protocol.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { asOwnerOf } from '../../support/ordinaryUser.ts';
import { controlled, controlledIn, STATUS } from '../controlled.ts';
import { UPLOADS } from '../../../src/control/protocol/sending.ts';
import { STREAMS } from '../../../src/control/protocol/streams.ts';
import { controlSocketPath, reachable } from '../../../src/control/socketPath.ts';

const posix = process.platform !== 'win32';

describe.skipIf(!posix)('the socket', () => {
  test('is private to its owner from the start, and the umask is unchanged', async () => {
    const { socketPath, serve } = await controlled();
    const before = process.umask();
    await serve();
    expect(process.umask()).toBe(before);
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
  });

  test('does not replace a file that is not a socket', async () => {
    const { socketPath, serve } = await controlled();
    await writeFile(socketPath, 'precious');
    await expect(serve()).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
    expect((await stat(socketPath)).size).toBe(8);
  });

  test('without permission is reported with a hint', async () => {
    const { stateDir, socketPath, serve, ask } = await controlled();
    await serve();
    await chmod(socketPath, 0o000);
    await asOwnerOf(stateDir, async () => {
      await expect(ask('status', {})).rejects.toMatchObject({
        code: 'CONTROL_FAILED',
        hint: expect.stringContaining('as the user'),
      });
    });
  });

  test.skipIf(process.platform !== 'linux').each([60, 107, 108, 109, 200])(
    'works at a path of %i bytes',
    async (length) => {
      const top = await controlled();
      const stateDir = path.join(top.stateDir, 'd'.repeat(length - Buffer.byteLength(top.socketPath) - 1));
      await mkdir(stateDir);
      const { socketPath, serve, close, ask } = controlledIn(stateDir);
      expect(Buffer.byteLength(socketPath)).toBe(length);
      for (let round = 0; round < 2; round += 1) {
        await serve();
        expect((await stat(socketPath)).isSocket()).toBe(true);
        expect(await ask('status', {})).toEqual(STATUS);
        await close();
        expect(existsSync(socketPath)).toBe(false);
        await expect(ask('status', {})).rejects.toMatchObject({ code: 'NOT_RUNNING' });
      }
    },
  );
});

describe('closing', () => {
  test('ends idle keep-alive connections at once', async () => {
    const { serve, close, raw } = await controlled();
    await serve({}, 60_000);
    const agent = new http.Agent({ keepAlive: true });
    expect((await raw({ agent }, '{}')).status).toBe(200);
    const started = performance.now();
    await close();
    expect(performance.now() - started).toBeLessThan(10_000);
    agent.destroy();
  });

  test('lets a running operation finish', async () => {
    const { serve, close, ask } = await controlled();
    let finish = (): void => {};
    const entered = new Promise<void>((enter) => {
      void serve({
        status: () =>
          new Promise((resolve) => {
            finish = () => resolve(STATUS);
            enter();
          }),
      }).then(() => {
        call = ask('status', {});
      });
    });
    let call: Promise<StatusResponse> | undefined;
    await entered;
    const closed = close();
    finish();
    expect(await call).toEqual(STATUS);
    await closed;
  });

  test('does not wait forever for a hanging operation or a silent connection', async () => {
    const { socketPath, serve, close, ask } = await controlled();
    await serve({ status: () => new Promise(() => {}) }, 20);
    const silent = net.connect(socketPath);
    const gone = new Promise((resolve) => void silent.on('close', resolve));
    const call = ask('status', {}).catch((error: unknown) => error);
    await new Promise((resolve) => void silent.on('connect', resolve));
    await close();
    expect(await call).toBeInstanceOf(ReceiptdError);
    await gone;
  });
});

const FILE = join(import.meta.dirname, '../../../docs/openapi.json');

it('docs/openapi.json describes every operation of the control interface in valid OpenAPI', async () => {
  const text = await readFile(FILE, 'utf8');
  const described = JSON.parse(text) as { paths: Record<string, Record<string, { summary: string }>> };
  expect(await new Validator().validate(structuredClone(described))).toMatchObject({ valid: true });
  const posts = [...Object.keys(PROTOCOL).map((name) => `/v1/${name}`), UPLOADS.file.path];
  const gets = Object.values(STREAMS).map(({ path }) => path);
  expect(Object.keys(described.paths).sort()).toEqual([...posts, ...gets].sort());
  for (const path of posts) expect(described.paths[path]?.['post']?.summary).toMatch(/^[A-Z].*[.?]$/);
  for (const path of gets) expect(described.paths[path]?.['get']?.summary).toMatch(/^[A-Z].*\.$/);

  const references = [...text.matchAll(/"\$ref": "#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
  expect([...new Set(references)].sort()).toEqual(Object.keys(components.schemas).sort());
});

describe('the address of the daemon', () => {
  test('is a socket in the state directory on Linux and macOS', () => {
    expect(controlSocketPath('/var/lib/receiptd', 'linux')).toBe('/var/lib/receiptd/control.sock');
    expect(controlSocketPath('/var/lib/receiptd/', 'darwin')).toBe('/var/lib/receiptd/control.sock');
  });

  test('is a named pipe on Windows, one for each state directory', () => {
    const pipe = controlSocketPath(String.raw`C:\ProgramData\receiptd`, 'win32');
    expect(pipe).toMatch(/^\\\\\.\\pipe\\receiptd-[0-9a-f]{16}$/);
    expect(controlSocketPath('c:/programdata/RECEIPTD/', 'win32')).toBe(pipe);
    expect(controlSocketPath(String.raw`C:\ProgramData\other`, 'win32')).not.toBe(pipe);
  });

  test('is refused on macOS if the system would truncate the path', async () => {
    const longest = `/${'d'.repeat(102)}`;
    expect((await reachable(longest, 'darwin')).address).toBe(longest);
    await expect(reachable(`${longest}d`, 'darwin')).rejects.toMatchObject({
      code: 'CONTROL_FAILED',
      message: expect.stringContaining('104 bytes'),
      hint: expect.stringContaining('stateDir'),
    });
    await expect(reachable(`/${'é'.repeat(52)}`, 'darwin')).rejects.toMatchObject({ code: 'CONTROL_FAILED' });
  });
});
