import type { CommanderError } from 'commander';
import { ReceiptdError } from '../domain/errors.ts';

/** What the argument parser found, as one sentence like every other error. */
export function usageError({ code, message }: Pick<CommanderError, 'code' | 'message'>): ReceiptdError {
  const [what = '', guess = ''] = message.replace(/^error: /, '').split('\n');
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1).replace(/\.$/, '')}.`.replaceAll("'", '"');
  const advice =
    code === 'commander.unknownCommand'
      ? '`receiptd --help` shows the commands.'
      : 'Put --help behind the command to see what it takes.';
  const meant = guess.replace(/^\(|\)$/g, '');
  return new ReceiptdError('USAGE', sentence, { hint: meant === '' ? advice : `${meant} ${advice}` });
}
