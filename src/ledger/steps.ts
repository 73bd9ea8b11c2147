import type { Work } from './work.ts';
import { admit, copy } from './steps/admit.ts';
import { dispose, endSplit, folder, gone, note, split } from './steps/files.ts';
import { dismiss, erase, hold, record } from './steps/people.ts';
import { merge, retire } from './steps/fleet.ts';
import { result } from './steps/results.ts';
import { begin, end, move, position, recover } from './steps/send.ts';

/** Everything that changes the ledger. A step looks up in sets what it needs, decides item by item, and adds entries. */
export const STEPS = {
  admit,
  copy,
  note,
  gone,
  folder,
  split,
  endSplit,
  dispose,
  begin,
  end,
  move,
  recover,
  retire,
  merge,
  position,
  result,
  hold,
  dismiss,
  record,
  erase,
} as const satisfies Readonly<
  Record<string, (work: Work, items: readonly never[]) => Promise<readonly unknown[]>>
>;

export type StepName = keyof typeof STEPS;
export type Item<Name extends StepName> = Parameters<(typeof STEPS)[Name]>[1][number];
export type StepAnswer<Name extends StepName> = Awaited<ReturnType<(typeof STEPS)[Name]>>[number];
