import { parseArgs } from 'node:util';

export interface NumberOption {
  readonly default: number;
  readonly least: number;
  readonly help: string;
}

type Parsed<N extends string, F extends string> = Record<N, number> & Record<F, boolean>;

/**
 * Parses the options of a campaign: integers and switches. Invalid ones end the process with status 2 and one sentence; `--help` lists all.
 */
export function trialOptions<N extends string, F extends string = never>(
  command: string,
  numbers: Readonly<Record<N, NumberOption>>,
  flags = {} as Readonly<Record<F, string>>,
): Parsed<N, F> {
  const names = Object.keys(numbers) as N[];
  const switches = Object.keys(flags) as F[];
  const refuse = (sentence: string): never => {
    process.stderr.write(`${command}: ${sentence} See ${command} --help.\n`);
    process.exit(2);
  };
  let values: Record<string, string | boolean | undefined>;
  try {
    const options = Object.fromEntries<{ type: 'string' | 'boolean' }>([
      ...names.map((name) => [name, { type: 'string' }] as const),
      ...[...switches, 'help'].map((name) => [name, { type: 'boolean' }] as const),
    ]);
    ({ values } = parseArgs({ options, strict: true }));
  } catch (error) {
    return refuse((error as Error).message.split('. ')[0] + '.');
  }
  if (values['help'] === true) {
    const lines = [
      ...names.map((name) => `  --${name} N (${numbers[name].default})  ${numbers[name].help}`),
      ...switches.map((name) => `  --${name}  ${flags[name]}`),
    ];
    process.stdout.write(`${command} [options]\n${lines.join('\n')}\n`);
    process.exit(0);
  }
  const parsed: Record<string, number | boolean> = {};
  for (const name of names) {
    const text = values[name] ?? String(numbers[name].default);
    const number = Number(text);
    if (text === '' || !Number.isSafeInteger(number) || number < numbers[name].least)
      refuse(`--${name} ${String(text)} is not a whole number of at least ${numbers[name].least}.`);
    parsed[name] = number;
  }
  for (const name of switches) parsed[name] = values[name] === true;
  return parsed as Parsed<N, F>;
}
