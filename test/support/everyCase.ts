/**
 * Where all cases are too many for each run, a test names the ones that it tries: the same every day. `npm run campaign -- cases`
 * tries all of them.
 */
export const isEveryCase = process.env['RECEIPTD_EVERY_CASE'] === '1';

/** The cases that are tried: those that `isChosen`, or all. */
export function chosenOf<T>(all: readonly T[], isChosen: (each: T, at: number) => boolean): T[] {
  return all.filter((each, at) => isEveryCase || isChosen(each, at));
}

/** Numbers (from 1) of the changes to kill a process before: the first, one half-way, and the last. */
export function chosenKills(count: number): number[] {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return chosenOf(numbers, (n) => [1, Math.ceil(count / 2), count].includes(n));
}
