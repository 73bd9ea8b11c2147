import { plainText } from '../plainText.ts';

/** One line of a section. */
export type UnitSetting = readonly [name: string, value: string];

/** A word in a list, per systemd.syntax(7); quoted only if necessary. */
export function unitWord(text: string): string {
  const escaped = plainText(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return /[\s"'\\;#]/.test(text) ? `"${escaped}"` : escaped;
}

/** A path for a setting that takes the whole line literally, quotes included; null if it can't be expressed. */
export function unitPath(text: string): string | null {
  const escaped = plainText(text).replaceAll('%', '%%');
  return /[\s\\]$/.test(escaped) ? null : escaped;
}

/** A command line; the colon keeps systemd from expanding `$`. */
export function unitCommand(words: readonly string[]): string {
  const line = words.map(unitWord).join(' ');
  return line.includes('$') ? `:${line}` : line;
}

/** The words of a list, per systemd.syntax(7): what `unitWord` made of them. */
export function unitWords(text: string): string[] {
  const words = text.match(/(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|[^\s"'\\])+/g) ?? [];
  return words.map((word) =>
    word
      .replaceAll(/"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/g, '$1$2')
      .replaceAll(/\\(.)/g, '$1')
      .replaceAll('%%', '%'),
  );
}
