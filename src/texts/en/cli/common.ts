import type { Format } from '../../format.ts';
import { VALUES } from '../values.ts';

/** Around every command: the help's frame, questions, progress. */
export function commonTexts({ counted, number }: Format) {
  return {
    program: {
      about:
        'Watches folders for scanned receipts, names each new image, uploads it, and keeps a ledger. Start with `receiptd setup`.',
      /** What each example does. */
      setup: 'set up everything, up to the first receipt',
      init: 'or: write a config file and edit it',
      login: 'store the credentials in the keychain',
      check: 'check that everything is in place',
      run: 'watch and upload until stopped',
      needsPerson: 'show what needs a person',
      statuses:
        'Exit statuses: 0 done; 1 failed; 2 wrong usage or config; 5 service unreachable; 6 already running; 130 stopped by a signal. For a single run, see run --help.',
      configFile:
        "The config file is --config, $RECEIPTD_CONFIG, ./receiptd.yaml, the user's, or the machine's, whichever is found first.",
    },
    /** Headings in the help. */
    headings: {
      usage: 'Usage:',
      arguments: 'Arguments:',
      options: 'Options:',
      commands: 'Commands:',
      example: 'Example:',
      examples: 'Examples:',
      everyday: 'Everyday:',
      repair: 'Repair and audit:',
      admin: 'Administration:',
    },
    inHelp: {
      values: VALUES,
      help: 'display help for command',
      helpOfOne: 'display help for a command',
      version: 'output the version number',
      choices: (words: string) => `choices: ${words}`,
      otherwise: (value: string) => `default: ${value}`,
      /** `more`: statuses of the command alone. */
      statuses: (more: string) =>
        `Exit statuses: 0 done; 1 failed; 2 wrong usage or config${more === '' ? '' : `; ${more}`}.`,
    },
    /** Options of several commands. */
    option: {
      config: 'config file',
      yes: "don't ask",
      account: 'account in the config; the default account if omitted',
      offline: "don't contact the service",
      document: 'name of the document, the start of its name, or a file',
    },
    status5: '5 the service could not be reached',
    status130: '130 stopped by a signal',
    answer: { hint: '[y/N]', yes: 'y', inFull: 'yes' },
    /** Questions for a line of text. */
    input: {
      clientId: 'Client identifier: ',
      clientSecret: 'Client secret: ',
      password: (shortest: number) => `Password (at least ${number(shortest)} characters): `,
      again: 'Once more: ',
    },
    /** On standard input, where nobody is asked. */
    awaited: {
      clientId: 'Waiting for the client identifier on standard input, one line.',
      clientSecret: 'Waiting for the client secret on standard input, one line.',
      password: 'Waiting for the password on standard input, one line.',
    },
    moreLines: (n: number) => `… ${counted(n, 'more line', 'more lines')}: make the window taller.`,
    wrote: (file: string) => `Wrote ${file}.`,
  };
}
