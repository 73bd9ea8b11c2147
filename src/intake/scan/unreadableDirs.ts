import type { Log } from '../../core/ports/log.ts';

/**
 * Directories of one folder that can't be read: each is said once for each code, and again when it has been readable. What
 * lies below is looked for again at every listing.
 */
export class UnreadableDirs {
  readonly #folder: string;
  readonly #log: Log;
  readonly #said = new Map<string, string>();
  readonly #met = new Set<string>();

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  met(path: string, code: string): void {
    this.#met.add(path);
    if (this.#said.get(path) === code) return;
    this.#said.set(path, code);
    const fields = { folder: this.#folder, path, code: 'FOLDER_UNREADABLE', systemCode: code };
    this.#log.error("A directory can't be read; the files in it wait", fields);
  }

  /** A listing begins; returns what is called when it was one of the whole folder and came to its end. */
  listing(): () => void {
    const before = [...this.#said.keys()];
    this.#met.clear();
    return () => {
      for (const path of before) if (!this.#met.has(path)) this.#said.delete(path);
    };
  }
}
