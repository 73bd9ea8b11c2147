import type { JournalHead } from '../../core/ports/journal.ts';
import type { JournalVerification } from './verification.ts';

/** Merges the verifications of the chains of all agents. Entry numbers are per chain, so they are given only if there is a single one. */
export function joined(
  found: readonly { readonly name: string; readonly journal: JournalVerification }[],
  head: JournalHead | null,
): JournalVerification {
  const sum = (of: (each: JournalVerification) => number): number =>
    found.reduce((total, { journal }) => total + of(journal), 0);
  const [first, ...others] = found;
  const only = others.length === 0 ? first?.journal : undefined;
  return {
    entries: sum(({ entries }) => entries),
    firstSeq: only?.firstSeq ?? null,
    lastSeq: only?.lastSeq ?? null,
    head,
    findings: found.flatMap(({ name, journal }) =>
      journal.findings.map(({ seq, what }) => ({ seq, line: null, what: `Agent ${name}: ${what}` })),
    ),
    moreFindings: sum(({ moreFindings }) => moreFindings),
    remarks: found.flatMap(({ name, journal }) =>
      journal.remarks.map((remark) => `Agent ${name}: ${remark}`),
    ),
    erased: sum(({ erased }) => erased),
  };
}
