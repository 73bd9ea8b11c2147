import type { Amiss } from '../../core/domain/attention.ts';
import type { FileStanding, LedgerReports } from '../../core/ports/ledgerReports.ts';

/** States of files that people have to see to. */
export const STATES = ['rejected', 'incomplete', 'unreadable', 'failed'] as const;

export interface AmissFile {
  readonly standing: FileStanding;
  readonly amiss: Amiss;
  /** Tells one problem of a file from the next. */
  readonly about: string;
}

/** What is wrong with the file at this path, relative to its folder; null if nothing is, or if people dismissed it. */
export async function amissAt(
  ledger: Pick<LedgerReports, 'standing'>,
  folder: string,
  path: string,
): Promise<AmissFile | null> {
  const standing = await ledger.standing({ folder, path });
  if (standing === null || standing.isDismissed) return null;
  const state = STATES.find((each) => each === standing.state);
  if (state === undefined) return null;
  const { fileId, reason, message } = standing;
  const amiss = { state, reason: reason ?? '', message: message ?? '' };
  return { standing, amiss, about: `${fileId} ${state} ${amiss.reason}` };
}
