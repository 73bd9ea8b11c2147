/** What stands below the options in the help of a command. `examples` without the word `receiptd`. */
export function helpOf(help: {
  readonly examples: readonly string[];
  /** Statuses besides those that every command has. */
  readonly statuses?: string;
  readonly more?: string;
}): string {
  const { examples, statuses, more } = help;
  const exit = `Exit statuses: 0 done; 1 it could not be done; 2 wrong usage or config${statuses === undefined ? '' : `; ${statuses}`}.`;
  return [
    ...(more === undefined ? [] : ['', more]),
    '',
    examples.length === 1 ? 'Example:' : 'Examples:',
    ...examples.map((example) => `  $ receiptd ${example}`),
    '',
    exit,
  ].join('\n');
}
