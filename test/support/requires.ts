/**
 * Whether software that a suite needs is installed; for `describe.skipIf(!requirement(…))`. If missing, it prints a
 * warning. @throws Error instead if skipping is forbidden (RECEIPTD_NO_SKIP=1)
 */
export function requirement(name: string, present: boolean, howToGet: string): boolean {
  if (present) return true;
  const line = `${name} is missing (${howToGet}).`;
  if (process.env['RECEIPTD_NO_SKIP'] === '1') throw new Error(`${line} Skipping is forbidden here.`);
  console.warn(`Skipped: ${line}`);
  return false;
}
