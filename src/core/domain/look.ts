import type { FolderSettings } from './settings.ts';
import type { Flaw, RemarkParams } from '../../texts/en/why.ts';
import type { WhyFact } from './why.ts';

export type { Flaw } from '../../texts/en/why.ts';

/** Measurements of an image, scaled to at most 800 pixels and greyscale. Brightness is 0 (black) to 255. */
export interface Appearance {
  /** Pixels of the original image, after rotation. */
  readonly width: number;
  readonly height: number;
  /** Brightness of the paper: the 90th percentile. */
  readonly paper: number;
  /** Brightness of the brightest spots: the 99.9th percentile. */
  readonly light: number;
  /** How much darker than the paper the darkest spots are, without the image's edges. */
  readonly ink: number;
  /** Strongest difference between neighbouring pixels, without the image's edges: 0 to 510. */
  readonly detail: number;
  /** `detail` relative to the contrast of paper and ink; well focused print is above 1.5. */
  readonly sharpness: number;
  /** Fingerprint of where the paper has print, to compare papers (paper.ts); null if there is too little print. */
  readonly print: string | null;
}

/** Not a flaw: the paper was scanned before. */
const SCANNED_BEFORE = 'SCANNED_BEFORE';

/** A warning about an image, for people. `reason`: a code listed in docs/documents.md. */
export interface Remark extends RemarkParams {
  readonly reason: Flaw | typeof SCANNED_BEFORE;
}

/* Thresholds. docs/pages.md compares them with measurements of good and spoiled receipts. */
const BLANK_DETAIL = 20;
/** Darker paper may hide faint print. */
const BLANK_PAPER = 150;
/** Blurred print has no sharp edges either, but is darker than this. */
const BLANK_INK = 32;
const DARK_PAPER = 100;
/** Bright print on dark paper, or a receipt on a dark table, is legible. */
const DARK_LIGHT = 150;
const SMALL_SIDE = 250;
const BLURRED_SHARPNESS = 0.95;

/** Lists all flaws of an image, with the code of the most serious one; null if there are none. */
export function remarkOn(seen: Appearance): Remark | null {
  const flaws = flawsOf(seen);
  const [first] = flaws;
  if (first === undefined) return null;
  return { reason: first, flaws, before: null };
}

/** Remark that the paper was scanned before, as the document `name`. */
export function scannedBefore(name: string, at: number): Remark {
  return { reason: SCANNED_BEFORE, flaws: [], before: { name, at } };
}

/** Combines two remarks, the more serious one first. */
export function withRemark(first: Remark | null, other: Remark | null): Remark | null {
  if (first === null || other === null) return first ?? other;
  return {
    reason: first.reason,
    flaws: [...first.flaws, ...other.flaws],
    before: first.before ?? other.before,
  };
}

function flawsOf({ width, height, paper, light, ink, detail, sharpness }: Appearance): Flaw[] {
  if (detail < BLANK_DETAIL && ink < BLANK_INK && paper >= BLANK_PAPER) return ['BLANK'];
  const flaws: Flaw[] = [];
  if (Math.min(width, height) < SMALL_SIDE) flaws.push('TOO_SMALL');
  if (paper < DARK_PAPER && light < DARK_LIGHT) flaws.push('TOO_DARK');
  if (sharpness < BLURRED_SHARPNESS) flaws.push('BLURRED');
  return flaws;
}

/** What it says about an image that is sent all the same. */
export function remarkFact({ flaws, before }: Remark): WhyFact {
  return { is: 'remark', flaws, before };
}

/** Why an image is held back. */
export function keptBack({ flaws, before }: Remark): WhyFact {
  return { is: 'keptBack', flaws, before };
}

/** Why a page is held back; a page can't be sent separately. */
export function pageKeptBack(page: number, { flaws, before }: Remark): WhyFact {
  return { is: 'pageKeptBack', page, flaws, before };
}

/** Whether the folder's settings hold back an image with this remark. */
export function isHeld(
  remark: Remark | null,
  { qualityCheck }: Pick<FolderSettings, 'qualityCheck'>,
): remark is Remark {
  return remark !== null && qualityCheck === 'hold';
}

/** Whether images in this folder are measured before they are sent. */
export function isLookedAt({ qualityCheck = 'off' }: Pick<FolderSettings, 'qualityCheck'>): boolean {
  return qualityCheck !== 'off';
}
