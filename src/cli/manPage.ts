import type { Command } from 'commander';
import { wordsOf, type CommandWords } from './completion/words.ts';

/**
 * The manual page receiptd(1), generated from the same definitions as the help. Reproducible: `date` is the date of the
 * release, empty for an unreleased `version`.
 */
export function manPage(program: Command, version: string, date: string): string {
  const all = wordsOf(program);
  const [whole, ...commands] = all;
  if (whole === undefined) throw new Error('a program without commands');
  const ends = commands.filter((each) => each.commands.length === 0 || takesMore(each));
  return [
    String.raw`.\" Made by npm run generate.`,
    `.TH RECEIPTD 1 "${date}" "receiptd ${version}" "User Commands"`,
    '.SH NAME',
    String.raw`receiptd \- ${text(lowerFirst(whole.description)).replace(/\.$/, '')}`,
    '.SH SYNOPSIS',
    '.B receiptd',
    String.raw`.I command`,
    String.raw`.RI [ option ...]`,
    '.SH DESCRIPTION',
    text(
      'receiptd watches the folders that scanners save receipts to, gives each new image a document name, uploads it to a ' +
        'receipt analysis service at the rate you set, and keeps a ledger of what happened to it.',
    ),
    '.SH COMMANDS',
    ...ends.flatMap((each) => commandLines(each, helpTextOf(find(program, each.path)))),
    '.SH EXIT STATUS',
    ...EXIT_STATUSES.flatMap(([status, meaning]) => ['.TP', `.B ${status}`, text(meaning)]),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, meaning]) => ['.TP', `.B ${name}`, text(meaning)]),
    '.SH FILES',
    ...FILES.flatMap(([name, meaning]) => ['.TP', `.I ${text(name)}`, text(meaning)]),
    '.SH SEE ALSO',
    text('The documentation that comes with receiptd; see its README.md.'),
    '',
  ].join('\n');
}

const EXIT_STATUSES = [
  ['0', 'Done.'],
  ['1', 'Failed; the message says why.'],
  ['2', 'Wrong usage, or the configuration is not valid.'],
  [
    '3',
    'Something was refused, rejected or lost, or was changed by somebody else; a person has to look at it.',
  ],
  ['4', 'Something is waiting, or could not be read.'],
  ['5', 'The service could not be reached.'],
  ['6', 'Another receiptd uses this state directory.'],
  ['130', 'Stopped by a signal.'],
] as const;

const ENVIRONMENT = [
  ['RECEIPTD_CONFIG', 'The config file, unless --config names one.'],
  ['RECEIPTD_STATE_DIR', 'The state directory; overrides the config file.'],
  [
    'RECEIPTD_CLIENT_ID, RECEIPTD_CLIENT_SECRET',
    'Credentials for the service; they override every other store.',
  ],
  ['NO_COLOR', 'If set, output is not coloured.'],
] as const;

const FILES = [
  [
    './receiptd.yaml, ~/.config/receiptd/receiptd.yaml, /etc/receiptd/receiptd.yaml',
    'The config file: the first one that exists.',
  ],
  [
    '/var/lib/receiptd, ~/.local/state/receiptd',
    'The default state directory, for root and for other users.',
  ],
] as const;

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
    ...(help.examples.length === 0 ? [] : ['.PP', 'For example:', ...literal(help.examples.join('\n'))]),
    ...(help.statuses === '' ? [] : ['.PP', text(help.statuses)]),
  ];
}

interface HelpText {
  readonly more: string;
  readonly examples: readonly string[];
  readonly statuses: string;
}

/** Text that `helpOf` added after the options. Redirects the command's output, so it can't print afterwards. */
function helpTextOf(command: Command): HelpText {
  let whole = '';
  command.configureOutput({ writeOut: (part) => (whole += part) });
  command.outputHelp();
  const after = whole.slice(command.helpInformation().length).trim();
  const [before = '', rest = ''] = after.split(/^Examples?:$/m);
  const [examples = '', statuses = ''] = rest.split(/^(?=Exit status)/m);
  return {
    more: before.trim(),
    examples: examples
      .replaceAll(/ \\\n +/g, ' ')
      .split('\n')
      .flatMap((line) => /^\s*\$ (.+)$/.exec(line)?.[1] ?? []),
    statuses: statuses.replaceAll('\n', ' ').trim(),
  };
}

function find(program: Command, path: readonly string[]): Command {
  return path.reduce((command, name) => {
    const next = command.commands.find((each) => each.name() === name);
    if (next === undefined) throw new Error(`no command ${path.join(' ')}`);
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
