import type { CommanderError } from 'commander';
import { ReceiptdError } from '../domain/errors.ts';

/** What the argument parser found, as one sentence like every other error. */
export function usageError({ code, message }: Pick<CommanderError, 'code' | 'message'>): ReceiptdError {
  const [what = '', guess = ''] = message.replace(/^error: /, '').split('\n');
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1).replace(/\.$/, '')}.`.replaceAll("'", '"');
  const advice = adviceOn(code, what);
  const meant = guess.replace(/^\(|\)$/g, '');
  return new ReceiptdError('USAGE', sentence, { hint: meant === '' ? advice : `${meant} ${advice}` });
}

/** Commands of former builds; the last two stood below `ledger`. */
const RENAMED: Readonly<Record<string, string>> = {
  'export-state': 'backup',
  'import-state': 'restore',
  backup: 'backup',
  restore: 'restore',
};

function adviceOn(code: string, what: string): string {
  if (code === 'commander.unknownCommand') {
    const now = RENAMED[/'([^']+)'/.exec(what)?.[1] ?? ''];
    return now === undefined
      ? '`receiptd --help` shows the commands.'
      : `It is \`receiptd ${now} FILE\` now.`;
  }
  const help = 'Put --help behind the command to see what it takes.';
  const [, given] = /'(-[^']+)'/.exec(what) ?? [];
  // No option of ours looks like that, and names of documents do.
  const mayBeName = code === 'commander.unknownOption' && given !== undefined && /^-[^-]|\d/.test(given);
  return mayBeName
    ? `If it is the name of a document, put two dashes before it, as in \`receiptd show -- ${given}\`. ${help}`
    : help;
}
