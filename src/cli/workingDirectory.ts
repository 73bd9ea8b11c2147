import { ReceiptdError, systemCode } from '../core/domain/errors.ts';

/** The folder in which the command was started. @throws ReceiptdError if it was deleted since, or can't be determined */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    const message =
      systemCode(cause) === 'ENOENT'
        ? 'The folder in which this command was started no longer exists.'
        : "The path of the folder in which this command was started can't be determined.";
    throw new ReceiptdError('USAGE', message, { hint: 'Change to another folder with `cd`.', cause });
  }
}
