import type { ProgramEnd } from '../../../system/programs.ts';

/**
 * Runs a program without a shell and within a time limit, with these variables in addition to those any process needs. Resolves
 * null if it succeeded, otherwise how it ended. Rejects only with the signal's reason.
 */
export type RunProgram = (
  command: readonly string[],
  given: { readonly stdin: string; readonly env: Readonly<Record<string, string>> },
  signal: AbortSignal,
) => Promise<ProgramEnd | null>;
