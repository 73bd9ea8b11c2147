import type { Format } from '../format.ts';

/** What `audit` and `ledger verify` find in the ledger and its history. */
export const ledgerFindingTexts = ({ counted, number }: Format) => ({
  // Two ways of counting disagree. `state`: its code.
  countsDiffer: (p: { folder: string; state: string; one: number; other: number }) =>
    `${p.folder}: ${counted(p.one, 'file is', 'files are')} ${p.state} in one count, ${number(p.other)} in the other.`,
  noFile: (p: { name: string; state: string }) =>
    `The document "${p.name}" (${p.state}) has no file in the ledger.`,
  doesNotAddUp: (p: { seen: number }) =>
    `${counted(p.seen, 'file was', 'files were')} seen, but the counts by state do not add up to that.`,
});
