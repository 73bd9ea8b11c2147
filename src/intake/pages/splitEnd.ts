import { everyPageSent } from '../../core/domain/pages.ts';
import { counted } from '../../core/domain/words.ts';
import type { SplitEnd, SplitPage } from '../../core/ports/ledgerPages.ts';
import type { Unreadable } from '../../core/ports/pages.ts';

/** Why a file was given up. */
export interface GivenUp extends Omit<Unreadable, 'reason'> {
  readonly reason: Unreadable['reason'] | 'GONE';
}

/** Codes for why a page or a whole file is not sent; docs/documents.md lists them. */
export const REASON_OF: Readonly<Record<GivenUp['reason'], string>> = {
  ENCRYPTED: 'ENCRYPTED',
  DAMAGED: 'DAMAGED',
  FONT_MISSING: 'FONT_MISSING',
  PORTFOLIO: 'PORTFOLIO',
  XFA_FORM: 'XFA_FORM',
  UNSUPPORTED: 'UNSUPPORTED',
  TOO_MANY_PAGES: 'TOO_MANY_PAGES',
  TOO_DEAR: 'TOO_DEAR',
  TROUBLE: 'DAMAGED',
  GONE: 'BYTES_GONE',
};

const HINTS: Readonly<Partial<Record<GivenUp['reason'], string>>> = {
  ENCRYPTED: 'Save it without a password and put it back in the folder.',
  DAMAGED: 'Scan it again.',
  FONT_MISSING: 'Open it and print it to a new PDF.',
  PORTFOLIO: 'Save the files that it contains into the folder.',
  UNSUPPORTED: 'Open it and save it as a JPEG.',
  XFA_FORM: 'Open it in Adobe Reader and print it to a new PDF.',
  TOO_MANY_PAGES: 'Split it into smaller files.',
  GONE: 'Scan it again.',
  TOO_DEAR: 'Print it to a new PDF, or scan it again.',
};
const NOTHING_BUT_BLANK = {
  reason: 'BLANK',
  message: 'All its pages look blank, so nothing was sent. If it contains a receipt, scan it again.',
} as const;
/** Maximum number of pages that a message lists. */
const NAMED_AT_MOST = 10;

/** What a file contains. */
interface Contents {
  readonly pages: number;
  readonly attachments: number;
}

/** Reason and message for a file whose pages are decided, or that was given up (`why`); null if there is nothing to report. */
export function endOf(
  decided: readonly SplitPage[],
  { pages, attachments }: Contents,
  why: GivenUp | null,
): Pick<SplitEnd, 'reason' | 'message'> {
  const { reason, message } = endOfPages(decided, pages, why);
  const left = notSent(attachments, 'file attached to it', 'files attached to it');
  return { reason, message: left === null ? message : `${message ?? everyPageSent(pages)} ${left}` };
}

function notSent(count: number, one: string, many: string): string | null {
  if (count === 0) return null;
  return count === 1 ? `1 ${one} was not sent.` : `${count} ${many} were not sent.`;
}

function endOfPages(
  decided: readonly SplitPage[],
  pages: number,
  why: GivenUp | null,
): Pick<SplitEnd, 'reason' | 'message'> {
  const rejected = decided.filter(({ verdict }) => verdict === 'rejected');
  const blank = notSent(
    rejected.filter(({ reason }) => reason === 'BLANK').length,
    'blank page',
    'blank pages',
  );
  const refused = rejected.filter(({ reason }) => reason !== 'BLANK').map(({ page }) => page);
  if (why !== null) {
    const sent = decided.length - rejected.length;
    const so = sent === 0 ? 'Nothing of it was sent' : `${counted(sent, 'page')} of it will be sent`;
    const message = `It can't be split into pages: ${why.detail}. ${so}. ${HINTS[why.reason] ?? ''}`.trim();
    return { reason: REASON_OF[why.reason], message };
  }
  if (rejected.length === pages && refused.length === 0) return NOTHING_BUT_BLANK;
  if (refused.length === 0) {
    const sent = pages - rejected.length;
    const documents = `${sent} of its ${pages} pages ${sent === 1 ? 'is a document' : 'are documents'}.`;
    return { reason: null, message: blank && `${documents} ${blank}` };
  }
  const reasons = new Set(rejected.map(({ reason }) => reason).filter((reason) => reason !== 'BLANK'));
  const named = refused.slice(0, NAMED_AT_MOST).join(', ');
  const more = refused.length > NAMED_AT_MOST ? ` and ${refused.length - NAMED_AT_MOST} more` : '';
  const which = refused.length === 1 ? `Page ${named}` : `Pages ${named}${more}`;
  const sent = pages - rejected.length;
  const others = sent === 0 ? '' : `; ${counted(sent, 'other page')} ${sent === 1 ? 'is' : 'are'}`;
  const [only] = reasons.size === 1 ? reasons : [null];
  const hint = Object.entries(HINTS).find(([reason]) => reason === only)?.[1];
  const advice = hint ?? `Scan ${refused.length === 1 ? 'it' : 'them'} again.`;
  const message = `${which} of ${pages} can't be sent${others}. ${blank === null ? '' : `${blank} `}To see why, run \`receiptd list --state rejected\`. ${advice}`;
  // A reason of its own if it is the same everywhere and scanning again can't help.
  if (only && hint !== undefined && only !== 'DAMAGED') return { reason: only, message };
  return { reason: 'PAGES_NOT_SENT', message };
}
