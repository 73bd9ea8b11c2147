/** Rotates expensive test cases by day, a few each day. `RECEIPTD_ALL_TURNS=1` runs all of them. */
const DAY_MS = 86_400_000;
const KILLS = 5;

/** Whether case number `at` runs today; every `of`-th does. */
export function hasTurn(at: number, of: number): boolean {
  const today = Math.floor(Date.now() / DAY_MS);
  return isAll() || at % of === today % of;
}

export function isAll(): boolean {
  return process.env['RECEIPTD_ALL_TURNS'] === '1';
}

/**
 * Numbers (from 1) of the changes to kill a process before: the last, every fifth in rotation, and the first of each kind. If it is
 * not the caller's turn, without the first of each kind, and with half as many of the others.
 */
export function chosenKills(
  changes: readonly string[],
  kindOf: (change: string) => string,
  isItsTurn = true,
): number[] {
  const kinds = changes.map(kindOf);
  const isFirst = (n: number): boolean => isItsTurn && kinds.indexOf(kinds[n - 1]!) === n - 1;
  return changes
    .map((_, index) => index + 1)
    .filter((n) => n === kinds.length || isFirst(n) || hasTurn(n, isItsTurn ? KILLS : 2 * KILLS));
}
