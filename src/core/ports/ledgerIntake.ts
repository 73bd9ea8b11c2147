import type { Document, EndpointKey, FileIdentity, FileRef, Lane, Verdict } from '../domain/document.ts';
import type { ImageType } from '../domain/imageType.ts';
import type { Remark } from '../domain/look.ts';
import type { Naming } from '../domain/naming.ts';

export interface FileSeen extends FileRef {
  readonly identity: FileIdentity;
}

/** What the ledger knows of the file that is at a path now. */
export interface KnownFile {
  /** The number of its sighting: a later one has a higher number. */
  readonly sighting: number;
  readonly identity: FileIdentity;
  readonly verdict: Verdict;
  /** The configuration that the verdict depended on; a verdict under another policy is judged again. */
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
   * The first of its names that this endpoint never issued is taken. The endpoint's next sequence number is consumed only
   * where it is part of them.
   */
  readonly naming: Naming;
  /**
   * Its file counts as gone from the folder as it lies there now, from the same commit on: it was seen there on another file system, and is no
   * sign of where the folder belongs.
   */
  readonly isElsewhere?: boolean;
  /**
   * The image is a page of a file that `beginSplit` recorded: `file` is the place of the page (core/domain/pages.ts) and the identity of its
   * file, but with its own size. It counts as gone from there, since no file has such a place.
   */
  readonly page?: { readonly split: number; readonly page: number };
  /** What people are told about the image although it is sent. */
  readonly remark?: Remark | null;
}

export type Admitted =
  /** A new document. */
  | { readonly kind: 'queued'; readonly document: Document }
  /** Known under another path, or again under a path that held something else meanwhile. */
  | { readonly kind: 'duplicate'; readonly document: Document }
  /** Known as failed or lost: queued again under its name. */
  | { readonly kind: 'requeued'; readonly document: Document }
  /** The same bytes at the same path; only the file's metadata had changed. */
  | { readonly kind: 'known'; readonly document: Document };

export interface Note {
  readonly verdict: Exclude<Verdict, 'document' | 'duplicate' | 'split'>;
  readonly reason: string;
  readonly message: string;
  readonly sha256: string | null;
  readonly policy: string | null;
  readonly at: number;
}

export interface LedgerIntake {
  /**
   * The folder is watched from now on, and these files in it are not to be sent. What is a document or a duplicate already, as it lies
   * there, stays one. A crash in between leaves the folder as one that was never watched.
   */
  markWatched(folder: string, skipped: readonly FileSeen[], note: Omit<Note, 'verdict'>): Promise<void>;
  known(file: FileRef): Promise<KnownFile | null>;
  /** The highest number once all writes that were asked for before are durable: what comes after it was asked for later. */
  lastSighting(): Promise<number>;
  /** The file system that the folder lay on when its known files were last seen; null before that. */
  folderMark(folder: string): Promise<string | null>;
  /** Idempotent. Part of the journal: a ledger that is recreated knows it. */
  setFolderMark(folder: string, mark: string, at: number): Promise<void>;
  /** In the place of the mark for the time being. Not part of the journal: who doubted once doubts again. Idempotent. */
  doubtFolderMark(folder: string, doubt: string): Promise<void>;
  /** What is known of these files of one directory of a folder, by file name. Names in the order of their bytes cost least. */
  knownIn(folder: string, dir: string, names: readonly string[]): Promise<ReadonlyMap<string, KnownFile>>;
  /**
   * The current files of one directory whose names come after `after` ('' for all) and not after `upTo` (null: no end), in
   * the order of their bytes and `limit` of them at most.
   */
  knownFrom(
    folder: string,
    dir: string,
    span: { readonly after: string; readonly upTo: string | null },
    limit: number,
  ): Promise<readonly NamedFile[]>;
  /** Names of the current files of one directory, in batches and in the order of their bytes; to find those that are gone. */
  namesIn(folder: string, dir: string): AsyncIterable<readonly string[]>;
  /** Directories at or below `under` that have current files; '' is the folder itself. */
  dirs(folder: string, under: string): Promise<readonly string[]>;
  /** Idempotent by (endpoint, sha256, file). A new identity under an old path becomes a new sighting. */
  admit(admission: Admission): Promise<Admitted>;
  /** Records what was decided about a file that is not (or not yet) a document. Idempotent. */
  note(file: FileSeen, note: Note): Promise<void>;
  /** These files are not at their paths any more. Idempotent. */
  gone(folder: string, paths: readonly string[], at: number): Promise<void>;
}
