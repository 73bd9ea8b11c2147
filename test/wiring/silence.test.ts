import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/system/systemClock.ts';
import { note, seen } from '../contract/ledger/support.ts';
import { eventually } from '../support/fakeClock.ts';
import { agentHere } from './agent.ts';

const MINUTE = 60_000;

/** The system's clock, starting at `start`, with short waits; `pass` advances it. */
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

/** An agent whose folder got scans on the last six Mondays, at 7:30 on a Monday. */
async function scannedForWeeks(first: object = {}) {
  const pass = controlledClock(new Date(2026, 2, 2, 7, 30));
  const here = await agentHere({}, first);
  const { inbox, lasting } = here;
  const { clock, ledger, incidents } = lasting;
  await ledger.markWatched(inbox, [], note('rejected', { at: clock.now() }));
  const history = Array.from({ length: 6 * 45 }, (_, scan) => {
    const [week, minute] = [1 + Math.floor(scan / 45), (scan % 45) * 8];
    return { name: `${week} ${minute}`, at: new Date(2026, 2, 2 - 7 * week, 8, minute).getTime() };
  });
  await Promise.all(
    history.map(({ name, at }) => ledger.note(seen(name, 1, inbox), note('rejected', { at }))),
  );
  await ledger.gone(
    inbox,
    history.map(({ name }) => name),
    clock.now(),
  );
  const silent = () => incidents.list().filter(({ code }) => code === 'FOLDER_SILENT');
  return { ...here, pass, silent };
}

it('the agent notices a silent scanner, and remembers it when the configuration changes', async () => {
  const { pass, inbox, log, lasting, silent, start } = await scannedForWeeks();
  const { clock, silence } = lasting;

  const { generations, replace, end } = await start();
  await eventually(() => generations.current.intakes[0]?.status.state === 'watching');
  await eventually(() => {
    pass(MINUTE);
    return silent().length > 0;
  });
  expect(silent()).toMatchObject([{ params: { folder: inbox } }]);
  const [{ since } = { since: 0 }] = silent();
  await replace({ delivery: { grace: '1s' } });
  await eventually(() => generations.current.intakes[0]?.status.state === 'watching');
  for (let minute = 0; minute < 5; minute += 1) {
    pass(MINUTE);
    await clock.sleep(50);
  }
  expect(silent()).toMatchObject([{ since }]);
  expect(log.said('A problem began')).toHaveLength(1);

  silence.take([]);
  await eventually(() => silent().length === 0);
  await end();
});

it('a new `silentAfter`, for all folders or for one, and a new `digest` apply without a restart', async () => {
  const { pass, inbox, silent, start } = await scannedForWeeks({ alerts: { silentAfter: 'never' } });
  const { generations, beside, end } = await start();
  const reload = await beside();
  const told = join(dirname(inbox), 'told');
  await eventually(() => generations.current.intakes[0]?.status.state === 'watching');
  const soon = (condition: () => boolean): Promise<void> =>
    eventually(() => {
      if (!condition()) pass(MINUTE);
      return condition();
    });
  const alerts = { silentAfter: '1h', digest: '07:40', command: ['/bin/sh', '-c', `cat >> ${told}`] };
  await reload({ alerts });
  await soon(() => silent().length === 1);
  await soon(() => existsSync(told) && readFileSync(told, 'utf8').includes('alert.digest'));
  expect(silent()).toHaveLength(1);
  await reload({ alerts, folders: [{ path: inbox, recursive: true, silentAfter: 'never' }] });
  await soon(() => silent().length === 0);
  await end();
});
