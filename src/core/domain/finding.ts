import type { ErrorCode } from './errors.ts';

/** What a look at a folder finds that is no error. */
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

/** What a look at something found, for people: `receiptd check`, `receiptd doctor`, a test of a folder in the console. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly message: string;
  /** The same for programs, of folders; with how many files or folders it is about. */
  readonly kind?: FolderFinding | ErrorCode;
  readonly count?: number;
  /** In the message: what somebody else is called, known to nobody but the finder. */
  readonly names?: readonly string[];
}
