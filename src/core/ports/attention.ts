/** A file that the agent wrote to an attention folder. Name, size and time tell whether it is still unchanged. */
export interface AttentionFile {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface NewAttention {
  /** Preferred name of the copy; if taken, a similar free one is used. The note gets that name plus a fixed ending. */
  readonly name: string;
  /** Null: only a note is written. */
  readonly copy: Uint8Array | null;
  readonly note: string;
}

/** Copy and note, written under hidden names. */
export interface PreparedAttention {
  readonly files: readonly AttentionFile[];
  /** Hidden names, in the order of `files`. */
  readonly hidden: readonly string[];
}

/**
 * The folder in which people at the scanner find what can't be sent (`folders[].needsAttention`). The agent never
 * touches files that it did not write, and never overwrites any. All methods reject with the system's error if the folder
 * can't be written, and can be retried.
 */
export interface AttentionFolder {
  readonly path: string;
  /** Whether the folder exists. */
  isThere(): Promise<boolean>;
  /** The system's error code if the folder can't be written, or created; null if it can. */
  unwritable(): Promise<string | null>;
  /**
   * Creates the folder if only its last segment is missing, with the permissions of the watched folder. Resolves a token by
   * which `unmake` recognizes it; null if it existed.
   */
  make(): Promise<string | null>;
  /** Removes the folder if it is empty and the one that `make` created. */
  unmake(made: string): Promise<void>;
  /** Writes both files under hidden names and picks free final names. */
  prepare(wanted: NewAttention): Promise<PreparedAttention>;
  /** Renames both to their final names. False if one has been taken meanwhile; both files are removed then. */
  publish(prepared: PreparedAttention): Promise<boolean>;
  /** Removes those that are unchanged; changed files belong to somebody else now. */
  remove(files: readonly AttentionFile[]): Promise<void>;
  /** How many of them are unchanged. */
  count(files: readonly AttentionFile[]): Promise<number>;
  /** Removes hidden files that a crash left behind. */
  sweep(): Promise<void>;
}

/** Files in an attention folder, and the watched file that they are about. */
export interface AttentionEntry {
  /** Relative to the watched folder. */
  readonly path: string;
  /** The file and what is wrong with it; a different file or problem is a different entry. */
  readonly about: string;
  readonly files: readonly AttentionFile[];
  /** The files may still have their hidden names. */
  readonly isPending: boolean;
}

/** A watched folder and its attention folder; both absolute. */
export interface AttentionKey {
  readonly folder: string;
  readonly place: string;
}

/** Everything remembered about an attention folder. */
export interface AttentionPage {
  readonly entries: readonly AttentionEntry[];
  /** What `make` resolved; null if the agent did not create the folder. */
  readonly made: string | null;
}

/** Remembers the entries of attention folders. Writes are durable when they resolve. */
export interface AttentionBook {
  read(key: AttentionKey): Promise<AttentionPage>;
  write(key: AttentionKey, page: AttentionPage): Promise<void>;
  /** Keys with a remembered page. */
  keys(): Promise<readonly AttentionKey[]>;
}
