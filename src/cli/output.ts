import { messageOf, ReceiptdError, systemCode } from '../core/domain/errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it already exists and was left unchanged',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'part of its path is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
};

/** The error for a file or standard output that a result could not be written to. */
export function outputUnwritable(what: string, cause: unknown, hint: string): ReceiptdError {
  const code = systemCode(cause) ?? '';
  const why = REASONS[code] ?? messageOf(cause);
  return new ReceiptdError('OUTPUT_UNWRITABLE', `${what} can't be written: ${why}.`, { hint, cause });
}
