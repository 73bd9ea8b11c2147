import { CommanderError } from 'commander';
import { Command } from './command.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { NotAnswered } from './ask.ts';
import { commandsFor } from './commands.ts';
import { EXIT, exitStatusOf, type ExitStatus } from './exitStatus.ts';
import { inColumns } from './help.ts';
import { colorsFor, fitted, type ProcessParts } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { areOfSettings } from '../core/domain/invalidSettings.ts';
import { ioOf, told } from './language.ts';
import { usageError } from './usage.ts';
import { VERSION } from './version.ts';

/**
 * Runs one command line. `decided` receives a nonzero exit status before anything is printed about it, because the reader of the
 * output may leave early.
 * @returns the exit status; errors have been printed on stderr
 */
export async function runCommandLine(
  argv: readonly string[],
  io: ProcessParts,
  decided: (status: ExitStatus) => void = () => {},
): Promise<ExitStatus> {
  let status: ExitStatus = EXIT.ok;
  const done = (given: ExitStatus) => {
    status = given;
    decided(given);
  };
  try {
    const program = await createProgram(io, done, argv.slice(2));
    refuseUnknownHelp(program, argv.slice(2));
    await program.parseAsync([...argv]);
    return status;
  } catch (error) {
    return await report(io, error);
  }
}

/**
 * All commands, or only those that a command line needs. `done` receives a nonzero exit status of a command that did not throw,
 * before the command prints its result.
 */
export async function createProgram(
  process: ProcessParts,
  done: (status: ExitStatus) => void,
  words: readonly string[] = [],
): Promise<Command> {
  const io = await ioOf(process);
  const { program: its, headings, inHelp } = io.texts;
  const examples = Object.entries(EXAMPLES).map(
    ([key, line]) => `  $ receiptd ${line.padEnd(22)}   ${its[key as keyof typeof EXAMPLES]}`,
  );
  const program = new Command('receiptd', io.texts)
    .description(its.about)
    .version(VERSION, '-V, --version', inHelp.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // `report` prints the error, in one sentence and with a code.
      outputError: () => {},
    })
    .addHelpText(
      'after',
      ['', headings.examples, ...examples, '', inColumns(its.statuses), inColumns(its.configFile)].join('\n'),
    );
  for (const add of await commandsFor(words)) add(program, io, done);
  return program;
}

/** By what they do. */
const EXAMPLES = {
  setup: 'setup',
  init: 'init',
  login: 'login',
  check: 'check',
  run: 'run',
  needsPerson: 'list --needs-person',
} as const;

/** Otherwise, the parser prints the help of all commands. */
function refuseUnknownHelp(program: Command, [first, about]: readonly string[]): void {
  if (first !== 'help' || about === undefined || about.startsWith('-') || about === 'help') return;
  if (program.commands.some((each) => each.name() === about)) return;
  throw usageError({ code: 'commander.unknownCommand', message: `'${about}'` });
}

async function report(io: ProcessParts, error: unknown): Promise<ExitStatus> {
  if (error instanceof CommanderError) {
    // Help or version has been printed.
    if (error.exitCode === 0) return EXIT.ok;
    if (error.code === 'commander.help') return EXIT.usage;
    return report(io, usageError(error));
  }
  if (error instanceof NotAnswered) return EXIT.interrupted;
  if (io.stop.aborted && !(error instanceof ReceiptdError)) return EXIT.interrupted;
  if (!(error instanceof ReceiptdError)) throw error;
  // Only mistakes in settings have a line each; any other line feed came from input and is escaped.
  const isList = areOfSettings(error.params);
  const { word, sentence } = await told(io, error);
  const lines = isList ? sentence.split('\n').map(escapeUnsafe).join('\n') : escapeUnsafe(sentence);
  const start = colorsFor(io, io.stderr).red(`${word}:`);
  io.stderr.write(`${fitted(io.stderr, `${start} ${lines}`)}\n`);
  return exitStatusOf(error);
}
