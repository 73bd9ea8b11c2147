import { CommanderError } from 'commander';
import { Command } from './command.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { NotAnswered } from './ask.ts';
import { commandsFor } from './commands.ts';
import { EXIT, exitStatusOf, type ExitStatus } from './exitStatus.ts';
import { colorsFor, fitted, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { areOfSettings } from '../core/domain/invalidSettings.ts';
import { told } from './language.ts';
import { usageError } from './usage.ts';
import { VERSION } from './version.ts';

/**
 * Runs one command line. `decided` receives a nonzero exit status before anything is printed about it, because the reader of the
 * output may leave early.
 * @returns the exit status; errors have been printed on stderr
 */
export async function runCommandLine(
  argv: readonly string[],
  io: Io,
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
  io: Io,
  done: (status: ExitStatus) => void,
  words: readonly string[] = [],
): Promise<Command> {
  const program = new Command('receiptd')
    .description(
      'Watches folders for scanned receipts, names each new image, uploads it, and keeps a ledger. Start with `receiptd setup`.',
    )
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // `report` prints the error, in one sentence and with a code.
      outputError: () => {},
    })
    .addHelpText(
      'after',
      `
Examples:
  $ receiptd setup                  set up everything, up to the first receipt
  $ receiptd init                   or: write a config file and edit it
  $ receiptd login                  store the credentials in the keychain
  $ receiptd check                  check that everything is in place
  $ receiptd run                    watch and upload until stopped
  $ receiptd list --needs-person    show what needs a person

Exit statuses: 0 done; 1 failed; 2 wrong usage or config; 5 service unreachable;
6 already running; 130 stopped by a signal. For a single run, see run --help.
The config file is --config, $RECEIPTD_CONFIG, ./receiptd.yaml, the user's, or
the machine's, whichever is found first.`,
    );
  for (const add of await commandsFor(words)) add(program, io, done);
  return program;
}

/** Otherwise, the parser prints the help of all commands. */
function refuseUnknownHelp(program: Command, [first, about]: readonly string[]): void {
  if (first !== 'help' || about === undefined || about.startsWith('-') || about === 'help') return;
  if (program.commands.some((each) => each.name() === about)) return;
  throw usageError({ code: 'commander.unknownCommand', message: `unknown command '${about}'` });
}

async function report(io: Io, error: unknown): Promise<ExitStatus> {
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
