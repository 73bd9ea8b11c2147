/** An image of a piece of paper. */
export interface PaperImage {
  /** Hash of the image. */
  readonly sha256: string;
  /** Fingerprint of the paper's appearance (core/domain/look.ts). */
  readonly print: string;
}

/** A paper scanned earlier. */
export interface EarlierScan {
  readonly sha256: string;
  /** When the agent took it in. */
  readonly at: number;
}

/**
 * Appearance of the papers scanned recently into each folder, to notice a paper scanned twice. Best effort: a lost
 * entry only costs a remark. No method rejects.
 */
export interface ScannedPapers {
  /** Other images in that folder that look like the same paper, most similar first. */
  alike(folder: string, image: PaperImage): Promise<readonly EarlierScan[]>;
  remember(folder: string, image: PaperImage): Promise<void>;
}
