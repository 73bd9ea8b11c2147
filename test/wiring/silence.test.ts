import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { composeGeneration, type Running } from '../../src/wiring/generation.ts';
import { composeProcessScope } from '../../src/wiring/processScope.ts';
import type { Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/load.ts';
import { Generations } from '../../src/daemon/generations.ts';
import { systemClock } from '../../src/system/systemClock.ts';
import { createRedactor } from '../../src/logs/redact.ts';
import { seen } from '../contract/ledger.ts';
import { eventually } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { ledgerThread } from '../ledger/sqlite/thread/place.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';

const MINUTE = 60_000;

/** The system's clock, from a moment on and with long waits cut short; `pass` lets time pass. */
function controlledClock(start: Date) {
  const real = { ...systemClock };
  let passed = start.getTime() - real.now();
  const ahead = passed;
  vi.spyOn(systemClock, 'now').mockImplementation(() => real.now() + passed);
  vi.spyOn(systemClock, 'monotonic').mockImplementation(() => real.monotonic() + passed - ahead);
  vi.spyOn(systemClock, 'sleep').mockImplementation((ms, signal) => real.sleep(Math.min(ms, 50), signal));
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  return (ms: number): void => {
    passed += ms;
  };
}

it('notices a scanner that fell silent, and remembers it across a changed configuration', async () => {
  const pass = controlledClock(new Date(2026, 2, 2, 7, 30));
  const dir = await mkdtemp(join(memoryDirectory(), 'receiptd-silence-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const inbox = join(dir, 'inbox');
  await mkdir(inbox);
  await mkdir(join(dir, 'state'));
  const configOf = (keys: object): Config => {
    const text = JSON.stringify({
      service: { baseUrl: 'http://127.0.0.1:9' },
      endpoints: { office: { uid: 'office' } },
      folders: [{ path: inbox }],
      stateDir: join(dir, 'state'),
      ...keys,
    });
    const where = { env: {}, platform: process.platform, home: dir, cwd: dir, isRoot: false };
    return parseConfig(text, join(dir, 'receiptd.yaml'), where);
  };
  const log = new RecordedLog();
  const env = { RECEIPTD_CLIENT_ID: 'silence', RECEIPTD_CLIENT_SECRET: 'silence-secret' };
  const lasting = await composeProcessScope(configOf({}), {
    env,
    log,
    secrets: createRedactor(),
    version: 'test',
    ledgerThread: await ledgerThread(),
  });
  const { clock, ledger, incidents, silence } = lasting;
  const note = {
    verdict: 'rejected',
    reason: 'NOT_AN_IMAGE',
    message: '',
    sha256: null,
    policy: null,
  } as const;
  await ledger.markWatched(inbox, [], { ...note, at: clock.now() });
  const history = Array.from({ length: 6 * 45 }, (_, scan) => {
    const [week, minute] = [1 + Math.floor(scan / 45), (scan % 45) * 8];
    return { name: `${week} ${minute}`, at: new Date(2026, 2, 2 - 7 * week, 8, minute).getTime() };
  });
  await Promise.all(history.map(({ name, at }) => ledger.note(seen(name, 1, inbox), { ...note, at })));
  await ledger.gone(
    inbox,
    history.map(({ name }) => name),
    clock.now(),
  );

  const compose = (config: Config) => composeGeneration(config, lasting, { once: false });
  const generations = await Generations.start<Config, Running>(configOf({}), { compose, clock, log });
  const stop = new AbortController();
  const running = generations.run(stop.signal);
  const silent = () => incidents.list().filter(({ code }) => code === 'FOLDER_SILENT');
  await eventually(() => generations.current.intakes[0]?.status.state === 'watching');
  await eventually(() => {
    pass(MINUTE);
    return silent().length > 0;
  });
  expect(silent()).toMatchObject([
    { message: expect.stringContaining(`${inbox} gets no scans: none since`) as string },
  ]);
  const [{ since } = { since: 0 }] = silent();
  await generations.replace(configOf({ delivery: { grace: '1s' } }));
  await eventually(() => generations.current.intakes[0]?.status.state === 'watching');
  for (let minute = 0; minute < 5; minute += 1) {
    pass(MINUTE);
    await clock.sleep(50);
  }
  expect(silent()).toMatchObject([{ since }]);
  expect(log.said(inbox)).toHaveLength(1);

  silence.take([]);
  await eventually(() => silent().length === 0);
  stop.abort(new Error('the test is over'));
  await running;
  await generations.close();
  await ledger.close();
});
