import { onTestFinished } from 'vitest';
import type { BeginAnswer, BeginItem } from '../../src/core/messages.ts';
import type { Ledger, StorageTrouble } from '../../src/core/ports/ledger.ts';
import { FleetWatch } from '../../src/fleet/fleetWatch.ts';
import { sendingPlace, type Sending, type SendingOptions } from '../flow/sending.ts';
import { FakeFleet } from '../support/fakeFleet.ts';
import type { RecordedLog } from '../support/recordedLog.ts';

export const UNREACHABLE: StorageTrouble = {
  code: 'LEDGER_UNREACHABLE',
  message: "The ledger can't be reached.",
  hint: 'Wait.',
};

/** The storage of a shared ledger; the test makes it unreachable and reachable again. */
export function storageOf() {
  const listeners = new Set<() => void>();
  let now: StorageTrouble | null = null;
  return {
    trouble: () => now,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    become(trouble: StorageTrouble | null): void {
      now = trouble;
      for (const listener of listeners) listener();
    },
  };
}

/** The sending side of an agent of a fleet. `more`: how its ledger differs from a real one. */
export async function sharedSending(more: (ledger: Ledger) => Partial<Ledger> = () => ({})) {
  const place = await sendingPlace();
  const fleet = new FakeFleet();
  const storage = storageOf();
  const wrap = (ledger: Ledger): Ledger => ({ ...ledger, fleet, storage, ...more(ledger) });
  const start = (options: SendingOptions = {}) => place.start({ ...options, wrap });
  function watch({ flow, holds }: Sending) {
    const { clock, log } = place;
    const watching = new FleetWatch({ fleet, storage, flow, holds, clock, log });
    const stop = new AbortController();
    const running = watching.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    return watching;
  }
  return { ...place, fleet, storage, start, watch };
}

export function errors({ lines }: RecordedLog): unknown[] {
  return lines.filter(({ level }) => level === 'error');
}

/** Answers the first beginnings with these, and records none of them. @param asked all of them */
export function beginning(ledger: Ledger, answers: BeginAnswer[], asked: BeginItem[] = []): Ledger['record'] {
  return async (take) => {
    const { ends, begins } = take();
    asked.push(...begins);
    const given = answers.splice(0, begins.length);
    const recorded = await ledger.record(() => ({ ends, begins: begins.slice(given.length) }));
    if (recorded.begun.answers === null) return recorded;
    return { ...recorded, begun: { answers: [...given, ...recorded.begun.answers] } };
  };
}
