import type { LogLines } from '../core/ports/logLines.ts';

const KEPT = 200;
/** Limits the memory of the buffer; longer lines are rare. */
const LONGEST = 8_000;

/** Keeps the last lines, and passes new ones to subscribers. */
export class RecentLines implements LogLines {
  readonly #lines: string[] = [];
  readonly #listeners = new Set<(line: string) => void>();

  add(line: string): void {
    if (line.length > LONGEST) return;
    this.#lines.push(line);
    if (this.#lines.length > KEPT) this.#lines.shift();
    for (const listener of this.#listeners) listener(line);
  }

  recent(): readonly string[] {
    return [...this.#lines];
  }

  subscribe(onLine: (line: string) => void): () => void {
    // A new function each time, so that subscribing the same one twice counts as two subscriptions.
    const listener = (line: string): void => onLine(line);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
