import { parentOf } from './folderPath.ts';

/** Cached directories; beyond that, the cache is cleared. */
const KEPT_AT_MOST = 10_000;

/**
 * Tells whether neither a path nor any of its parents is ignored, since ignored directories are never listed. This depends
 * only on the configuration, so entered directories are cached: a path costs the same at any depth.
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
