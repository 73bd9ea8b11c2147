import type { DocumentState, EndpointKey } from '../domain/document.ts';
import type { FileSeen } from './ledgerIntake.ts';

/** A file whose pages are to be admitted, as it lay there. */
export interface SplitPlan {
  readonly endpoint: EndpointKey;
  readonly file: FileSeen;
  /** Of the file. */
  readonly sha256: string;
  readonly at: number;
  /** See `Admission`. */
  readonly isElsewhere?: boolean;
}

/** The same, under way. The number is that of its sighting. */
export interface Split extends Omit<SplitPlan, 'at' | 'isElsewhere'> {
  readonly id: number;
}

/** What became of a page. */
export interface SplitPage {
  readonly page: number;
  readonly verdict: 'document' | 'duplicate' | 'rejected';
  /** Of its image; null where there is none. */
  readonly sha256: string | null;
  /** Of its document. */
  readonly state: DocumentState | null;
  readonly reason: string | null;
}

/**
 * A file of pages is recorded first, then its pages one by one (`admit`, or `notePage`), then its end. What was begun is there after a crash
 * until it is ended, whatever became of the file meanwhile.
 */
export interface LedgerPages {
  /**
   * Records that this file is taken apart, or goes on to be. Null: that has been done with the same bytes at the same path, and every page
   * is where it should be; nothing changes but the file's times.
   */
  beginSplit(plan: SplitPlan): Promise<Split | null>;
  /** Begun and not ended, in their order, after that number. Of folders that this agent reaches. */
  openSplits(afterId: number, limit: number): Promise<readonly Split[]>;
  /** Pages of one that are decided. */
  splitPages(id: number): Promise<readonly SplitPage[]>;
  /** Documents that the pages of a file with these bytes have in the endpoint, whatever file that was: one for each page at most. */
  pagesOfBytes(endpoint: EndpointKey, sha256: string): Promise<readonly SplitPage[]>;
  /** A page that can't be sent. Idempotent. */
  notePage(split: Split, page: number, note: PageNote): Promise<void>;
  /** Every page is decided, or it is given up. Idempotent. */
  endSplit(split: Split, end: SplitEnd): Promise<void>;
}

export interface PageNote {
  readonly reason: string;
  readonly message: string;
  readonly at: number;
}

export interface SplitEnd {
  readonly at: number;
  /** How many there are; 0: not known. */
  readonly pages: number;
  /** Why not all of it was sent; null where all was. */
  readonly reason: string | null;
  readonly message: string | null;
  readonly policy: string | null;
}
