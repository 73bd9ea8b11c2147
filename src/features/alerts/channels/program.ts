/**
 * Runs a program by no shell and within a time limit, with these variables beside what a process needs to run. Resolves null
 * if it ended well, or how it ended otherwise, to follow its name in a sentence. Rejects with the signal's reason only.
 */
export type Run = (
  command: readonly string[],
  given: { readonly stdin: string; readonly env: Readonly<Record<string, string>> },
  signal: AbortSignal,
) => Promise<string | null>;
