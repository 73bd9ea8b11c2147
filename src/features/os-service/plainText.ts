import { ReceiptdError } from '../../core/domain/errors.ts';

/** Refuses control characters, which no definition can express in a path. @throws ReceiptdError INSTALL_REFUSED */
export function plainText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  if (!/[\u0000-\u001f\u007f]/.test(text)) return text;
  throw new ReceiptdError('INSTALL_REFUSED.controlCharacter', { text });
}
