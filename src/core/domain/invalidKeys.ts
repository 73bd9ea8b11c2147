import { ReceiptdError, type ErrorCode, type SaidElsewhere } from './errors.ts';

/** Configuration error with the affected keys, such as folders[0].maxFileSize. */
export class InvalidKeys extends ReceiptdError<SaidElsewhere> {
  readonly keys: readonly string[];

  constructor(code: ErrorCode, message: string, keys: readonly string[]) {
    super({ code, message });
    this.keys = keys;
  }
}
