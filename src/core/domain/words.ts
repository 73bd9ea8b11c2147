/** Formats times, numbers and sizes: ISO 8601 for programs, local time and plain words for people. */

export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** 2026-01-31 08:30:00 +01:00, in local time. With the offset, because readers may be elsewhere and one hour in autumn repeats. */
export function local(at: string | number): string {
  const date = new Date(at);
  return `${date.toLocaleString('sv')} ${offset(-date.getTimezoneOffset())}`;
}

/** 2026-01-31 08:30, in local time: for tables, where the zone would be the same in each row. */
export function localMinute(at: string | number): string {
  return local(at).slice(0, 16);
}

function offset(minutes: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}

/** 1,204 */
export function count(value: number): string {
  // Avoid Intl if possible: its first use takes 12 ms.
  return Math.abs(value) < 1_000 && Number.isInteger(value) ? String(value) : value.toLocaleString('en-US');
}

/** `1 file`, `1,204 files`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** Decimal units, like those of disks and scanners. */
export function size(bytes: number): string {
  for (const [unit, factor] of [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
  ] as const) {
    if (bytes >= factor) return `${(bytes / factor).toFixed(bytes >= 10 * factor ? 0 : 1)} ${unit}`;
  }
  return counted(bytes, 'byte');
}
