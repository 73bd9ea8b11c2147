/** The whole way from a real folder over the spool to the service, on a virtual clock; may be killed and started again. */
import { readdir } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import type { KeepingOptions } from './keeping.ts';
import { sendingPlace, type SendingOptions } from '../flow/sending.ts';
import { watchingPlace, type WatchOptions } from '../intake/watching.ts';

export interface SpoolingOptions extends SendingOptions {
  readonly keeping?: KeepingOptions;
  readonly watch?: WatchOptions;
  /** Without it nothing is swept. */
  readonly sweep?: boolean;
}

export async function spoolingPlace() {
  const place = await sendingPlace();
  const { ledger, clock } = place;
  const watched = await watchingPlace(place);

  async function run(options: SpoolingOptions = {}) {
    const sending = await place.start({
      lookedThrough: (folder, since) => intake.isLookedThroughSince(since, folder === place.scans),
      ...options,
      keeping: { mode: 'auto', ...options.keeping },
    });
    const { payloads, flow } = sending;
    const {
      intake,
    }: Pick<ReturnType<typeof watched.create>, 'intake'> = watched.create({
      ...options.watch,
      deps: {
        payloads,
        onAdmitted: ({ kind }) => {
          if (kind === 'queued' || kind === 'requeued') flow.wake();
        },
        ...options.watch?.deps,
      },
    });
    const stopping = new AbortController();
    const tasks = [intake.run(stopping.signal)];
    if (options.sweep ?? true) tasks.push(payloads.runSweeps(stopping.signal));
    const stop = async (): Promise<void> => {
      stopping.abort(new Error('the test is over'));
      await Promise.all([...tasks, sending.stop()]);
      await payloads.close();
    };
    onTestFinished(stop);
    const files = async (): Promise<string[]> =>
      (await readdir(sending.spoolDir, { recursive: true, withFileTypes: true }))
        .filter((entry) => !entry.isDirectory())
        .map(({ name }) => name);
    const watching = () => clock.advanceUntil(() => intake.status.state === 'watching');
    return { ...sending, intake, stop, files, watching };
  }

  /** How many rows of `list` there are of each state. */
  async function counts(): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const { state, count } of await ledger.counts()) found[state] = (found[state] ?? 0) + count;
    return found;
  }

  return { ...place, run, counts, drop: watched.drop, rows: watched.rows };
}
