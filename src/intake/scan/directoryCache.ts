/** Cap on cached directories; a folder with more is compared in full at every listing. */
const DIRECTORIES_AT_MOST = 20_000;

interface Directory {
  readonly stamp: string;
  /** Its subdirectories. */
  readonly directories: readonly string[];
}

/** Records the directories met by one listing of the whole folder, to replace the cache when it ends. */
export interface LookOver {
  /** The subdirectories of an unchanged directory, which need not be listed; null if it has to be. */
  passesOver(dir: string, stamp: string): readonly string[] | null;
  listed(dir: string, stamp: string, directories: readonly string[]): void;
  /** A file in it could not be compared, so the directory is listed again next time. */
  doubt(dir: string): void;
  /** The listing is complete. */
  over(): void;
}

/**
 * Directories of one folder in which no file was created, replaced or deleted since all files in them were compared with the
 * ledger or handed to settling:
 *
 *   unknown ──listed, with a stamp that counts──▶ unchanged ──another stamp──▶ listed again
 *      ▲                                             │
 *      └──── anything that may have been missed ─────┘
 *
 * The stamp does not change when an existing file is overwritten in place. Only events report that, until the next listing
 * that compares all.
 */
export class DirectoryCache {
  #directories = new Map<string, Directory>();
  #forgotten = 0;

  get isEmpty(): boolean {
    return this.#directories.size === 0;
  }

  /** Call it when a change may have been missed: the next listing compares everything, and a running one is not cached. */
  forget(): void {
    this.#directories = new Map();
    this.#forgotten += 1;
  }

  /** `comparesAll`: no directory is skipped. */
  lookOver(comparesAll: boolean): LookOver {
    const before = this.#directories;
    const forgotten = this.#forgotten;
    const now = new Map<string, Directory>();
    return {
      passesOver: (dir, stamp) => {
        const known = comparesAll || forgotten !== this.#forgotten ? undefined : before.get(dir);
        if (known?.stamp !== stamp) return null;
        now.set(dir, known);
        return known.directories;
      },
      listed: (dir, stamp, directories) => now.set(dir, { stamp, directories }),
      doubt: (dir) => now.delete(dir),
      over: () => {
        if (forgotten === this.#forgotten)
          this.#directories = now.size > DIRECTORIES_AT_MOST ? new Map() : now;
      },
    };
  }
}
