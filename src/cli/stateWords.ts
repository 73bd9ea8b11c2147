import type { ListState } from '../core/ports/ledgerReports.ts';

/** Plain words for the states of `list`, to follow a number or "it is". */
export const STATE_WORDS: Readonly<Record<ListState, string>> = {
  queued: 'waiting to be sent',
  uploading: 'being sent',
  held: 'on hold',
  accepted: 'accepted',
  duplicate: 'duplicate (not sent again)',
  split: 'split into pages',
  rejected: 'not sent',
  failed: 'refused by the service, or moved to another endpoint',
  unconfirmed: 'with no clear answer from the service',
  lost: 'lost',
  incomplete: 'incomplete',
  unreadable: 'not readable',
  skipped: 'skipped, as configured',
};
