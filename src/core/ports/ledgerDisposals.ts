import type { FileSeen } from './ledgerIntake.ts';
import type { OriginalsRule } from './ledgerReports.ts';

export interface Disposal {
  readonly fileId: number;
  readonly file: FileSeen;
  readonly sha256: string;
}

export interface DisposalQuery {
  readonly afterFileId: number;
  readonly limit: number;
  /** `stays` of the current rule. */
  readonly stays: number;
  /** Only documents with one of these statuses from the service; null: acceptance is enough. */
  readonly statuses: readonly string[] | null;
}

/** A disposal that was begun; a crash may have left the file and the ledger out of step. */
export interface BegunDisposal extends Disposal {
  readonly how: 'archived' | 'deleted';
}

/** Originals of accepted documents: which may be archived or deleted, and which were. */
export interface LedgerDisposals {
  /**
   * Changes the rule. Files seen so far stay (`leave`) or are disposed of like later ones (`include`); in a `new` folder, only those
   * stay that were seen before the folder's first file. Part of the journal. No-op if the rule is the same. Resolves the current
   * rule.
   */
  setOriginalsRule(
    folder: string,
    rule: string,
    existing: 'leave' | 'include' | 'new',
    at: number,
  ): Promise<OriginalsRule>;
  /** Files of accepted documents (and their duplicates) still in the folder that the rule disposes of; oldest first. */
  toDispose(folder: string, query: DisposalQuery): Promise<readonly Disposal[]>;
  /** Durably records the intent before the file is touched; null cancels it. */
  disposing(fileId: number, how: 'archived' | 'deleted' | null, at: number): Promise<void>;
  /** Unfinished disposals of one folder. */
  begunDisposals(folder: string): Promise<readonly BegunDisposal[]>;
  /** Records that the disposal is done. */
  disposed(fileId: number, how: 'archived' | 'deleted', archivedTo: string | null, at: number): Promise<void>;
  /**
   * Keeps an original whose bytes differ from those sent. No-op if the sent bytes were seen at its path again after `toDispose`
   * listed it: that file may still be disposed of.
   */
  keepOriginal(disposal: Pick<Disposal, 'fileId' | 'file'>, at: number): Promise<void>;
}
