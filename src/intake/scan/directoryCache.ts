/** So many are remembered at most: beyond that every listing compares everything. */
const DIRECTORIES_AT_MOST = 20_000;

interface Directory {
  readonly stamp: string;
  /** The directories in it. */
  readonly directories: readonly string[];
}

/** What one listing of the whole folder says of directories. */
export interface LookOver {
  /** The directories in one that is as it was; null if it has to be listed. */
  passesOver(dir: string, stamp: string): readonly string[] | null;
  listed(dir: string, stamp: string, directories: readonly string[]): void;
  /** A file in it could not be compared. */
  doubt(dir: string): void;
  /** It came to its end. */
  over(): void;
}

/**
 * Directories of one folder in which no file was created, replaced or deleted since all of them were compared with the
 * ledger, or taken into settling:
 *
 *   unknown ──listed, with a stamp that counts──▶ unchanged ──another stamp──▶ listed again
 *      ▲                                             │
 *      └──── anything that may have been missed ─────┘
 *
 * What a file that is there is overwritten with is told of by events alone, until the next listing that compares all.
 */
export class DirectoryCache {
  #directories = new Map<string, Directory>();
  #forgotten = 0;

  get isEmpty(): boolean {
    return this.#directories.size === 0;
  }

  /** Something may have been missed: everything is compared at the next listing, and one under way does not count. */
  forget(): void {
    this.#directories = new Map();
    this.#forgotten += 1;
  }

  /** `comparesAll`: passes nothing over. */
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
