import type { FileIdentity } from '../../core/domain/document.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import type { Note } from '../../core/ports/ledgerIntake.ts';
import type { Candidate } from './admit.ts';

/** A file that is not sent, and why. */
export interface Verdict {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly verdict: Note['verdict'];
  readonly reason: string;
  readonly message: string;
}

/** Where files go that are taken apart (../pages). */
export interface PageSink {
  /** It can't be lost any more once this resolves to true. False: there is no room for it now. */
  take(file: Omit<Candidate, 'type'>, settings: FolderSettings): Promise<boolean>;
  /** There may be files to go on with. */
  wake(): void;
}

/**
 * Where the files of one folder go once they lie still: the ledger (ledgerSink.ts), or what stands in for a shared one while it
 * cannot be reached (../offline).
 */
export interface AdmissionSink {
  /** Whether anything can be taken now. False: every file waits, since each would fail in the same way. */
  readonly isOpen: boolean;
  /** Calls back whenever `isOpen` may have changed, until what it returns is called. */
  onChange(listener: () => void): () => void;
  /** Whether an image of that many bytes may be read at all; false while it would have to stay in its folder. */
  hasRoom(bytes: number): boolean;
  /** Takes an image; durable once it resolves to true. False: there is no room for it now. */
  admit(image: Candidate): Promise<boolean>;
  /** Takes a file whose pages are to be sent; the same of it, as a file. */
  takeApart(file: Omit<Candidate, 'type'>): Promise<boolean>;
  /** Takes the verdict on a file that is not sent. True once people can read it in the ledger. */
  note(verdict: Verdict): Promise<boolean>;
  /** A file is not there any more. */
  gone(path: string): Promise<void>;
  /** Whether a file was known, so that its absence says something of the folder. */
  knows(path: string): Promise<boolean>;
  /** Whether `error` is trouble of this sink alone: the file is tried again, and may then go elsewhere. */
  isOwnTrouble(error: unknown): boolean;
}
