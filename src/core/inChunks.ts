/** Cap on concurrent file system calls for one folder. */
const AT_ONCE = 32;

/** Processes many files, a few at a time; rejects when aborted. */
export async function inChunks<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    signal.throwIfAborted();
    await Promise.all(items.slice(start, start + AT_ONCE).map(work));
  }
}
