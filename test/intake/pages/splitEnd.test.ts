import { describe, expect, it } from 'vitest';
import type { SplitPage } from '../../../src/core/ports/ledgerPages.ts';
import { endOf } from '../../../src/intake/pages/splitEnd.ts';

/** Pages by what became of them: null for a document, or the reason why it was not sent. */
function decided(...reasons: (string | null)[]): SplitPage[] {
  return reasons.map((reason, at) => {
    const sha256 = reason === null ? `${at}` : null;
    return { page: at + 1, verdict: reason === null ? 'document' : 'rejected', sha256, state: null, reason };
  });
}

function said(attachments: number, ...reasons: (string | null)[]): string | null {
  return endOf(decided(...reasons), { pages: reasons.length, attachments }, null).message;
}

describe('what is said of a file whose pages are decided', () => {
  it('is nothing special if all of it was sent', () => {
    expect(said(0, null, null)).toBeNull();
  });

  it('names blank pages and attached files that were not sent, without asking for a person', () => {
    expect(said(0, null, 'BLANK', null, 'BLANK')).toMatch(
      /^2 of its 4 pages .*\b2 blank pages were not sent/,
    );
    expect(said(1, null)).toMatch(/\b1 file attached to it was not sent/);
    expect(said(2, null, 'BLANK')).toMatch(/\b1 blank page was not sent.*\b2 files .* were not sent/);
    expect(endOf(decided(null, 'BLANK'), { pages: 2, attachments: 1 }, null).reason).toBeNull();
  });

  it('says that other pages are sent only if some are, and counts them', () => {
    expect(said(0, 'DAMAGED', 'DAMAGED')).not.toMatch(/other/);
    expect(said(0, 'DAMAGED', 'BLANK')).not.toMatch(/other/);
    expect(said(0, 'DAMAGED', null, 'BLANK')).toMatch(
      /Page 1 of 3 .*; 1 other page is\. 1 blank page was not/,
    );
    expect(said(1, 'DAMAGED', null, null)).toMatch(/; 2 other pages are\..*1 file attached/);
  });

  it.each(['BLANK', 'TOO_DEAR', 'FONT_MISSING'])(
    'has the reason %s if that is the same everywhere',
    (reason) => {
      expect(endOf(decided(reason, reason), { pages: 2, attachments: 0 }, null).reason).toBe(reason);
    },
  );
});
