import { wrapLine } from './wrap.ts';

const COLUMNS = 80;

/** What stands below the options in the help of a command. `examples` without the word `receiptd`. */
export function helpOf(help: {
  readonly examples: readonly string[];
  /** Statuses besides those that every command has. */
  readonly statuses?: string;
  readonly more?: string;
}): string {
  const { examples, statuses, more } = help;
  const exit = `Exit statuses: 0 done; 1 failed; 2 wrong usage or config${statuses === undefined ? '' : `; ${statuses}`}.`;
  return [
    ...(more === undefined ? [] : ['', inColumns(more)]),
    '',
    examples.length === 1 ? 'Example:' : 'Examples:',
    ...examples.flatMap(exampleLines),
    '',
    inColumns(exit),
  ].join('\n');
}

/**
 * Wraps lines that are too long between words, indented as they are; one that ended in the middle of a sentence goes on. The options
 * above are wrapped by the parser.
 */
export function inColumns(text: string): string {
  return text
    .replaceAll(/(?<![.:\n])\n(?=\S)/g, ' ')
    .split('\n')
    .flatMap((line) => wrapLine(line, COLUMNS))
    .join('\n');
}

/** As it can be pasted into a shell. */
export function exampleLines(example: string): string[] {
  const lines = wrapLine(`  $ receiptd ${example}`, COLUMNS - 6);
  return lines.map((line, n) => `${n === 0 ? '' : '    '}${line}${n < lines.length - 1 ? ' \\' : ''}`);
}
