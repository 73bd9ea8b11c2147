import { NEEDING_STATES } from '../../core/domain/needsPerson.ts';
import type { Alert, WordedCause } from '../../core/ports/alert.ts';
import type { LedgerReports, ListState, SeenCount } from '../../core/ports/ledgerReports.ts';
import type { AllTexts } from '../../texts/texts.ts';
import type { AlertRecord, DigestFigures, AlertEntry } from './state.ts';

export interface DigestDeps {
  readonly ledger: Pick<LedgerReports, 'seenCounts' | 'counts' | 'countAccepted'>;
  /** The watched folders, so that a silent one gets a line too. */
  readonly folders: readonly string[];
  readonly open: readonly AlertEntry[];
}

type DigestFolder = DigestFigures['folders'][number];
type Column = Exclude<keyof DigestFolder, 'folder'>;

const WAITING: readonly ListState[] = ['queued', 'uploading', 'held'];
/** Problems in a digest that are listed individually. */
const MOST = 50;

/** What came in within a day and its state, by folder; and what is waiting now. */
export async function digestOf(
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
  { host, now }: { readonly host: string; readonly now: number },
  { ledger, folders, open }: DigestDeps,
): Promise<AlertRecord> {
  const seen = await ledger.seenCounts(from, to);
  const counts = await ledger.counts();
  const needs = counts.filter(({ needsPerson }) => needsPerson);
  const accepted = await ledger.countAccepted(from, to);
  const figures = (folder: string): DigestFolder => {
    const sum = (
      rows: readonly Pick<SeenCount, 'folder' | 'state' | 'count'>[],
      states: readonly ListState[],
    ): number =>
      rows
        .filter((row) => states.includes(row.state) && row.folder === folder)
        .reduce((total, row) => total + row.count, 0);
    return {
      folder,
      sent: sum(seen, ['accepted']),
      duplicates: sum(seen, ['duplicate']),
      rejected: sum(seen, ['rejected']),
      waiting: sum(counts, WAITING),
      attention: sum(needs, NEEDING_STATES),
    };
  };
  const others = [...new Set([...seen, ...counts].map(({ folder }) => folder))]
    .filter((folder) => !folders.includes(folder))
    .toSorted()
    .map(figures)
    // Folders that are no longer watched are left out if they have nothing to report.
    .filter((each) => Object.values(each).some((value) => typeof value === 'number' && value > 0));
  return {
    id,
    kind: 'digest',
    at: now,
    host,
    causes: open.map(({ key, condition, since, count }) => ({
      key,
      condition,
      since,
      until: null,
      count,
      times: 0,
      returns: 0,
      awayMs: 0,
    })),
    follows: [],
    endedUntold: 0,
    digest: { from, to, accepted, folders: [...folders.map(figures), ...others] },
  };
}

/** The digest as people read it. */
export function digestText(
  { from, to, accepted, folders }: DigestFigures,
  open: readonly WordedCause[],
  { alertTexts: { digest, more }, problems, format: { number, time } }: AllTexts,
): Pick<Alert, 'subject' | 'text' | 'hint'> {
  const { folder: head, ...titles } = digest.columns;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const columns = Object.keys(titles) as Column[];
  const total = (column: Column): number => folders.reduce((sum, each) => sum + each[column], 0);
  const rows = folders.map((each) => [each.folder, ...columns.map((column) => number(each[column]))]);
  const all = [digest.allFolders, ...columns.map((column) => number(total(column)))];
  const lines = open
    .slice(0, MOST)
    .map(
      ({ message, since, hint, condition: { code } }) =>
        `- ${message} ${problems.since(time(since))} ${hint} [${code}]`,
    );
  const rest = open.length > MOST ? [`- ${more(open.length - MOST)}`] : [];
  return {
    subject: digest.subject(total('sent'), total('waiting'), total('attention')),
    text: [
      digest.period(from, to),
      table([head, ...Object.values(titles)], folders.length > 1 ? [...rows, all] : rows),
      digest.accepted(accepted),
      open.length === 0 ? digest.allWell : [digest.open, ...lines, ...rest].join('\n'),
    ].join('\n\n'),
    hint: total('attention') > 0 ? digest.cure : null,
  };
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
