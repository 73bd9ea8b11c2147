import { expect, it } from 'vitest';
import { SlowDisk } from '../../src/daemon/slowDisk.ts';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';

function disk() {
  const incidents = new OpenIncidents({ clock: new FakeClock(), log: new RecordedLog() });
  const slow = new SlowDisk('/var/lib/receiptd', incidents);
  return (...ms: number[]) => {
    for (const each of ms) slow.synced(each);
    return incidents.list().map(({ code, params }) => ({ code, params }));
  };
}

it('the agent reports a disk that stays slow once, and its recovery once', () => {
  const took = disk();
  expect(took(2_000, 2_000, 2_000, 2_000)).toEqual([]);
  const [said] = took(2_400);
  const params = { stateDir: '/var/lib/receiptd', seconds: 2, answers: true };
  expect(said).toEqual({ code: 'DISK_SLOW', params });
  expect(took(9_000, 1_000)).toEqual([said]);
  expect(took(10, 10, 10, 10)).toEqual([said]);
  expect(took(10)).toEqual([]);
});

it('the agent reports a disk that does not answer once, and its recovery once', async () => {
  const clock = new FakeClock();
  const log = new RecordedLog();
  const incidents = new OpenIncidents({ clock, log });
  const stop = new AbortController();
  let ms = 0;
  const watching = new SlowDisk('/var/lib/receiptd', incidents).watch(
    { silentMs: () => ms },
    clock,
    stop.signal,
  );
  const said = () => incidents.list().map(({ code, params }) => ({ code, params }));
  ms = 29_000;
  await clock.advance(10_000);
  expect(said()).toEqual([]);
  ms = 39_000;
  await clock.advance(30_000);
  expect(said()).toEqual([
    { code: 'DISK_SLOW', params: { stateDir: '/var/lib/receiptd', seconds: 30, answers: false } },
  ]);
  expect(log.said('A problem began')).toHaveLength(1);
  ms = 0;
  await clock.advance(10_000);
  expect(said()).toEqual([]);
  stop.abort();
  await watching;
});

it('the agent reports nothing about a disk that is slow now and then', () => {
  expect(disk()(10, 3_000, 3_000, 3_000, 3_000, 400, 3_000, 3_000, 3_000, 3_000, 10)).toEqual([]);
});
