import { ReceiptdError, saidBy, systemCode } from '../core/domain/errors.ts';
import type { OUTPUT_CURES } from '../texts/en/errors/commands.ts';

/** The error for a file that a result could not be written to. */
export function outputUnwritable(
  file: string,
  cause: unknown,
  output: keyof typeof OUTPUT_CURES,
): ReceiptdError {
  const system = systemCode(cause) ?? null;
  return new ReceiptdError('OUTPUT_UNWRITABLE.file', { file, system, ...saidBy(cause), output }, { cause });
}
