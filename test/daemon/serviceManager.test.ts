import { describe, expect, it } from 'vitest';
import { ServiceManager } from '../../src/daemon/serviceManager.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';

function prepare(env: Record<string, string>, how: { isBroken?: boolean; silentMs?: () => number } = {}) {
  const { isBroken = false, silentMs = () => 0 } = how;
  const clock = new FakeClock();
  const log = new RecordedLog();
  const sent: string[] = [];
  const send = async (assignments: readonly string[]): Promise<void> => {
    if (isBroken) throw new Error('spawn systemd-notify ENOENT');
    sent.push(...assignments);
  };
  const manager = new ServiceManager({ env: { PATH: '', ...env }, pid: 7, clock, log, silentMs, send });
  return { clock, log, sent, manager };
}

describe('what the agent reports to a service manager', () => {
  it('is nothing if none is present', async () => {
    const { sent, manager } = prepare({ WATCHDOG_USEC: '2000000' });
    await manager.ready();
    await manager.keepTelling(async () => 'well', new AbortController().signal);
    expect(sent).toEqual([]);
  });

  it('is a sign of life twice in each interval, and the status whenever it changes', async () => {
    const { clock, sent, manager } = prepare({ NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '10000000' });
    const stop = new AbortController();
    let status = 'well';
    const telling = manager.keepTelling(async () => status, stop.signal);
    await clock.advance(9_500);
    expect(sent).toEqual(['WATCHDOG=1', 'STATUS=well', 'WATCHDOG=1']);
    status = 'a folder\nis missing';
    await clock.advance(1_000);
    expect(sent.slice(3)).toEqual(['WATCHDOG=1', 'STATUS=a folder is missing']);
    stop.abort();
    await telling;
    await manager.stopping();
    expect(sent.at(-2)).toBe('STOPPING=1');
  });

  it('is no sign of life while what the agent needs does not answer', async () => {
    let silentMs = 0;
    const env = { NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '10000000' };
    const { clock, sent, manager } = prepare(env, { silentMs: () => silentMs });
    const stop = new AbortController();
    const telling = manager.keepTelling(async () => 'well', stop.signal);
    const signs = () => sent.filter((each) => each === 'WATCHDOG=1').length;
    await clock.advance(9_500);
    expect(signs()).toBe(2);
    silentMs = 5_000;
    await clock.advance(20_000);
    expect(signs()).toBe(2);
    silentMs = 0;
    await clock.advance(5_000);
    expect(signs()).toBe(3);
    stop.abort();
    await telling;
  });

  it('includes no sign of life if the watchdog is for another process', async () => {
    const env = { NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '20000000', WATCHDOG_PID: '8' };
    const { clock, sent, manager } = prepare(env);
    const stop = new AbortController();
    const telling = manager.keepTelling(async () => 'well', stop.signal);
    await clock.advance(65_000);
    expect(sent).toEqual(['STATUS=well']);
    stop.abort();
    await telling;
  });

  it('is logged once if it fails, and stops nothing', async () => {
    const { log, manager } = prepare({ NOTIFY_SOCKET: '/run/notify' }, { isBroken: true });
    await manager.ready();
    await manager.reloading(5_000n);
    await manager.stopping();
    expect(log.lines.map(({ level, fields }) => [level, fields?.['why']])).toEqual([
      ['warn', 'spawn systemd-notify ENOENT'],
    ]);
  });
});
