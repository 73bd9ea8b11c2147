import type { FileIdentity } from '../domain/document.ts';

/** A name in a listing that passed the folder's include and ignore patterns. */
export interface ListedFile {
  /** Relative to the watched folder, with `/` between segments. */
  readonly path: string;
}

export interface ListedDirectory {
  /** Relative to the watched folder; '' is the folder itself. */
  readonly dir: string;
  /** In the order of their bytes (`core/domain/byteOrder.ts`), also from one batch of a directory to its next. */
  readonly files: readonly ListedFile[];
  /** Paths whose name is not valid UTF-8, each shown as no other in its directory; such a file can't be opened. */
  readonly badNames?: readonly string[];
  /**
   * Differs from another one of the same directory if an entry was created, renamed or deleted in it between the two; not
   * there where that can't be told. Only if `list` was asked to pass over, and with the first batch, like `directories`.
   */
  readonly stamp?: string;
  /** Those in it that are listed too. */
  readonly directories?: readonly string[];
  /** It was passed over: its files are not told. */
  readonly isUnchanged?: boolean;
  /** Directories that could not be read: what lies below them is unknown, not gone. */
  readonly unreadableDirs?: readonly { readonly path: string; readonly code: string }[];
}

export type FolderAvailability =
  | {
      readonly state: 'present';
      /** Changes when the folder is replaced by another. */ readonly token: string;
      readonly fileSystem: FileSystem;
    }
  | {
      /** `unreachable`: its share or disk does not answer or is not there; nothing in it is gone for that. */
      readonly state: 'missing' | 'notADirectory' | 'unreadable' | 'unreachable';
      readonly message: string;
    };

export interface FileSystem {
  /** For people: ext4, nfs, smb, fuse, ... */
  readonly name: string;
  /** Raises no events for what others change, may vanish and come back, and has inodes that mean nothing. */
  readonly network: boolean;
  /** Tells one file system from another; the same after a share was mounted again. */
  readonly mark: string;
}

export type FileStat =
  { readonly kind: 'file'; readonly identity: FileIdentity } | { readonly kind: 'other' };

export type FileRead =
  /** The bytes, and proof that nothing changed while they were read. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly identity: FileIdentity }
  | { readonly kind: 'changed' | 'gone' | 'tooLarge' }
  | { readonly kind: 'unreadable'; readonly code: string };

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Bytes that it was last seen to have: a large file may be read in another thread for it, and is `changed` if it has others. */
  readonly size?: number | undefined;
}

/**
 * Reads a file of `size` bytes whole, in another thread; `take` gives memory for it. Null where it is better read here, or
 * has to be. Never rejects for what is wrong with the file.
 */
export type ReadBeside = (
  file: string,
  size: number,
  take: (size: number) => Buffer,
) => Promise<FileRead | null>;

/**
 * One watched folder. Reading operations are idempotent and never follow symbolic links; nothing but
 * `setAside`, `putBack`, `archive` and `discard` changes the folder.
 */
export interface WatchedFolder {
  readonly path: string;
  availability(): Promise<FolderAvailability>;
  /**
   * Batches of files, one directory at a time ('' is the folder itself), one batch at least of each, the whole tree if
   * recursive. Rejects with the system error where the folder itself can't be listed: an unreachable folder is not an empty one.
   * `passesOver` is told the stamp of a directory before that is read, and resolves the directories in it if it need not be.
   */
  list(
    under?: string,
    signal?: AbortSignal,
    passesOver?: (dir: string, stamp: string) => readonly string[] | null,
  ): AsyncIterable<ListedDirectory>;
  /** Whether include and ignore patterns, and `recursive`, let this path in. */
  covers(path: string): boolean;
  /** Null when there is nothing at that path. Rejects with the system error where that can't be told. */
  stat(path: string): Promise<FileStat | null>;
  /** The same of each of these names of one directory, in their order; undefined where the system won't say. */
  statEach(dir: string, names: readonly string[]): Promise<readonly (FileStat | null | undefined)[]>;
  /** Reads a file whole if it is at most `limit` bytes. */
  read(path: string, limit: number, options?: ReadOptions): Promise<FileRead>;
  /** Renames the file within its directory to a hidden name that is never listed; resolves that name. */
  setAside(path: string): Promise<string>;
  /** Undoes `setAside`. If the old name is taken by now, a free name beside it is used; resolves the name used. */
  putBack(aside: string, path: string): Promise<string>;
  /** Moves an aside file into the archive, never overwriting; resolves the absolute path it has there. */
  archive(aside: string, path: string): Promise<string>;
  /**
   * Where an archive holds the file that `archive` was about to move from `path`: the absolute path of one with that
   * size and hash, null if there is none.
   */
  findArchived(path: string, size: number, sha256: string): Promise<string | null>;
  /** Deletes an aside file. */
  discard(aside: string): Promise<void>;
  /** Aside files that a crash left behind, with the path each had. */
  leftAside(signal?: AbortSignal): Promise<readonly { readonly aside: string; readonly path: string }[]>;
}

/** The process that takes in a folder. */
export interface FolderHolder {
  readonly pid: number;
  readonly user: string;
  readonly stateDir: string;
}

/** `by` is null where the other one does not say who it is. */
export type FolderLook =
  { readonly kind: 'free' } | { readonly kind: 'taken'; readonly by: FolderHolder | null };

/**
 * Keeps two agents on one machine from taking in the same folder: each would name and send everything in it. A folder is told
 * by the token of its availability.
 */
export interface FolderClaims {
  /** Ends with the process at the latest. */
  hold(
    token: string,
  ): Promise<
    { readonly kind: 'held'; release(): Promise<void> } | Extract<FolderLook, { readonly kind: 'taken' }>
  >;
  /** As `hold`, without trying to. */
  look(token: string): Promise<FolderLook>;
  /** Whether the folder was another agent's when this one last looked, in a former run if need be. */
  wasOthers(path: string): Promise<boolean>;
  /** For `wasOthers`. Idempotent; where it can't be written, it is known for this run only. */
  rememberOthers(path: string, isOthers: boolean): Promise<void>;
}

/** Events are hints that make things fast; the listing is the truth. */
export interface FolderHints {
  /**
   * Calls `onHint` with a path (or the directory, when no file is named) that may have changed. Missing hints
   * are expected; so are false ones. `isDirectory` where a directory was seen under that path. `onTrouble` says that hints are not to be relied on from now on.
   * Resolves when watching; `close` ends it.
   */
  watch(
    path: string,
    recursive: boolean,
    onHint: (path: string, isDirectory?: boolean) => void,
    onTrouble: (error: Error) => void,
  ): Promise<{ close(): Promise<void> }>;
}
