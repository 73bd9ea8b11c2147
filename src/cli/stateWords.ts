import type { ListState } from '../core/ports/ledgerReports.ts';

/** What `list` calls by one word, for somebody who knows none of them; after a number, or after "it is". */
export const STATE_WORDS: Readonly<Record<ListState, string>> = {
  queued: 'waiting to be sent',
  uploading: 'being sent',
  held: 'on hold',
  accepted: 'accepted',
  duplicate: 'the same as another image (not sent again)',
  split: 'taken apart into pages',
  rejected: 'not sent',
  failed: 'refused by the service',
  unconfirmed: 'without a clear answer from the service',
  lost: 'lost',
  incomplete: 'cut short',
  unreadable: 'not readable',
  skipped: 'skipped, as configured',
};
