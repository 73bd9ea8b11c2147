/** What is tried in turns, some of many on each day. `RECEIPTD_ALL_TURNS=1`: all of them, every time. */
const DAY_MS = 86_400_000;
const KILLS = 5;

/** Whether it is the turn of this one, where each `of`-th has it. */
export function hasTurn(at: number, of: number): boolean {
  const today = Math.floor(Date.now() / DAY_MS);
  return isAll() || at % of === today % of;
}

export function isAll(): boolean {
  return process.env['RECEIPTD_ALL_TURNS'] === '1';
}

/**
 * Which of these changes to be killed before, counted from one: the last, each fifth in its turn, and the first of each kind. Where
 * whoever asks has no turn of its own today, not those first ones, and half as many others.
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
