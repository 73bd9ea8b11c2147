import type { FileSeen } from './ledgerIntake.ts';
import type { OriginalsRule } from './ledgerReports.ts';

export interface Disposal {
  readonly sightingId: number;
  readonly file: FileSeen;
  readonly sha256: string;
}

export interface DisposalQuery {
  readonly afterSightingId: number;
  readonly limit: number;
  /** Of the rule that is in force. */
  readonly stays: number;
  /** Only of documents that the service has given one of these; null: acceptance is enough. */
  readonly statuses: readonly string[] | null;
}

/** A disposal that was begun; a crash may have come between the file and the ledger. */
export interface BegunDisposal extends Disposal {
  readonly how: 'archived' | 'deleted';
}

/** Originals of accepted documents: which may go, and what was done with them. */
export interface LedgerDisposals {
  /**
   * Sets another rule: what has been seen by now stays (`leave`), or is disposed of like all that comes (`include`), or, in a folder that is
   * `new`, stays where it was seen before anything was seen in this folder. Part of the journal. Nothing changes where the rule is this
   * one already. Resolves the rule in force.
   */
  setOriginalsRule(
    folder: string,
    rule: string,
    existing: 'leave' | 'include' | 'new',
    at: number,
  ): Promise<OriginalsRule>;
  /** Files of accepted documents (and their duplicates) that are where they were, and not to stay; oldest first. */
  toDispose(folder: string, query: DisposalQuery): Promise<readonly Disposal[]>;
  /** Says durably what is about to be done with a file, before it is touched; null takes it back. */
  disposing(sightingId: number, how: 'archived' | 'deleted' | null, at: number): Promise<void>;
  /** Disposals that were begun and not ended, of one folder. */
  begunDisposals(folder: string): Promise<readonly BegunDisposal[]>;
  /** Ends a disposal. */
  disposed(
    sightingId: number,
    how: 'archived' | 'deleted',
    archivedTo: string | null,
    at: number,
  ): Promise<void>;
  /**
   * The file of this disposal held other bytes than were sent, and stays. Nothing changes where the bytes that were sent have been seen at
   * its place since it was listed by `toDispose`: that file may go.
   */
  keepOriginal(disposal: Pick<Disposal, 'sightingId' | 'file'>, at: number): Promise<void>;
}
