import { ReceiptdError, type ErrorCode } from './errors.ts';

/** What is wrong with the configuration, and with which keys of it, such as folders[0].maxFileSize. */
export class InvalidKeys extends ReceiptdError {
  readonly keys: readonly string[];

  constructor(code: ErrorCode, message: string, keys: readonly string[]) {
    super(code, message);
    this.keys = keys;
  }
}
