/**
 * Where all cases are too many for each run, a test names the ones that it tries: the same every day. `npm run campaign -- cases`
 * tries all of them.
 */
export const isEveryCase = process.env['RECEIPTD_EVERY_CASE'] === '1';

/** The cases that are tried: those that `isChosen`, or all. */
export function chosenOf<T>(all: readonly T[], isChosen: (each: T, at: number) => boolean): T[] {
  return all.filter((each, at) => isEveryCase || isChosen(each, at));
}
