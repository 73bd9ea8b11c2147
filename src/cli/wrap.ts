import { stripVTControlCharacters } from 'node:util';

const LABEL = /^(?:(?:ok|warn|FAIL) +| *)/;

/**
 * Wraps between words, and aligns further lines with the indentation or with the text after a label. Words longer than a line
 * are left to the terminal. `indent` is that of further lines, if a label does not tell it. `width` defaults to a count without wide characters, which needs no slow tables.
 */
export function wrapLine(
  line: string,
  columns: number,
  width: (text: string) => number = plainWidth,
  indent: number | null = null,
): string[] {
  if (width(line) <= columns) return [line];
  const start = /^ */.exec(line)?.[0] ?? '';
  const hanging = ' '.repeat(indent ?? LABEL.exec(stripVTControlCharacters(line))?.[0].length ?? 0);
  const [first = '', ...words] = line.slice(start.length).split(' ');
  const lines: string[] = [];
  let current = start + first;
  for (const word of words) {
    const longer = `${current} ${word}`;
    if (width(longer) <= columns) current = longer;
    else {
      lines.push(current.trimEnd());
      current = hanging + word;
    }
  }
  return [...lines, current];
}

function plainWidth(text: string): number {
  return stripVTControlCharacters(text).length;
}
