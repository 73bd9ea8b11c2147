/** One file of ours in a folder for people; what is left of it is known by name, size and time. */
export interface AttentionFile {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface NewAttention {
  /** As the copy should be called; a free name like it is taken. The note has that name and a fixed ending. */
  readonly name: string;
  /** Null: there is a note only. */
  readonly copy: Uint8Array | null;
  readonly note: string;
}

/** Both files, written and not to be seen yet. */
export interface PreparedAttention {
  readonly files: readonly AttentionFile[];
  /** Hidden names, of the same order. */
  readonly hidden: readonly string[];
}

/**
 * The folder in which people at the scanner find what can't be sent (`folders[].needsAttention`). What lies in it and is
 * not of this agent is never touched, and nothing is ever overwritten. All reject with the system's error where the folder
 * can't be written; each may be done again.
 */
export interface AttentionFolder {
  readonly path: string;
  /** False: it is not there. */
  isThere(): Promise<boolean>;
  /**
   * Makes the folder if only its last part is missing, for those who may write the watched folder too. Resolves how to know
   * it again; null if it was there.
   */
  make(): Promise<string | null>;
  /** Removes the folder if it is the one that was made, and nothing lies in it. */
  unmake(made: string): Promise<void>;
  /** Both files under hidden names; the names that they are to have are free. */
  prepare(wanted: NewAttention): Promise<PreparedAttention>;
  /** Gives them their names. False if one is taken by now: then there is nothing of them. */
  publish(prepared: PreparedAttention): Promise<boolean>;
  /** Those that are as they were made; others are somebody else's by now. */
  remove(files: readonly AttentionFile[]): Promise<void>;
  /** How many are as they were made. */
  count(files: readonly AttentionFile[]): Promise<number>;
  /** What a kill left under hidden names. */
  sweep(): Promise<void>;
}

/** What lies in a folder for people, and for which file it was made. */
export interface AttentionEntry {
  /** Relative to the watched folder. */
  readonly path: string;
  /** Which sighting, and what is wrong with it: another one is another entry. */
  readonly about: string;
  readonly files: readonly AttentionFile[];
  /** Not known to have their names yet. */
  readonly isPending: boolean;
}

/** Which watched folder has its entries where; both absolute. */
export interface AttentionKey {
  readonly folder: string;
  readonly place: string;
}

/** All that is remembered of a folder for people. */
export interface AttentionPage {
  readonly entries: readonly AttentionEntry[];
  /** The folder that the agent made, as `make` resolved it. */
  readonly made: string | null;
}

/** Remembers them. Writes are durable when they resolve. */
export interface AttentionBook {
  read(key: AttentionKey): Promise<AttentionPage>;
  write(key: AttentionKey, page: AttentionPage): Promise<void>;
  /** Those of which anything is remembered. */
  keys(): Promise<readonly AttentionKey[]>;
}
