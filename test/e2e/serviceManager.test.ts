import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canNotify, openNotifySocket, type NotifySocket } from '../support/notifySocket.ts';
import { prepare, until } from './support/agent.ts';

let socket: NotifySocket | null = null;
afterEach(() => socket?.close());

describe.skipIf(!canNotify)('an agent under a service manager', () => {
  it('reports when it is ready, its status, signs of life, reloads and its stop', async () => {
    const site = await prepare();
    socket = await openNotifySocket(join(site.dir, 'notify'));
    const { said } = socket;
    site.env = { ...site.env, NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '1000000' };
    const agent = await site.start();
    await until(() => said.filter((each) => each === 'WATCHDOG=1').length >= 3);
    expect(said[0]).toBe('READY=1');
    expect(said.filter((each) => each.startsWith('STATUS='))).toEqual([
      expect.stringMatching(/^STATUS=[01] of 1 folder watched, 0 documents wait\.$/),
    ]);
    agent.signal('SIGHUP');
    await until(() => said.filter((each) => each === 'READY=1').length === 2);
    const reloading = said.indexOf('RELOADING=1');
    expect(reloading).toBeGreaterThan(0);
    expect(said[reloading + 1]).toMatch(/^MONOTONIC_USEC=\d+$/);
    expect(said.lastIndexOf('READY=1')).toBeGreaterThan(reloading);
    const { status } = await agent.stop();
    expect(status).toBe(0);
    expect(said).toContain('STOPPING=1');
    expect(agent.stderr).not.toContain('could not be told');
  });
});
