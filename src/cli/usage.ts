import type { CommanderError } from 'commander';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { CommandLineFault } from '../texts/facts.ts';

/** Commands that people guess; the errors name the right ones. */
const GUESSED = [
  'start',
  'stop',
  'restart',
  'logs',
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
  if (code === 'commander.unknownCommand') {
    const [, typed = ''] = /'(.*)'/.exec(what) ?? [];
    const known = GUESSED.find((each) => each === typed.toLowerCase());
    if (known !== undefined) return new ReceiptdError('USAGE.guessedCommand', { typed, guess: known });
    return new ReceiptdError('USAGE.unknownCommand', { typed, meant });
  }
  const plain = inPlainWords(what);
  const detail = `${plain.charAt(0).toUpperCase()}${plain.slice(1).replace(/\.$/, '')}.`.replaceAll("'", '"');
  return new ReceiptdError('USAGE.commandLine', {
    fault: faultOf(code, what),
    detail,
    meant,
    name: possibleName(code, what),
  });
}

/** What the parser found, for other languages than its own; null for what is rare. */
function faultOf(code: string, what: string): CommandLineFault | null {
  const [, quoted = ''] = /'(.*?)'/.exec(what) ?? [];
  const [, option = quoted] = /(--[\w-]+)/.exec(quoted) ?? [];
  switch (code) {
    case 'commander.unknownOption':
      return { kind: 'unknownOption', subject: quoted };
    case 'commander.optionMissingArgument':
      return { kind: 'valueMissing', subject: option };
    case 'commander.missingArgument':
      return { kind: 'argumentMissing', subject: quoted };
    case 'commander.excessArguments':
      return { kind: 'tooManyArguments', subject: '' };
    default:
      return null;
  }
}

/** The parser's sentences about values, without its notation of options and arguments. */
function inPlainWords(what: string): string {
  return what
    .replace(/^option '(?:-\w, )?(--[\w-]+).*?' argument missing/, '$1 needs a value')
    .replace(/^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid/, '$1: "$2" is not valid')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*?)'/, '"$1" is not valid as <$2>');
}

/** Document names can look like this; no option does. */
function possibleName(code: string, what: string): string | null {
  const [, given = ''] = /'(-[^']+)'/.exec(what) ?? [];
  return code === 'commander.unknownOption' && /^-[^-]|\d/.test(given) ? given : null;
}
