import type { FolderSettings } from './settings.ts';
import { local } from './words.ts';

/** What was measured of an image, drawn at most 800 pixels long and grey. Brightness counts from 0, black, to 255. */
export interface Appearance {
  /** Pixels of the image itself, upright. */
  readonly width: number;
  readonly height: number;
  /** Nine tenths of the image are no brighter: the paper. */
  readonly paper: number;
  /** How much neighbouring pixels differ where they differ most, edges of the image left out: 0 to 510. */
  readonly detail: number;
  /** The same beside the difference of paper and ink: well focused print is above 1.5. */
  readonly sharpness: number;
  /** Where on the paper there is print, to be compared with that of others (paper.ts); null where there is too little. */
  readonly print: string | null;
}

/** What may be wrong with an image; codes that stand in docs/documents.md. */
export type Flaw = 'BLANK' | 'TOO_SMALL' | 'TOO_DARK' | 'BLURRED';
/** Nothing is wrong with it, but its paper was scanned before. */
const SCANNED_BEFORE = 'SCANNED_BEFORE';

/** What people are told about an image. */
export interface Remark {
  readonly reason: Flaw | typeof SCANNED_BEFORE;
  readonly message: string;
}

/* Limits, as docs/pages.md shows them beside what was measured on receipts and on receipts that were spoiled. */
const BLANK_DETAIL = 20;
/** Darker paper may hide faint print. */
const BLANK_PAPER = 150;
const DARK_PAPER = 100;
const SMALL_SIDE = 250;
const BLURRED_SHARPNESS = 0.95;

const SENTENCES: Readonly<Record<Flaw, string>> = {
  BLANK: 'It looks blank.',
  TOO_SMALL: 'Its resolution is too low to read.',
  TOO_DARK: 'It is too dark.',
  BLURRED: 'It is blurred.',
};

/** What is wrong with an image, the gravest first; null where nothing is. */
export function remarkOn(seen: Appearance): Remark | null {
  const flaws = flawsOf(seen);
  const [first] = flaws;
  if (first === undefined) return null;
  return { reason: first, message: flaws.map((flaw) => SENTENCES[flaw]).join(' ') };
}

/** What is said of one whose paper was scanned before, as the document of that name. */
export function scannedBefore(name: string, at: number): Remark {
  return { reason: SCANNED_BEFORE, message: `It looks like ${name}, scanned at ${local(at)}.` };
}

/** Both, the graver first. */
export function withRemark(first: Remark | null, other: Remark | null): Remark | null {
  if (first === null || other === null) return first ?? other;
  return { reason: first.reason, message: `${first.message} ${other.message}` };
}

function flawsOf({ width, height, paper, detail, sharpness }: Appearance): Flaw[] {
  if (detail < BLANK_DETAIL && paper >= BLANK_PAPER) return ['BLANK'];
  const flaws: Flaw[] = [];
  if (Math.min(width, height) < SMALL_SIDE) flaws.push('TOO_SMALL');
  if (paper < DARK_PAPER) flaws.push('TOO_DARK');
  if (sharpness < BLURRED_SHARPNESS) flaws.push('BLURRED');
  return flaws;
}

/** What is said of an image that is kept back. */
export function keptBack({ reason, message }: Remark): string {
  return `${message} ${ADVICE[reason] ?? 'Scan it again, or send'} it as it is with \`receiptd send FILE\`.`;
}

const ADVICE: Readonly<Partial<Record<Remark['reason'], string>>> = {
  BLANK: 'If it is a receipt, scan it again, or send',
  SCANNED_BEFORE: 'If it is a different receipt, send',
};

/** The same of a page, which can't be sent by itself. */
export function pageKeptBack(page: number, { reason, message }: Remark): string {
  const advice =
    reason === SCANNED_BEFORE
      ? 'If it is a different receipt, save it as an image and send that with `receiptd send FILE`.'
      : 'Scan it again.';
  return `Page ${page} is not sent. ${message} ${advice}`;
}

/** Whether the folder keeps an image back of which that is said. */
export function isHeld(remark: Remark | null, { look }: Pick<FolderSettings, 'look'>): remark is Remark {
  return remark !== null && look === 'hold';
}

/** In the log, with the remark beside it. */
export const SENT_ANYWAY = 'Sent, with a warning about the image';

/** Whether images of this folder are looked at before they are sent. */
export function isLookedAt({ look = 'off' }: Pick<FolderSettings, 'look'>): boolean {
  return look !== 'off';
}
