/**
 * Whether a real part that a suite needs is here; for `describe.skipIf(!requirement(…))`. A missing one is
 * said in one line, and is an error where skipping is forbidden (RECEIPTD_NO_SKIP=1).
 */
export function requirement(name: string, present: boolean, howToGet: string): boolean {
  if (present) return true;
  const line = `${name} is missing (${howToGet}).`;
  if (process.env['RECEIPTD_NO_SKIP'] === '1') throw new Error(`${line} Skipping is forbidden here.`);
  console.warn(`Skipped: ${line}`);
  return false;
}
