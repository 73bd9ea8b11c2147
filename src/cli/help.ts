import type { CliTexts } from '../texts/cli.ts';
import { wrapLine } from './wrap.ts';

const COLUMNS = 80;

/** What the help of a command says below its options. */
export interface Explained {
  /** Without the word `receiptd`. */
  readonly examples: readonly string[];
  /** Exit statuses in addition to those of every command. */
  readonly statuses?: string;
  readonly more?: string;
}

export function helpOf(
  { headings, inHelp }: Pick<CliTexts, 'headings' | 'inHelp'>,
  { examples, statuses = '', more }: Explained,
): string {
  return [
    ...(more === undefined ? [] : ['', inColumns(more)]),
    '',
    examples.length === 1 ? headings.example : headings.examples,
    ...examples.flatMap((each) => exampleLines(exampleFor(process.platform, each))),
    '',
    inColumns(inHelp.statuses(statuses)),
  ].join('\n');
}

/** A command line of the program, to show. */
export function commandLine(...words: readonly string[]): string {
  return ['receiptd', ...words].join(' ');
}

const PLACES_OF_WINDOWS: Readonly<Record<string, string>> = {
  '/etc/receiptd': 'C:\\ProgramData\\receiptd',
  '/var/lib/receiptd': 'C:\\ProgramData\\receiptd\\state',
  '/srv/scans': 'C:\\Scans',
  '/archive': 'D:\\archive',
  '/tmp': 'C:\\Temp',
};
const A_PLACE = new RegExp(`(?<= )(${Object.keys(PLACES_OF_WINDOWS).join('|')})(/\\S*)?(?= |$)`, 'g');

/** Converts the paths in an example to those of the platform. */
export function exampleFor(platform: NodeJS.Platform, example: string): string {
  if (platform !== 'win32') return example;
  return example.replaceAll(
    A_PLACE,
    (_, place: string, rest = '') => `${PLACES_OF_WINDOWS[place]}${rest.replaceAll('/', '\\')}`,
  );
}

/** Wraps long lines at spaces, keeping their indent. The parser wraps the options above. */
export function inColumns(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, COLUMNS))
    .join('\n');
}

/** Formats an example so that it can be pasted into a shell. */
export function exampleLines(example: string): string[] {
  // On Windows each shell has its own line continuation.
  if (process.platform === 'win32') return [`  > receiptd ${example}`];
  const lines = wrapLine(`  $ receiptd ${example}`, COLUMNS - 6);
  return lines.map((line, n) => `${n === 0 ? '' : '    '}${line}${n < lines.length - 1 ? ' \\' : ''}`);
}
