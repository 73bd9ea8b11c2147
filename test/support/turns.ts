/** Rotates expensive test cases and end-to-end test files by day, a few each day. `RECEIPTD_ALL_TURNS=1` runs all of them. */
const DAY_MS = 86_400_000;
const KILLS = 5;
/** Each of the other end-to-end test files runs every fourth day. */
const DAYS = 4;

/** End-to-end test files that run every day: they test the promises on the built program, or what every user does first. */
export const EVERY_DAY: readonly string[] = [
  'accounts',
  'afterUpload',
  'audit',
  'built',
  'console/daemon',
  'control',
  'diskFull',
  'fleet/campaign',
  'kill',
  'limits',
  'receipts',
  'results',
  'secrets',
  'security',
  'setup',
  'start',
  'stop',
  'trouble',
].map((name) => `test/e2e/${name}.test.ts`);

/**
 * Divides end-to-end test files into those of today and those of another day. They take turns in the order of their size, so that each
 * day has about as many long ones.
 */
export function turnsOf(
  files: readonly string[],
  sizeOf: (file: string) => number,
): { today: string[]; anotherDay: string[] } {
  const rotating = files
    .filter((file) => !EVERY_DAY.includes(file))
    .toSorted((a, b) => sizeOf(b) - sizeOf(a) || a.localeCompare(b));
  const anotherDay = rotating.filter((_, at) => !hasTurn(at, DAYS));
  return { today: files.filter((file) => !anotherDay.includes(file)), anotherDay };
}

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
