const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const BYTES: Readonly<Record<string, number>> = { B: 1, kB: 1_000, MB: 1_000_000, GB: 1_000_000_000 };

export const DURATION_PATTERN = /^(\d{1,9})(ms|s|m|h|d)$/;
/** Decimal units, as printed on disks and scanners. */
export const SIZE_PATTERN = /^(\d{1,10})(B|kB|MB|GB)$/;

/** `10s` as milliseconds; NaN for anything that DURATION_PATTERN does not match. */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = DURATION_PATTERN.exec(text) ?? [];
  return Number(count) * (MILLISECONDS[unit] ?? NaN);
}

/** `50MB` as bytes; NaN for anything that SIZE_PATTERN does not match. */
export function parseSize(text: string): number {
  const [, count, unit = ''] = SIZE_PATTERN.exec(text) ?? [];
  return Number(count) * (BYTES[unit] ?? NaN);
}

/** `2026-11-01` as local midnight in wall-clock milliseconds; NaN for a day that does not exist. */
export function parseDay(text: string): number {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return NaN;
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date.getTime() : NaN;
}
