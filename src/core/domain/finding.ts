import { ReceiptdError, type ErrorCode } from './errors.ts';

/** Findings about a folder that are not errors. */
export const FOLDER_FINDINGS = [
  'readable',
  'subfolders',
  'links',
  'movable',
  'attention',
  'awaited',
  'tooMany',
] as const;
export type FolderFinding = (typeof FOLDER_FINDINGS)[number];

/** Result of a check, for people: `receiptd check`, `receiptd doctor`, the console's folder test. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly message: string;
  /** Machine-readable form, for folders; with the number of files or folders affected. */
  readonly kind?: FolderFinding | ErrorCode;
  readonly count?: number;
  /** Names of other parties that occur in the message and are known only to the check. */
  readonly names?: readonly string[];
}

/** The finding for a check that failed. @throws `error` if it is none for people */
export function failure(subject: string, error: unknown): Finding {
  if (!(error instanceof ReceiptdError)) throw error;
  return { level: 'fail', subject, message: error.sentence() };
}
