import type { DocumentState, EndpointKey } from '../domain/document.ts';
import type { FileSeen } from './ledgerIntake.ts';

/** A file whose pages are to be admitted, as it was seen. */
export interface SplitPlan {
  readonly endpoint: EndpointKey;
  readonly file: FileSeen;
  /** Hash of the file. */
  readonly sha256: string;
  readonly at: number;
  /** See `Admission`. */
  readonly isElsewhere?: boolean;
}

/** A split in progress. `id` is the file's. */
export interface Split extends Omit<SplitPlan, 'at' | 'isElsewhere'> {
  readonly id: number;
}

/** The verdict on a page. */
export interface SplitPage {
  readonly page: number;
  readonly verdict: 'document' | 'duplicate' | 'rejected';
  /** Hash of its image; null without one. */
  readonly sha256: string | null;
  /** State of its document. */
  readonly state: DocumentState | null;
  readonly reason: string | null;
}

/**
 * Splitting a file is recorded in steps: the file, each page (`admit` or `notePage`), the end. An unfinished split survives a crash
 * until it is ended, even if the file has gone.
 */
export interface LedgerPages {
  /**
   * Begins or resumes splitting this file. Null: the same bytes at the same path were split before, and every page is in place; only
   * the file's times are updated.
   */
  beginSplit(plan: SplitPlan): Promise<Split | null>;
  /** Unfinished splits by id after `afterId`, in folders that this agent can reach. */
  openSplits(afterId: number, limit: number): Promise<readonly Split[]>;
  /** Pages of a split that have a verdict. */
  splitPages(id: number): Promise<readonly SplitPage[]>;
  /** Documents in the endpoint from pages of any file with these bytes; at most one per page. */
  pagesOfBytes(endpoint: EndpointKey, sha256: string): Promise<readonly SplitPage[]>;
  /** Records a page that can't be sent. Idempotent. */
  notePage(split: Split, page: number, note: PageNote): Promise<void>;
  /** Ends a split: every page has a verdict, or the file is given up. Idempotent. */
  endSplit(split: Split, end: SplitEnd): Promise<void>;
}

export interface PageNote {
  readonly reason: string;
  readonly message: string;
  readonly at: number;
}

export interface SplitEnd {
  readonly at: number;
  /** Number of pages; 0 if unknown. */
  readonly pages: number;
  /** Why some pages were not sent; null if all were, or only blank ones were not. */
  readonly reason: string | null;
  /** For people; null: every page is a document, and there is nothing else to say. */
  readonly message: string | null;
  readonly policy: string | null;
}
