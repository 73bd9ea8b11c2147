/** An image of a piece of paper. */
export interface PaperImage {
  /** Of the image. */
  readonly sha256: string;
  /** What the paper looks like (core/domain/look.ts). */
  readonly print: string;
}

/** One that was scanned before. */
export interface EarlierScan {
  readonly sha256: string;
  /** When it was taken in. */
  readonly at: number;
}

/**
 * What the papers looked like that were scanned into each folder of late, by which one is known that is scanned twice. Kept as well as can be: what
 * is forgotten costs a remark, nothing else. Nothing here rejects.
 */
export interface ScannedPapers {
  /** Other images of that folder which look like the same paper; the most alike first. */
  alike(folder: string, image: PaperImage): Promise<readonly EarlierScan[]>;
  remember(folder: string, image: PaperImage): Promise<void>;
}
