import { parentOf } from './folderPath.ts';

/** Beyond that the answers are found out again. */
const KEPT_AT_MOST = 10_000;

/**
 * Whether a path is not ignored, nor any directory on the way to it: a pruned one is never listed. Depends on the
 * configuration alone, so the answer for a directory is kept, and a path costs the same at any depth.
 */
export class EnteredDirectories {
  readonly #takes: (path: string) => boolean;
  readonly #entered = new Set<string>();

  constructor(takes: (path: string) => boolean) {
    this.#takes = takes;
  }

  enters(path: string): boolean {
    const way: string[] = [];
    for (let dir = parentOf(path); dir !== '' && !this.#entered.has(dir); dir = parentOf(dir)) way.push(dir);
    for (const dir of way.reverse()) {
      if (!this.#takes(dir)) return false;
      if (this.#entered.size >= KEPT_AT_MOST) this.#entered.clear();
      this.#entered.add(dir);
    }
    return this.#takes(path);
  }
}
