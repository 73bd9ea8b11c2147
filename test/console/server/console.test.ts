import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { redirectFile, writeRedirect } from '../../../src/console/server/redirect.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { ask, dial, perform, received, signIn } from './browser.ts';
import { open, prepare, signedIn } from './opened.ts';
import { freePort } from '../../support/ports.ts';

const address = (port: number) => ({ listen: { host: '127.0.0.1', port }, tls: null, hosts: [] });
const ON_DEMAND = { listen: 'onDemand', tls: null, hosts: [] } as const;

describe('the console on demand', () => {
  it('listens on the first request and keeps its port', async () => {
    const { console, log } = await prepare();
    await console.start();
    expect(log.said('Listening')).toEqual([]);
    const [{ url }, { url: second }] = await Promise.all([console.open(), console.open()]);
    expect(new URL(url).origin).toBe(new URL(second).origin);
    expect(url).not.toBe(second);
    expect(log.said('Listening')).toHaveLength(1);
    expect(JSON.stringify(log.lines)).not.toContain('token');
    for (const link of [url, second]) await signIn(link);
  });

  it('reports when a link expires', async () => {
    const clock = new FakeClock();
    const { console } = await prepare({}, { clock });
    const { url, validUntil } = await console.open();
    expect(Date.parse(validUntil)).toBe(clock.now() + 5 * 60_000);
    await clock.advance(5 * 60_000);
    await expect(signIn(url)).rejects.toThrow('401');
  });

  it('deletes the redirect page once its link has expired', async () => {
    const clock = new FakeClock();
    const { console, stateDir } = await prepare({}, { clock });
    await writeRedirect(stateDir, (await console.open()).url);
    await clock.advance(4 * 60_000);
    await stat(redirectFile(stateDir));
    await clock.advance(2 * 60_000);
    await expect(stat(redirectFile(stateDir))).rejects.toThrow('ENOENT');
  });

  it('stops listening once it is closed', async () => {
    const { console, stateDir, url } = await open();
    await writeRedirect(stateDir, url);
    const socket = await dial(url);
    const all = received(socket);
    await console.close();
    await all;
    await expect(dial(url)).rejects.toThrow('ECONNREFUSED');
    await expect(console.open()).rejects.toMatchObject({ code: 'CONSOLE_UNAVAILABLE' });
    await expect(stat(redirectFile(stateDir))).rejects.toThrow('ENOENT');
  });
});

describe('the console at a fixed address', () => {
  it('supports IPv6', async () => {
    const port = await freePort();
    const { url, origin, cookie } = await signedIn({ listen: { host: '::1', port } });
    expect(url).toContain(`http://[::1]:${port}/`);
    expect((await perform(origin, cookie, 'tryHeld')).status).toBe(200);
  });
});

it('the console does not open if it is turned off', async () => {
  const { console, incidents } = await prepare({ listen: 'off' });
  await console.start();
  await expect(console.open()).rejects.toMatchObject({ key: 'CONSOLE_UNAVAILABLE.off' });
  expect(incidents.list()).toEqual([]);
});

describe('a change of the console settings', () => {
  it('moves the console, and keeps sessions unless the port changes', async () => {
    const [first, second] = [await freePort(), await freePort()];
    const { console, cookie } = await signedIn(address(first));
    const status = (port: number) =>
      perform(`http://127.0.0.1:${port}`, cookie, 'tryHeld').then(
        (answer) => answer.status,
        () => 0,
      );
    console.take({ ...address(first), hosts: ['nas'] });
    await expect
      .poll(() =>
        ask(`http://127.0.0.1:${first}`, { headers: { host: 'nas' } }).then(
          (answer) => answer.status,
          () => 0,
        ),
      )
      .toBe(200);
    expect(await status(first)).toBe(200);
    console.take(address(second));
    await expect.poll(() => status(second)).toBe(401);
    expect(await status(first)).toBe(0);
    console.take({ ...ON_DEMAND, listen: 'off' });
    await expect.poll(() => status(second)).toBe(0);
    console.take(ON_DEMAND);
    await signIn((await console.open()).url);
  });

  it('disturbs nobody if the address stays the same', async () => {
    const { console, log, origin, cookie } = await signedIn();
    console.take({ ...ON_DEMAND, hosts: ['nas'] });
    await console.open();
    expect((await perform(origin, cookie, 'tryHeld')).status).toBe(200);
    expect(log.said('Listening')).toHaveLength(1);
  });

  it('clears the incidents of the old settings', async () => {
    const { console, incidents } = await prepare({ listen: { host: '192.0.2.1', port: 8471 } });
    await console.start();
    expect(incidents.list()).toMatchObject([
      {
        params: {
          detail: expect.stringContaining('does not listen on 192.0.2.1 without a certificate.') as string,
        },
      },
    ]);
    console.take(ON_DEMAND);
    expect(incidents.list()).toEqual([]);
    await console.open();
  });
});
