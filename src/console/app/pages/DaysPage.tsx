import type { Response } from '../../../control/protocol/protocol.ts';
import { midnight, number, period as textOf } from '../format.ts';
import { Button, Segments } from '../parts/Button.tsx';
import { useCall, useCountsTick } from '../parts/hooks.ts';
import { Answer, Notice } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { Table, type TableColumn } from '../parts/Table.tsx';
import { href, replace, useRoute } from '../router.ts';
import { Comparisons } from './Comparisons.tsx';
import { t } from '../texts.ts';
import { filterHref } from './documentFilter.ts';
import { beside, periodOf, SPANS, today, type Period } from './periods.ts';

type CountedState = Response<'seenCounts'>['counts'][number]['state'];

/** Categories and their states; each file is in exactly one. */
const CATEGORIES = {
  accepted: ['accepted'],
  duplicate: ['duplicate'],
  split: ['split'],
  rejected: ['rejected'],
  failed: ['failed'],
  waiting: ['queued', 'uploading', 'held', 'unconfirmed', 'incomplete', 'unreadable'],
  lost: ['lost'],
  skipped: ['skipped'],
} as const satisfies Record<string, readonly CountedState[]>;
type DayCategory = keyof typeof CATEGORIES;
const NAMES = Object.keys(CATEGORIES) as DayCategory[];
const OPEN = ['rejected', 'failed', 'waiting', 'lost'] as const;

interface DayRow {
  /** Null: all of them. */
  readonly folder: string | null;
  readonly by: Readonly<Record<DayCategory | 'seen', number>>;
}

const REFRESH_MS = 5_000;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Did all of Tuesday's receipts arrive? */
export function DaysPage() {
  const { query } = useRoute();
  const given = query.get('day') ?? '';
  const day = DAY.test(given) ? given : today();
  const span = SPANS.find((each) => each === query.get('span')) ?? 'day';
  const period = periodOf(day, span);
  const show = (next: { day?: string; span?: string }) => replace(href(['days'], { day, span, ...next }));
  const counts = useCountsTick(REFRESH_MS);
  const { first, last } = period;
  const request = { since: midnight(first) ?? '', until: midnight(last, 1) ?? '' };
  const seen = useCall('seenCounts', request, counts);
  return (
    <Page title={t.days.title} actions={<Button onClick={() => print()}>{t.days.print}</Button>}>
      <div class="period">
        <Segments
          label={t.days.span}
          texts={t.days.spans}
          options={SPANS}
          chosen={span}
          onChosen={(next) => show({ span: next })}
        />
        <Button onClick={() => show({ day: beside(period, -1) })}>← {t.days.earlier}</Button>
        <input
          type="date"
          aria-label={t.days.date}
          value={day}
          onChange={({ currentTarget }) => show({ day: currentTarget.value })}
        />
        <Button disabled={last >= today()} onClick={() => show({ day: beside(period, 1) })}>
          {t.days.later} →
        </Button>
      </div>
      <h2 class="period-name">{first === last ? textOf(first) : `${textOf(first)} – ${textOf(last)}`}</h2>
      <Answer asked={seen}>{(data) => <Counts rows={rowsOf(data.counts)} period={period} />}</Answer>
      <Comparisons />
    </Page>
  );
}

function rowsOf(counts: Response<'seenCounts'>['counts']): readonly DayRow[] {
  const folders = [...new Set(counts.map(({ folder }) => folder))].sort();
  const row = (folder: string | null): DayRow => {
    const its = counts.filter((each) => folder === null || each.folder === folder);
    const of = (states: readonly CountedState[]) =>
      its.reduce((sum, { state, count }) => sum + (states.includes(state) ? count : 0), 0);
    const by = Object.fromEntries(NAMES.map((name) => [name, of(CATEGORIES[name])])) as Record<
      DayCategory,
      number
    >;
    return { folder, by: { ...by, seen: its.reduce((sum, { count }) => sum + count, 0) } };
  };
  return folders.length > 1 ? [...folders.map(row), row(null)] : folders.map(row);
}

function Counts({ rows, period }: { readonly rows: readonly DayRow[]; readonly period: Period }) {
  const total = rows.at(-1);
  if (total === undefined) return <p class="muted">{t.days.none}</p>;
  const isThere = (name: DayCategory) => name === 'accepted' || total.by[name] > 0;
  const columns: readonly TableColumn<DayRow>[] = [
    {
      head: t.days.folder,
      cell: ({ folder }) => (folder === null ? <strong>{t.days.total}</strong> : <Wrapped text={folder} />),
    },
    { head: t.days.columns.seen, numeric: true, cell: ({ by }) => number(by.seen) },
    ...NAMES.filter(isThere).map((name): TableColumn<DayRow> => ({
      head: t.days.columns[name],
      numeric: true,
      cell: (row) => <Count row={row} name={name} period={period} />,
    })),
  ];
  return (
    <>
      <Verdict of={total} />
      <Table caption={t.days.table} columns={columns} rows={rows} rowKey={({ folder }) => folder ?? ''} />
      <p class="muted small means">{t.days.means}</p>
    </>
  );
}

function Verdict({ of: { by } }: { readonly of: DayRow }) {
  const open = OPEN.reduce((sum, name) => sum + by[name], 0);
  if (open === 0)
    return (
      <Notice tone="ok">
        <p>{t.days.all(by.seen)}</p>
      </Notice>
    );
  const parts = OPEN.filter((name) => by[name] > 0).map((name) => t.days.openParts[name](by[name]));
  return (
    <Notice tone={by.failed + by.lost + by.rejected > 0 ? 'bad' : 'warn'}>
      <p>
        <strong>{t.days.open(open, by.seen)}</strong> {parts.join(', ')}.
      </p>
    </Notice>
  );
}

/** Leads to the documents that it counts. */
function Count({
  row,
  name,
  period,
}: {
  readonly row: DayRow;
  readonly name: DayCategory;
  readonly period: Period;
}) {
  const value = row.by[name];
  if (value === 0) return <span class="muted">0</span>;
  const filter = {
    state: CATEGORIES[name].join(','),
    since: period.first,
    until: period.last,
    ...(row.folder !== null && { folder: row.folder }),
  };
  return <a href={filterHref(filter)}>{number(value)}</a>;
}
