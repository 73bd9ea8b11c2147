import type { CommanderError } from 'commander';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { CommandLineFault } from '../texts/facts.ts';

/** Commands that people guess; the errors name the right ones. */
const GUESSED = [
  'start',
  'stop',
  'restart',
  'install',
  'uninstall',
  'upload',
  'version',
  'config',
  'search',
  'delete',
] as const;

/** Turns an error of the argument parser into one like every other. */
export function usageError({ code, message }: Pick<CommanderError, 'code' | 'message'>): ReceiptdError {
  const [what = '', guess = ''] = message.replace(/^error: /, '').split('\n');
  const [, list] = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(guess) ?? [];
  const meant = list?.split(', ') ?? [];
  const [, quoted = ''] = /'(.*?)'/.exec(what) ?? [];
  if (code === 'commander.unknownCommand') {
    const known = GUESSED.find((each) => each === quoted.toLowerCase());
    if (known !== undefined)
      return new ReceiptdError('USAGE.guessedCommand', { typed: quoted, guess: known });
    return new ReceiptdError('USAGE.unknownCommand', { typed: quoted, meant });
  }
  return usageFault(faultOf(code, quoted) ?? { kind: 'other', detail: what }, {
    meant,
    name: possibleName(code, quoted),
  });
}

export function usageFault(
  fault: CommandLineFault,
  { meant, name }: { readonly meant: readonly string[]; readonly name: string | null } = {
    meant: [],
    name: null,
  },
): ReceiptdError {
  return new ReceiptdError('USAGE.commandLine', { fault, meant, name });
}

/** `quoted`: what the parser's message is about. */
function faultOf(code: string, quoted: string): CommandLineFault | null {
  const [option = quoted] = /--[\w-]+/.exec(quoted) ?? [];
  switch (code) {
    case 'commander.unknownOption':
      return { kind: 'unknownOption', subject: quoted };
    case 'commander.optionMissingArgument':
      return { kind: 'valueMissing', subject: option };
    case 'commander.missingMandatoryOptionValue':
      return { kind: 'optionMissing', subject: option };
    case 'commander.missingArgument':
      return { kind: 'argumentMissing', subject: quoted };
    case 'commander.excessArguments':
      return { kind: 'tooManyArguments', subject: quoted };
    default:
      return null;
  }
}

/** Document names can look like this; no option does. */
function possibleName(code: string, quoted: string): string | null {
  return code === 'commander.unknownOption' && /^-[^-]|^-.*\d/.test(quoted) ? quoted : null;
}
