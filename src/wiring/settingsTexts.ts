import { showPath } from '../config/show.ts';
import type { ConfigEdit } from '../control/protocol/protocol.ts';
import { ReceiptdError } from '../core/domain/errors.ts';

const TOLD = 20;

/** Lists the changed keys, not their values, which are in the file. */
export function told(edits: readonly ConfigEdit[]): string {
  const list = edits.slice(0, TOLD).map(({ kind, path }) => `${kind} ${showPath(path)}`);
  return list.join('; ') + (edits.length > TOLD ? `; ${edits.length - TOLD} more` : '');
}

export function inOneLine(message: string): string {
  const [first = '', ...others] = message.split('\n');
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${first}${more}${/[.!?]$/.test(first + more) ? '' : '.'}`;
}

export function nothingToUndo(): ReceiptdError {
  return new ReceiptdError('CONFIG_CHANGED', 'There is no change to undo.', {
    hint: 'Previous versions of the file are in config-history in the state directory.',
  });
}

export function changedMeanwhile(file: string): ReceiptdError {
  return new ReceiptdError('CONFIG_CHANGED', `Somebody else has changed ${file}, so nothing was written.`, {
    hint: 'Check the file, then make your change again.',
  });
}

/** Commands find the agent by its state directory; a second agent with an empty ledger would send everything again. */
export function notWhileRunning(): ReceiptdError {
  return new ReceiptdError('CONFIG_INVALID', "stateDir can't be changed while receiptd runs.", {
    hint: 'Stop receiptd, move the directory, edit the file, and start receiptd again.',
  });
}
