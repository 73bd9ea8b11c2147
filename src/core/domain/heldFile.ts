/** Errors on Windows while another program (virus scanner, indexer, backup) briefly has the file open. */
const HELD: ReadonlySet<string> = new Set(['EBUSY', 'EPERM', 'EACCES']);
/** Two seconds in total; such programs release a file within a fraction of a second. */
const PAUSES_MS = [10, 20, 50, 100, 200, 300, 500, 820];

export interface Patience {
  readonly platform: NodeJS.Platform;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * For a rename that replaces a file. On Windows it fails while any program has the old file open, so it is retried for two
 * seconds; elsewhere it is tried once. @throws the error of the last attempt
 */
export async function whileHeld<T>(
  work: () => Promise<T>,
  { platform, pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }: Patience,
): Promise<T> {
  for (const ms of platform === 'win32' ? PAUSES_MS : []) {
    try {
      return await work();
    } catch (error) {
      if (!HELD.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    await pause(ms);
  }
  return work();
}
