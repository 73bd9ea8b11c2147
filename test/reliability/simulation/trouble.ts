import { WORLD } from './timeline.ts';
import type { World } from './world.ts';

/** Schedules trouble with shares, disks and the clock. All of it ends by `troubleMs`. */
export function scheduleTrouble({ plan, timeline, story, shares, state }: World): void {
  const { shareTrouble, diskTrouble, archiveFull, clockJumps, phases, troubleMs } = plan;
  const at = (ms: number, what: string, act: () => void): void => {
    timeline.after(ms, WORLD, () => {
      story.tell('world', what);
      act();
    });
  };
  for (const { at: from, forMs, path, state: then } of shareTrouble) {
    const share = shares.get(path)!;
    at(from, `${path} is ${then}`, () => {
      share.state = then;
      share.generation += 1;
    });
    at(Math.min(troubleMs, from + forMs), `${path} is back`, () => {
      share.state = 'present';
      share.generation += 1;
    });
  }
  for (const { at: from, forMs, disk } of diskTrouble) {
    at(from, `the disk of the state directory is ${disk}`, () => (state.disk = disk));
    at(
      Math.min(troubleMs, from + forMs),
      'the disk of the state directory works again',
      () => (state.disk = 'well'),
    );
  }
  let absences = 0;
  for (const { at: from, forMs } of plan.ledgerAway) {
    at(from, 'the ledger is away', () => {
      absences += 1;
      state.isLedgerAway = true;
    });
    at(Math.min(troubleMs, from + forMs), 'the ledger may be back', () => {
      absences -= 1;
      state.isLedgerAway = absences > 0;
    });
  }
  for (const { at: from, forMs, path } of archiveFull) {
    const share = shares.get(path)!;
    at(from, `the disk of ${path}-archive is full`, () => (share.isFull = true));
    at(
      Math.min(troubleMs, from + forMs),
      `the disk of ${path}-archive has space`,
      () => (share.isFull = false),
    );
  }
  for (const { at: from, byMs } of clockJumps)
    at(from, `the clock is set by ${byMs} ms`, () => timeline.setClock(byMs));
  for (const { at: from, forMs } of plan.sleeps)
    at(from, `the machine sleeps for ${forMs} ms`, () => timeline.sleepMachine(forMs));
  for (const { from, until, fault, uid } of phases) {
    at(from, `the service has a fault: ${fault}${uid ? ` at ${uid}` : ''}`, () => {});
    at(until, `the service no longer has the fault: ${fault}`, () => {});
  }
}
