import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import {
  incidentsOf,
  SilenceWatch,
  type FolderNow,
} from '../../../../src/features/alerts/silence/silenceWatch.ts';
import { openSqliteLedger } from '../../../../src/ledger/open.ts';
import { OpenIncidents } from '../../../../src/daemon/openIncidents.ts';
import type { StorageTrouble } from '../../../../src/core/ports/ledger.ts';
import { note, seen } from '../../../contract/ledger/support.ts';
import { eventually, FakeClock } from '../../../support/fakeClock.ts';
import { RecordedLog } from '../../../support/recordedLog.ts';
import { tempDir } from '../../../support/tempDir.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Monday. */
const BEGIN = new Date(2026, 2, 2, 5, 30);
/** The last scan of the week before. */
const FRIDAY = new Date(2026, 1, 27, 16, 45).toISOString();

/** Two folders with a scan every twelve minutes from 8 to 17 on workdays, for six weeks. They are watched since 05:30; it is 07:30. */
async function place() {
  const dir = tempDir('silence');
  const clock = new FakeClock(BEGIN.getTime());
  const log = new RecordedLog();
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock, checkerPath: '' });
  const scan = (folder: string, name: string, at: number) =>
    ledger.note(seen(name, 1, folder), note('rejected', { at }));
  const scans: Promise<void>[] = [];
  for (let day = 1; day <= 42; day += 1) {
    const date = new Date(2026, 2, 2 - day, 8);
    if (date.getDay() === 0 || date.getDay() === 6) continue;
    for (let minute = 0; minute < 9 * 60; minute += 12)
      for (const folder of ['/office', '/shop'])
        scans.push(scan(folder, `${day}-${minute}`, date.getTime() + minute * MINUTE));
  }
  await Promise.all(scans);
  const incidents = new OpenIncidents({ clock, log });
  const folders: FolderNow[] = ['/office', '/shop'].map((path) => ({
    path,
    state: 'watching',
    isPaused: false,
  }));
  let readUntil = 0;
  let trouble: StorageTrouble | null = null;
  const reports = {
    storage: { ...ledger.storage, trouble: () => trouble },
    arrivals: (from: number, to: number, everyMs: number) => {
      readUntil = to;
      return ledger.arrivals(from, to, everyMs);
    },
  };
  const watch = new SilenceWatch(
    { ledger: reports, clock, log },
    folders.map(({ path }) => ({ path, silentAfter: 'auto' })),
  );
  const run = () => {
    const stopping = new AbortController();
    const running = watch.run(() => folders, incidents, stopping.signal);
    return async (): Promise<void> => {
      stopping.abort();
      await running;
    };
  };
  let stop = run();
  onTestFinished(async () => {
    await stop();
    await ledger.close();
  });
  await clock.advance(12 * MINUTE);
  // The first check reads weeks of scans in real time.
  await eventually(() => readUntil > clock.now() - HOUR);
  await clock.advance(108 * MINUTE);
  const again = async (): Promise<void> => {
    await stop();
    stop = run();
  };
  /** A scan arrives in each of these folders every ten minutes, for this long. */
  const work = async (hours: number, ...into: string[]): Promise<void> => {
    for (let end = clock.now() + hours * HOUR; clock.now() < end; await clock.advance(10 * MINUTE))
      for (const folder of into) await scan(folder, `now-${clock.now()}`, clock.now());
  };
  const said = (): string[] => log.said('A problem began').map(({ message }) => message);
  const storage = (next: StorageTrouble | null): void => {
    trouble = next;
  };
  return { storage, clock, log, folders, incidents, watch, work, said, again };
}

it('the silence alert reports one silent folder among others once, and its end at the next scan', async () => {
  const { work, clock, incidents, said, log, again } = await place();
  await clock.advance(30 * MINUTE);
  await work(4.1, '/office');
  expect(incidents.list()).toMatchObject([
    {
      key: 'FOLDER_SILENT /shop',
      code: 'FOLDER_SILENT',
      params: { folder: '/shop', last: FRIDAY },
    },
  ]);
  await again();
  await work(1, '/office');
  expect(said()).toHaveLength(1);
  await work(0.2, '/office', '/shop');
  expect(incidents.list()).toEqual([]);
  expect(log.said('The problem is over')).toHaveLength(1);
});

it('the silence alert reports many folders at once in one sentence', () => {
  const silence = { last: 0, minutes: 240, pause: 60 };
  const alone = ['/a', '/b', '/c', '/d'].map((path) => ({ path, ...silence }));
  expect(incidentsOf({ all: null, alone: alone.slice(1) }, 5)).toHaveLength(3);
  expect(incidentsOf({ all: null, alone }, 5)).toMatchObject([
    { code: 'FOLDERS_SILENT', params: { count: 4, watched: 5, folders: ['/a', '/b', '/c'] } },
  ]);
});

it('the silence alert skips folders that are paused or in trouble', async () => {
  const { work, clock, folders, incidents } = await place();
  folders[1] = { path: '/shop', state: 'watching', isPaused: true };
  await clock.advance(30 * MINUTE);
  await work(4, '/office');
  folders[1] = { path: '/shop', state: 'unreachable', isPaused: false };
  await work(2, '/office');
  expect(incidents.list()).toEqual([]);
});

it('the silence alert reports nothing while the ledger cannot be written, then starts over', async () => {
  const { clock, incidents, storage } = await place();
  storage({ code: 'DISK_FULL', message: 'No space.', hint: 'Make room.' });
  await clock.advance(5 * HOUR);
  expect(incidents.list()).toEqual([]);
  storage(null);
  incidents.open({ key: 'spool', code: 'SPOOL_FULL', params: { used: 1, limit: 1, size: 1 } });
  await clock.advance(HOUR);
  expect(incidents.list()).toHaveLength(1);
});

it('the silence alert starts over after the machine slept, reports all folders as one, and ends when it is switched off', async () => {
  const { clock, incidents, said, watch } = await place();
  clock.jump(4 * HOUR + 20 * MINUTE);
  await clock.advance(50 * MINUTE);
  expect(incidents.list()).toEqual([]);
  await clock.advance(3 * HOUR);
  // Without names: a holiday would explain it.
  expect(incidents.list()).toMatchObject([{ code: 'FOLDERS_SILENT', params: { folders: [] } }]);
  expect(said()).toHaveLength(1);
  watch.take([]);
  await clock.advance(2 * MINUTE);
  expect(incidents.list()).toEqual([]);
});
