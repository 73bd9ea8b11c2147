import { keyOf } from '../../support/oracle.ts';
import type { Scan } from '../scanner.ts';
import type { Observation, World } from '../world.ts';

export function endOf({ observations }: Pick<World, 'observations'>): Observation {
  const last = observations.at(-1);
  if (!last) throw new Error('Nothing was observed.');
  return last;
}

/** Whether a journal existed to judge by at that moment. */
export function hasJournal({ journalWasLost }: World, { journal }: Observation): boolean {
  return !journalWasLost || journal.entries > 0;
}

/**
 * What may happen to an image. `must`: has to be accepted, because it is still there, or was accepted or copied before it went;
 * `maybeLost`: was only named when it went; `free`: went before the agent saw it.
 */
export type Duty = 'must' | 'maybeLost' | 'free';

export function dutiesOf(scans: readonly Scan[]): Map<string, Duty> {
  const duties = new Map<string, Duty>();
  for (const scan of scans) {
    if (scan.kind !== 'image') continue;
    const key = keyOf(scan);
    const duty = dutyOf(scan);
    const before = duties.get(key);
    if (before === undefined || rank(duty) > rank(before)) duties.set(key, duty);
  }
  return duties;
}

function dutyOf({ gone }: Scan): Duty {
  switch (gone?.knownAs) {
    case undefined:
    case 'accepted':
    case 'copied':
      return 'must';
    case 'named':
      return 'maybeLost';
    case 'unseen':
      return 'free';
  }
}

function rank(duty: Duty): number {
  return ['free', 'maybeLost', 'must'].indexOf(duty);
}
