import type { AwayFact } from '../../texts/en/away.ts';
import type { FolderHolder } from '../../texts/facts.ts';
import type { FileIdentity } from '../domain/document.ts';

/** A name in a listing that passed the folder's include and ignore patterns. */
export interface ListedFile {
  /** Relative to the watched folder, with `/` between segments. */
  readonly path: string;
}

export interface ListedDirectory {
  /** Relative to the watched folder; '' is the folder itself. */
  readonly dir: string;
  /** Sorted by bytes (`core/domain/byteOrder.ts`), also across the batches of a directory. */
  readonly files: readonly ListedFile[];
  /** Paths whose name is not valid UTF-8, each in a form unique in its directory; such files can't be opened. */
  readonly badNames?: readonly string[];
  /** Number of symbolic links that match the patterns, if there are any; they are not followed. Only in the first batch. */
  readonly links?: number;
  /**
   * Changes when an entry of the directory is created, renamed or deleted; left out if the file system can't tell.
   * Like `directories`, only with `passesOver`, and only in the first batch.
   */
  readonly stamp?: string;
  /** Its subdirectories that are listed too. */
  readonly directories?: readonly string[];
  /** The directory was skipped as unchanged: its files are not listed. */
  readonly isUnchanged?: boolean;
  /** Directories that could not be read: their contents are unknown, not gone. */
  readonly unreadableDirs?: readonly { readonly path: string; readonly code: string }[];
}

export type FolderAvailability =
  | {
      readonly state: 'present';
      /** Changes when the folder is replaced by another. */ readonly token: string;
      readonly fileSystem: FileSystem;
    }
  | {
      /** `unreachable`: its share or disk is missing or does not answer; its files do not count as gone. */
      readonly state: 'missing' | 'notADirectory' | 'unreadable' | 'unreachable';
      readonly why: AwayFact;
    };

export interface FileSystem {
  /** For people: ext4, nfs, smb, fuse, ... */
  readonly name: string;
  /** No events for changes by other machines, may vanish and return, and inode numbers are meaningless. */
  readonly network: boolean;
  /** Identifies the file system; survives a remount of a share. */
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
  /** Last known size: lets a large file be read in another thread; a file of another size is `changed`. */
  readonly size?: number | undefined;
}

/**
 * Reads a whole file of `size` bytes in another thread, into memory from `take`. Resolves null if the caller should read it
 * itself. Never rejects because of the file.
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
   * Batches of files, one directory at a time ('' is the folder itself), at least one batch each, the whole tree if
   * recursive. Rejects with the system error if the folder itself can't be listed: an unreachable folder is not an empty one.
   * `passesOver` gets a directory's stamp before it is read; to skip reading it, return its known subdirectories.
   */
  list(
    under?: string,
    signal?: AbortSignal,
    passesOver?: (dir: string, stamp: string) => readonly string[] | null,
  ): AsyncIterable<ListedDirectory>;
  /**
   * Names of subfolders that are not watched, although the patterns admit them and they hold images, as their endings say. Only some
   * subfolders and entries are looked at; none if the folder is recursive. Rejects with the system error if the folder can't be listed.
   */
  unwatched(): Promise<readonly string[]>;
  /** Whether the include and ignore patterns and `recursive` admit this path. */
  covers(path: string): boolean;
  /** Null if nothing exists at that path. Rejects with the system error if that is unknown. */
  stat(path: string): Promise<FileStat | null>;
  /** `stat` of several names in one directory, in their order; undefined for a name if the system reports an error. */
  statEach(dir: string, names: readonly string[]): Promise<readonly (FileStat | null | undefined)[]>;
  /** Reads a file whole if it is at most `limit` bytes. */
  read(path: string, limit: number, options?: ReadOptions): Promise<FileRead>;
  /**
   * The system's error code if files can't leave the folder, or can't be created in the archive (`to`); null if both can. Lasts as long
   * as the archive's disk hangs.
   */
  unwritable(to: 'archive' | 'nowhere'): Promise<string | null>;
  /** Renames the file within its directory to a hidden name that is never listed; resolves that name. */
  setAside(path: string): Promise<string>;
  /** Undoes `setAside`. If the old name has been taken meanwhile, uses a similar free one; resolves the name used. */
  putBack(aside: string, path: string): Promise<string>;
  /** Moves an aside file into the archive, never overwriting; resolves its absolute path there. */
  archive(aside: string, path: string): Promise<string>;
  /**
   * Finds the file that an interrupted `archive` may have moved from `path`: the absolute path of a file in the archive with
   * that size and hash, null if there is none.
   */
  findArchived(path: string, size: number, sha256: string): Promise<string | null>;
  /** Deletes an aside file. */
  discard(aside: string): Promise<void>;
  /** Aside files that a crash left behind, with their original paths. */
  leftAside(signal?: AbortSignal): Promise<readonly { readonly aside: string; readonly path: string }[]>;
}

export type { FolderHolder };

/** `by` is null if the holder does not identify itself. */
export type FolderLook =
  { readonly kind: 'free' } | { readonly kind: 'taken'; readonly by: FolderHolder | null };

/**
 * Keeps two agents on one machine from taking in the same folder: each would name and send everything in it. A folder is
 * identified by the token of its availability.
 */
export interface FolderClaims {
  /** Ends with the process at the latest. */
  hold(
    token: string,
  ): Promise<
    { readonly kind: 'held'; release(): Promise<void> } | Extract<FolderLook, { readonly kind: 'taken' }>
  >;
  /** Whether `hold` would succeed, without taking the claim. */
  look(token: string): Promise<FolderLook>;
  /** Whether another agent held the folder when this one last looked, even in an earlier run. */
  wasOthers(path: string): Promise<boolean>;
  /** Stores the answer of `wasOthers`. Idempotent; lasts for this run only if it can't be written. */
  rememberOthers(path: string, isOthers: boolean): Promise<void>;
}

/** File system events are hints for speed; only a listing is reliable. */
export interface FolderHints {
  /**
   * Calls `onHint` with a path that may have changed (or the directory, if the event names no file). Hints may be missing
   * or false. `isDirectory` if the path was seen to be a directory. `onTrouble` means that hints have become unreliable.
   * Resolves when watching; `close` ends it.
   */
  watch(
    path: string,
    recursive: boolean,
    onHint: (path: string, isDirectory?: boolean) => void,
    onTrouble: (error: Error) => void,
  ): Promise<{ close(): Promise<void> }>;
}
