import { ReceiptdError, systemCode } from '../core/domain/errors.ts';

/** The folder in which the command was started. @throws ReceiptdError if it was deleted since, or can't be determined */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new ReceiptdError('USAGE.workingDirectory', { isGone: systemCode(cause) === 'ENOENT' }, { cause });
  }
}
