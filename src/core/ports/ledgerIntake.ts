import type { Document, EndpointKey, FileIdentity, FileRef, Lane, Verdict } from '../domain/document.ts';
import type { ImageType } from '../domain/imageType.ts';
import type { Naming } from '../domain/naming.ts';

export interface FileSeen extends FileRef {
  readonly identity: FileIdentity;
}

/** What the ledger knows about the current file at a path. */
export interface KnownFile {
  /** Later files have higher ids. */
  readonly fileId: number;
  readonly identity: FileIdentity;
  readonly verdict: Verdict;
  /** The configuration that the verdict depended on; if it has changed, the file is judged again. */
  readonly policy: string | null;
}

export interface NamedFile extends KnownFile {
  readonly name: string;
}

export interface Admission {
  readonly endpoint: EndpointKey;
  readonly file: FileSeen;
  readonly sha256: string;
  readonly type: ImageType;
  readonly lane: Lane;
  readonly at: number;
  /**
   * Candidate names: the first that the endpoint never issued is used. The endpoint's next sequence number is consumed only
   * if they contain it.
   */
  readonly naming: Naming;
  /**
   * The file counts as gone from the folder from the same commit on: it was seen there on another file system, and says nothing
   * about the one the folder belongs on.
   */
  readonly isElsewhere?: boolean;
  /**
   * The image is a page of a file that `beginSplit` recorded: `file` has the page's pseudo-path (core/domain/pages.ts) and its file's
   * identity, but the page's size. It counts as gone, since no real file has that path.
   */
  readonly page?: { readonly split: number; readonly page: number };
  /** A remark to people about an image that is sent all the same. */
  readonly remark?: { readonly reason: string; readonly message: string } | null;
}

export type Admitted =
  /** A new document. */
  | { readonly kind: 'queued'; readonly document: Document }
  /** Known from another path, or back at a path that held something else meanwhile. */
  | { readonly kind: 'duplicate'; readonly document: Document }
  /** Known as failed or lost: queued again under the same name. */
  | { readonly kind: 'requeued'; readonly document: Document }
  /** The same bytes at the same path; only the file's metadata changed. */
  | { readonly kind: 'known'; readonly document: Document };

export interface FileNote {
  readonly verdict: Exclude<Verdict, 'document' | 'duplicate' | 'split'>;
  readonly reason: string;
  readonly message: string;
  readonly sha256: string | null;
  readonly policy: string | null;
  readonly at: number;
}

export interface LedgerIntake {
  /**
   * Marks the folder as watched, and these files as not to be sent. A file that already is a document or a duplicate, unchanged,
   * stays one. After a crash in between, the folder counts as never watched.
   */
  markWatched(folder: string, skipped: readonly FileSeen[], note: Omit<FileNote, 'verdict'>): Promise<void>;
  known(file: FileRef): Promise<KnownFile | null>;
  /** The highest id of a file once all earlier writes are durable: higher ids belong to later writes. */
  lastFile(): Promise<number>;
  /** The file system that the folder was on when its known files were last seen; null before that. */
  folderMark(folder: string): Promise<string | null>;
  /** Idempotent. Part of the journal, so a rebuilt ledger has it. */
  setFolderMark(folder: string, mark: string, at: number): Promise<void>;
  /** Replaces the mark until it is confirmed. Idempotent. */
  doubtFolderMark(folder: string, doubt: string): Promise<void>;
  /** Known files among these names in one directory, by name. Fastest if the names are sorted by bytes. */
  knownIn(folder: string, dir: string, names: readonly string[]): Promise<ReadonlyMap<string, KnownFile>>;
  /**
   * The current files of one directory whose names come after `after` ('' for all) and not after `upTo` (null: no end),
   * sorted by bytes, at most `limit`.
   */
  knownFrom(
    folder: string,
    dir: string,
    span: { readonly after: string; readonly upTo: string | null },
    limit: number,
  ): Promise<readonly NamedFile[]>;
  /** Names of the current files of one directory, in batches sorted by bytes; for finding those that are gone. */
  namesIn(folder: string, dir: string): AsyncIterable<readonly string[]>;
  /** Directories at or below `under` that have current files; '' is the folder itself. */
  dirs(folder: string, under: string): Promise<readonly string[]>;
  /** Idempotent by (endpoint, sha256, file). A new identity under an old path becomes a new file. */
  admit(admission: Admission): Promise<Admitted>;
  /** Records the verdict on a file that is not (or not yet) a document. Idempotent. */
  note(file: FileSeen, note: FileNote): Promise<void>;
  /** Records that these files are no longer at their paths. Idempotent. */
  gone(folder: string, paths: readonly string[], at: number): Promise<void>;
}
