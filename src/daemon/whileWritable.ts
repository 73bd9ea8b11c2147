import { ReceiptdError } from '../core/domain/errors.ts';
import type { LedgerStorage } from '../core/ports/ledger.ts';

/**
 * Runs the agent until `stop`, or until this process can never write the ledger again. A new process can, and the
 * service manager starts it.
 * @throws ReceiptdError the storage's error if the ledger became unwritable, after the agent has stopped
 */
export async function whileWritable<T>(
  storage: LedgerStorage,
  stop: AbortSignal,
  run: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const look = (): void => {
    const trouble = storage.trouble();
    if (trouble?.isForGood) lost.abort(new ReceiptdError(trouble));
  };
  const deaf = storage.onChange(look);
  look();
  try {
    const result = await run(AbortSignal.any([stop, lost.signal]));
    lost.signal.throwIfAborted();
    return result;
  } finally {
    deaf();
  }
}
