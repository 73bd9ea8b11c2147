/** What Windows says while another program (a virus scanner, an indexer, a backup) has a file open for a moment. */
const HELD: ReadonlySet<string> = new Set(['EBUSY', 'EPERM', 'EACCES']);
/** Two seconds in all; such programs let go within a fraction of one. */
const PAUSES_MS = [10, 20, 50, 100, 200, 300, 500, 820];

export interface Patience {
  readonly platform: NodeJS.Platform;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/**
 * For the rename that puts a new file in the place of an old one: on Windows it fails while anybody has the old one open, and is tried
 * again for two seconds. Elsewhere it is tried once. @throws what the last try said
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
