import { NEEDING_STATES } from '../../core/domain/needsPerson.ts';
import { count, counted, local } from '../../core/domain/words.ts';
import type { Alert } from '../../core/ports/alert.ts';
import type { LedgerReports, ListState, SeenCount } from '../../core/ports/ledgerReports.ts';
import { causeOf, MOST_TOLD, type Writer } from './message.ts';
import type { Entry } from './state.ts';

export interface DigestDeps {
  readonly ledger: Pick<LedgerReports, 'seenCounts' | 'counts' | 'countAccepted'>;
  /** The watched folders, so that a silent one gets a line too. */
  readonly folders: readonly string[];
  readonly open: readonly Entry[];
}

/** The columns, and the ledger states that each counts. */
const SEEN: readonly (readonly [title: string, states: readonly ListState[]])[] = [
  ['sent', ['accepted']],
  ['duplicates', ['duplicate']],
  ['rejected', ['rejected']],
];
const WAITING: readonly ListState[] = ['queued', 'uploading', 'held'];

/** What came in within a day and its state, by folder; and what is waiting now. */
export async function digestOf(
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
  { host, now }: Writer,
  { ledger, folders, open }: DigestDeps,
): Promise<Alert> {
  const seen = await ledger.seenCounts(from, to);
  const counts = await ledger.counts();
  const needs = counts.filter(({ needsPerson }) => needsPerson);
  const accepted = await ledger.countAccepted(from, to);
  const sum = (rows: readonly SeenCount[], states: readonly ListState[], folder?: string): number =>
    rows
      .filter((row) => states.includes(row.state) && (folder === undefined || row.folder === folder))
      .reduce((total, row) => total + row.count, 0);
  const cells = (folder?: string): number[] => [
    ...SEEN.map(([, states]) => sum(seen, states, folder)),
    sum(counts, WAITING, folder),
    sum(needs, NEEDING_STATES, folder),
  ];
  // Folders that are no longer watched are left out if they have nothing to report.
  const others = [...new Set([...seen, ...counts].map(({ folder }) => folder))].filter(
    (folder) => !folders.includes(folder) && cells(folder).some((value) => value > 0),
  );
  const shown = [...folders, ...others.toSorted()];
  const rows = [
    ...shown.map((folder) => [folder, ...cells(folder).map(count)]),
    ...(shown.length > 1 ? [['all folders', ...cells().map(count)]] : []),
  ];
  const [sent = 0, , , waiting = 0, forPerson = 0] = cells();
  return {
    id,
    kind: 'digest',
    at: now,
    host,
    code: null,
    subject: `${counted(sent, 'receipt')} sent since yesterday, ${waiting} ${waiting === 1 ? 'waits' : 'wait'}, ${forPerson} for a person`,
    text: [
      `From ${local(from)} to ${local(to)}:`,
      table(['folder', ...SEEN.map(([title]) => title), 'waiting', 'for a person'], rows),
      `${counted(accepted, 'document was', 'documents were')} accepted by the service in that time. "waiting" and "for a person" count everything that is open now, regardless of age.`,
      openText(open),
    ].join('\n\n'),
    hint: forPerson > 0 ? 'List them with `receiptd list --needs-person`.' : null,
    since: from,
    until: to,
    causes: open.map((entry) => causeOf(entry, null)),
    follows: [],
  };
}

function openText(open: readonly Entry[]): string {
  if (open.length === 0) return 'Nothing is wrong.';
  const lines = open
    .slice(0, MOST_TOLD)
    .map(({ message, since, hint, code }) => `- ${message} Since ${local(since)}. ${hint} [${code}]`);
  const more = open.length > MOST_TOLD ? [`- And ${open.length - MOST_TOLD} more.`] : [];
  return ['Still open:', ...lines, ...more].join('\n');
}

/** Numbers line up in any monospaced font. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}
