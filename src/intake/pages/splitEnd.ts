import { toMessage, type SplitReason, type WhyFact } from '../../core/domain/why.ts';
import type { SplitEnd, SplitPage } from '../../core/ports/ledgerPages.ts';
import type { Unreadable } from '../../core/ports/pages.ts';

/** Why a file was given up. */
export interface GivenUp extends Omit<Unreadable, 'reason'> {
  readonly reason: Unreadable['reason'] | 'GONE';
}

/** Codes for why a page or a whole file is not sent; docs/documents.md lists them. */
export const REASON_OF: Readonly<Record<GivenUp['reason'], SplitReason>> = {
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

const SPLIT_REASONS: readonly SplitReason[] = Object.values(REASON_OF);
/** Maximum number of pages that a message lists. */
const NAMED_AT_MOST = 10;

/** What a file contains. */
interface Contents {
  readonly pages: number;
  readonly attachments: number;
}

/** Reason and message for a file whose pages are decided, or that was given up (`given`); null if there is nothing to report. */
export function endOf(
  decided: readonly SplitPage[],
  { pages, attachments }: Contents,
  given: GivenUp | null,
): Pick<SplitEnd, 'reason' | 'message'> {
  const rejected = decided.filter(({ verdict }) => verdict === 'rejected');
  const refused = rejected.filter(({ reason }) => reason !== 'BLANK').map(({ page }) => page);
  const blank = rejected.length - refused.length;
  const told = (reason: string | null, why: WhyFact | null): Pick<SplitEnd, 'reason' | 'message'> => ({
    reason,
    message: why && toMessage(why),
  });
  if (given !== null) {
    const [reason, sent] = [REASON_OF[given.reason], decided.length - rejected.length];
    return told(reason, { is: 'splitFailed', flaw: given.detail, reason, sent, attachments });
  }
  if (rejected.length === pages && refused.length === 0)
    return told('BLANK', { is: 'allBlank', attachments });
  const sent = pages - rejected.length;
  if (refused.length === 0) {
    if (blank > 0) return told(null, { is: 'somePagesSent', pages, sent, blank, attachments });
    return told(null, attachments > 0 ? { is: 'everyPageSent', pages, attachments } : null);
  }
  const reasons = new Set(rejected.map(({ reason }) => reason).filter((reason) => reason !== 'BLANK'));
  const [first] = reasons.size === 1 ? reasons : [];
  const reason = SPLIT_REASONS.find((each) => each === first) ?? null;
  const named = refused.slice(0, NAMED_AT_MOST);
  const why = { pages, refused: refused.length, named, sent, blank, reason, attachments } as const;
  // A reason of its own if it is the same everywhere and scanning again can't help.
  const isOwn = reason !== null && reason !== 'DAMAGED';
  return told(isOwn ? reason : 'PAGES_NOT_SENT', { is: 'pagesNotSent', ...why });
}
