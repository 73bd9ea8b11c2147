import type { CommanderError } from 'commander';
import { ReceiptdError } from '../core/domain/errors.ts';

/** Commands that people guess, with the right ones. */
const GUESSED: Readonly<Record<string, string>> = {
  start:
    '`receiptd run` runs the agent in this terminal; `receiptd service start` starts it in the background.',
  stop: '`receiptd service stop` stops the agent in the background; Ctrl-C stops `receiptd run`.',
  restart:
    '`receiptd service restart` restarts the agent in the background; `receiptd reload` applies a changed config.',
  logs: '`receiptd service logs` shows the log of the agent in the background.',
  install:
    '`receiptd service install` installs the agent as a service that runs in the background; `receiptd setup` does everything.',
  uninstall: '`receiptd service uninstall` removes the service.',
  upload:
    '`receiptd send FILE` uploads a file; `receiptd run --once` uploads what is in the watched folders.',
  version: '`receiptd --version` shows the version.',
  config: '`receiptd setup` writes the config; `receiptd check` checks it.',
  search: '`receiptd list --search TEXT` searches.',
  delete: '`receiptd erase NAME` erases the personal data of a document.',
};

/** Turns an error of the argument parser into one sentence, like every other error. */
export function usageError({ code, message }: Pick<CommanderError, 'code' | 'message'>): ReceiptdError {
  const [what = '', guess = ''] = message.replace(/^error: /, '').split('\n');
  const plain = inPlainWords(what);
  const sentence = `${plain.charAt(0).toUpperCase()}${plain.slice(1).replace(/\.$/, '')}.`.replaceAll(
    "'",
    '"',
  );
  const advice = adviceOn(code, what);
  const [, unknown = ''] = /'(.*)'/.exec(what) ?? [];
  const known = code === 'commander.unknownCommand' ? GUESSED[unknown.toLowerCase()] : undefined;
  if (known !== undefined) return new ReceiptdError('USAGE', sentence, { hint: known });
  const meant = guess.replace(/^\(|\)$/g, '');
  return new ReceiptdError('USAGE', sentence, { hint: meant === '' ? advice : `${meant} ${advice}` });
}

/** The parser's sentences about values, without its notation of options and arguments. */
function inPlainWords(what: string): string {
  return what
    .replace(/^option '(?:-\w, )?(--[\w-]+).*?' argument missing/, '$1 needs a value')
    .replace(/^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*)' is invalid/, '$1: "$2" is not valid')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*?)'/, '"$1" is not valid as <$2>');
}

function adviceOn(code: string, what: string): string {
  if (code === 'commander.unknownCommand') return '`receiptd --help` shows the commands.';
  const help = 'Add --help to see the options of this command.';
  const [, given] = /'(-[^']+)'/.exec(what) ?? [];
  // Document names can look like this; no option does.
  const mayBeName = code === 'commander.unknownOption' && given !== undefined && /^-[^-]|\d/.test(given);
  return mayBeName
    ? `If it is a document name, put two dashes before it, as in \`receiptd show -- ${given}\`. ${help}`
    : help;
}
