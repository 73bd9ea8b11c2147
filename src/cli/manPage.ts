import type { CliTexts } from '../texts/cli.ts';
import { manPageTexts } from '../texts/en/manPage.ts';
import { Command } from './command.ts';
import { inColumns } from './help.ts';
import { wordsOf, type CommandWords } from './completion/words.ts';

/**
 * The manual page receiptd(1), generated from the same definitions as the help. Reproducible: `date` is the date of the
 * release, empty for an unreleased `version`.
 */
export function manPage(program: Command, texts: CliTexts, version: string, date: string): string {
  const all = wordsOf(program);
  const [whole, ...commands] = all;
  if (whole === undefined) throw new Error('a program without commands');
  const ends = commands.filter((each) => each.commands.length === 0 || takesMore(each));
  return [
    String.raw`.\" ${manPageTexts.made}`,
    `.TH RECEIPTD 1 "${date}" "receiptd ${version}" "User Commands"`,
    '.SH NAME',
    String.raw`receiptd \- ${text(lowerFirst(whole.description)).replace(/\.$/, '')}`,
    '.SH SYNOPSIS',
    '.B receiptd',
    String.raw`.I command`,
    String.raw`.RI [ option ...]`,
    '.SH DESCRIPTION',
    text(manPageTexts.description),
    '.SH COMMANDS',
    ...ends.flatMap((each) => commandLines(each, helpTextOf(find(program, each.path), texts))),
    '.SH EXIT STATUS',
    ...entries('.B', manPageTexts.statuses),
    '.SH ENVIRONMENT',
    ...entries('.B', manPageTexts.environment),
    '.SH FILES',
    ...entries('.I', manPageTexts.files),
    '.SH SEE ALSO',
    text(manPageTexts.seeAlso),
    '',
  ].join('\n');
}

function entries(font: string, meanings: Readonly<Record<string, string>>): string[] {
  return Object.entries(meanings).flatMap(([name, meaning]) => [
    '.TP',
    `${font} ${text(name)}`,
    text(meaning),
  ]);
}

/** Whether a command with subcommands also has its own options. */
function takesMore({ options }: CommandWords): boolean {
  return options.some(({ flags }) => !flags.includes('--help'));
}

function commandLines({ path, description, options, places }: CommandWords, help: HelpText): string[] {
  const taken = places.map(
    ({ name, variadic }) => ` ${String.raw`\fI`}${text(name)}${variadic ? '...' : ''}${String.raw`\fR`}`,
  );
  const own = options.filter(({ flags }) => !flags.includes('--help'));
  return [
    `.SS receiptd ${text(path.join(' '))}${taken.join('')}`,
    text(`${upperFirst(description)}.`),
    ...own.flatMap(({ flags, value, description: what }) => [
      '.TP',
      `${flags.map((flag) => String.raw`\fB${text(flag)}\fR`).join(', ')}${value === null ? '' : String.raw` \fI${text(value.name)}${value.variadic ? '...' : ''}\fR`}`,
      text(`${upperFirst(what)}${value?.is.kind === 'words' ? ` (${value.is.words.join(', ')})` : ''}.`),
    ]),
    ...(help.more === '' ? [] : ['.PP', ...literal(help.more)]),
    ...(help.examples.length === 0
      ? []
      : ['.PP', manPageTexts.example, ...literal(help.examples.join('\n'))]),
    ...(help.statuses === '' ? [] : ['.PP', text(help.statuses)]),
  ];
}

interface HelpText {
  readonly more: string;
  readonly examples: readonly string[];
  readonly statuses: string;
}

function helpTextOf({ explained }: Command, { inHelp }: CliTexts): HelpText {
  if (explained === null) return { more: '', examples: [], statuses: '' };
  const { more = '', examples, statuses = '' } = explained;
  return {
    more: inColumns(more),
    examples: examples.map((example) => `receiptd ${example}`),
    statuses: inHelp.statuses(statuses),
  };
}

function find(program: Command, path: readonly string[]): Command {
  return path.reduce((command, name) => {
    const next = command.commands.find((each) => each.name() === name);
    if (!(next instanceof Command)) throw new Error(`no command ${path.join(' ')}`);
    return next;
  }, program);
}

function literal(lines: string): string[] {
  return ['.PP', '.nf', '.RS 4', ...lines.split('\n').map(text), '.RE', '.fi'].slice(1);
}

/** Escapes roff commands, and writes dashes so that they can be copied. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\\', String.raw`\e`).replaceAll('-', String.raw`\-`);
  return escaped.replaceAll('`', '').replace(/^(?=[.'])/, String.raw`\&`);
}

function upperFirst(plain: string): string {
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

function lowerFirst(plain: string): string {
  return plain.charAt(0).toLowerCase() + plain.slice(1);
}
