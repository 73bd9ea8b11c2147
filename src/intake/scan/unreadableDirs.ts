import type { Log } from '../../core/ports/log.ts';

/**
 * Logs unreadable directories of one folder: each once per error code, and again if it was readable in between. Every listing
 * tries them again.
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

  /** Begins a listing of the whole folder. @returns a function to call when it is complete */
  listing(): () => void {
    const before = [...this.#said.keys()];
    this.#met.clear();
    return () => {
      for (const path of before) if (!this.#met.has(path)) this.#said.delete(path);
    };
  }
}
