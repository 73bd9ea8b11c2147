import { plainText } from '../plainText.ts';

/** One line of a section. */
export type Setting = readonly [name: string, value: string];

/** A word of a list of paths or values, for systemd.syntax(7): quotes only where they are needed. */
export function unitWord(text: string): string {
  const escaped = plainText(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return /[\s"'\\;#]/.test(text) ? `"${escaped}"` : escaped;
}

/** A path where systemd takes all of the line for it, quotes and all; null where it can't be said. */
export function unitPath(text: string): string | null {
  const escaped = plainText(text).replaceAll('%', '%%');
  return /[\s\\]$/.test(escaped) ? null : escaped;
}

/** A command line; the colon has systemd leave `$` alone. */
export function unitCommand(words: readonly string[]): string {
  const line = words.map(unitWord).join(' ');
  return line.includes('$') ? `:${line}` : line;
}
