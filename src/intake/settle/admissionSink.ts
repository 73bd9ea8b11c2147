import type { FileIdentity } from '../../core/domain/document.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import type { FileNote } from '../../core/ports/ledgerIntake.ts';
import type { Candidate } from './admit.ts';

/** A file that is not sent, and why. */
export interface FileVerdict {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly verdict: FileNote['verdict'];
  readonly reason: string;
  readonly message: string;
}

/** Takes files that are split into pages (../pages). */
export interface PageSink {
  /** Takes a file; durable once it resolves to true. False: there is no room for it now. */
  take(file: Omit<Candidate, 'type'>, settings: FolderSettings): Promise<boolean>;
  /** Resumes work: there may be files to split. */
  wake(): void;
}

/**
 * Takes the files of one folder once they have stopped changing: the ledger (ledgerSink.ts), or its stand-in while a shared
 * ledger is unreachable (../offline).
 */
export interface AdmissionSink {
  /** Whether files can be taken now. If not, all files wait, since each would fail the same way. */
  readonly isOpen: boolean;
  /** Calls back whenever `isOpen` may have changed. Returns a function that ends this. */
  onChange(listener: () => void): () => void;
  /** Whether an image of that many bytes could be taken; if not, it is not even read and stays in its folder. */
  hasRoom(bytes: number): boolean;
  /** Takes an image; durable once it resolves to true. False: there is no room for it now. */
  admit(image: Candidate): Promise<boolean>;
  /** Takes a file to split into pages. Resolves like `admit`. */
  takeApart(file: Omit<Candidate, 'type'>): Promise<boolean>;
  /** Records the verdict on a file that is not sent. True once it is in the ledger, where people can read it. */
  note(verdict: FileVerdict): Promise<boolean>;
  /** The file no longer exists. */
  gone(path: string): Promise<void>;
  /** Whether the file was known: then its absence may mean that the folder itself is away. */
  knows(path: string): Promise<boolean>;
  /** Whether `error` concerns this sink only: the file is retried, and may go to another sink then. */
  isOwnTrouble(error: unknown): boolean;
}
