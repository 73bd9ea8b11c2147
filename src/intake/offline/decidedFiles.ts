import { sameIdentity, type FileIdentity } from '../../core/domain/document.ts';

interface Decided {
  readonly identity: FileIdentity;
  readonly isDeferred: boolean;
}

/** Number of recently decided files to remember; older ones may be checked again. */
const REMEMBERED = 50_000;

/**
 * Files of all folders that were deferred, that the ledger decided, or that are not images to send: they need not be checked again
 * before the ledger is back. The listing after the outage settles which.
 */
export class DecidedFiles {
  /** By folder and path; the latest decision last. */
  readonly #files = new Map<string, Decided>();

  /** `identity`: the version of the file that was decided. */
  add(folder: string, path: string, identity: FileIdentity, isDeferred: boolean): void {
    const key = keyOf(folder, path);
    this.#files.delete(key);
    this.#files.set(key, { identity, isDeferred });
    if (this.#files.size <= REMEMBERED) return;
    for (const oldest of this.#files.keys()) return void this.#files.delete(oldest);
  }

  /** Whether this version of the file was decided. */
  has(folder: string, path: string, identity: FileIdentity): boolean {
    return this.#of(folder, path, identity) !== null;
  }

  hasDeferred(folder: string, path: string, identity: FileIdentity): boolean {
    return this.#of(folder, path, identity)?.isDeferred === true;
  }

  #of(folder: string, path: string, identity: FileIdentity): Decided | null {
    const decided = this.#files.get(keyOf(folder, path));
    return decided && sameIdentity(decided.identity, identity) ? decided : null;
  }
}

function keyOf(folder: string, path: string): string {
  return `${folder}\0${path}`;
}
