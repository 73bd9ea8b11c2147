import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { LISTS, type Field } from '../../../texts/columns.ts';
import { amount, date, period } from '../format.ts';
import { useOverview } from '../live.ts';
import { Icon } from '../parts/Icon.tsx';
import { Failure } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { Dismissal } from '../parts/Dismissal.tsx';
import { StateBadge } from '../parts/State.tsx';
import { Table, type TableColumn } from '../parts/Table.tsx';
import { Thumb } from '../parts/Thumb.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { keep, readKept } from '../kept.ts';
import { go, href, type Route } from '../router.ts';
import { moveFocus, useShortcuts } from '../shortcuts.ts';
import { isOf } from '../tally.ts';
import { t } from '../texts.ts';
import { filterHref, filterOf, keyOf, type FilterText } from './documentFilter.ts';
import { downloadHref } from './downloads.ts';
import { ByHand } from './ByHand.tsx';
import { DocumentGrid } from './DocumentGrid.tsx';
import { Filters } from './Filters.tsx';
import { SavedFilters } from './SavedFilters.tsx';
import { fieldColumn, heads, NameLink, Reasons, Select } from './rowParts.tsx';
import { SelectionBar } from './SelectionBar.tsx';
import { useSelection, type Selection } from './useSelection.ts';
import { useListing, type ListedRows } from './useListing.ts';
import { useFacets } from './useFacets.ts';
import { Button, Segments } from '../parts/Button.tsx';

/** Cursor of the previous page, by cursor, for the link back. */
const before = new Map<string, string | undefined>();

export function DocumentsPage({ route }: { readonly route: Route }) {
  const filter = filterOf(route.query);
  const cursor = route.query.get('cursor') ?? undefined;
  const box = useRef<HTMLDivElement>(null);
  const list = useListing(filter, cursor, () => isAtRest(box.current));
  const facets = useFacets(filter, !list.busy);
  const total = facets?.isCurrent ? { count: facets.total, isAll: facets.isAll } : null;
  const selection = useSelection(filter, list.rows);
  const columns = useColumns(filter, selection);
  const [view, setView] = useView();
  // A full last page may still name a next one.
  const isLast = list.next === null || (total?.isAll === true && total.count === list.rows.length);
  if (list.next !== null) before.set(list.next, cursor);
  useShortcuts({
    '/': () => document.querySelector<HTMLElement>('#filter-search')?.focus(),
    j: () => moveFocus(LINKS, 1),
    k: () => moveFocus(LINKS, -1),
    x: toggleFocused,
    g: () => setView(view === 'grid' ? 'list' : 'grid'),
    n: () => list.next !== null && !isLast && !list.busy && go(filterHref(filter, list.next)),
  });
  return (
    <Page
      title={t.documents.title}
      actions={
        <>
          <ByHand onDone={list.again} />
          <Button
            class="square menu-button"
            popovertarget="more"
            aria-label={t.documents.more}
            title={t.documents.more}
          >
            <Icon name="more" />
          </Button>
          {/* A menu on a narrow screen, otherwise part of the row. */}
          <div
            id="more"
            class="menu"
            popover="auto"
            onClick={({ currentTarget }) => currentTarget.hidePopover()}
          >
            <a class="button" href={href(['rejected'])}>
              {t.rejected.title}
            </a>
            <a class="button" href={href(['results'])}>
              {t.results.title}
            </a>
            <a class="button" href={downloadHref('csv', { kind: 'filter', filter })} download>
              {t.documents.csv}
            </a>
            <a class="button" href={downloadHref('json', { kind: 'filter', filter })} download>
              {t.documents.json}
            </a>
          </div>
        </>
      }
    >
      <Filters filter={filter} facets={facets} />
      <SavedFilters filter={filter} />
      <Failure error={list.error} again={list.again} />
      <Status list={list} total={total} isLast={isLast}>
        <div class="list-tools">
          {list.rows.length > 0 && (
            <Button onClick={() => selection.addAll(list.rows)}>{t.many.page(list.rows.length)}</Button>
          )}
          <Segments
            label={t.documents.view}
            texts={t.documents.views}
            options={VIEWS}
            chosen={view}
            onChosen={setView}
          />
        </div>
      </Status>
      <SelectionBar
        selection={selection}
        filter={filter}
        total={total?.isAll ? total.count : null}
        onDone={list.again}
      />
      {list.pending > 0 && (
        <Button class="pending" onClick={list.showPending}>
          {t.documents.pending(list.pending)}
        </Button>
      )}
      <div ref={box} class="documents">
        {list.rows.length > 0 && view === 'grid' && (
          <DocumentGrid rows={list.rows} filter={filter} selection={selection} />
        )}
        {list.rows.length > 0 && view === 'list' && (
          <Table caption={t.documents.title} columns={columns} rows={list.rows} rowKey={keyOf} rowHead={2} />
        )}
      </div>
      <nav class="pages" aria-label={t.documents.pages}>
        {cursor !== undefined && (
          <>
            <a class="button" href={filterHref(filter)}>
              {t.documents.first}
            </a>
            {before.has(cursor) && (
              <a class="button" href={filterHref(filter, before.get(cursor))} rel="prev">
                ← {t.documents.previous}
              </a>
            )}
          </>
        )}
        {list.next !== null && !isLast && !list.busy && (
          <a class="button" href={filterHref(filter, list.next)} rel="next">
            {t.documents.next} →
          </a>
        )}
      </nav>
    </Page>
  );
}

function toggleFocused(): void {
  const row = document.activeElement?.closest('tr, .card');
  row?.querySelector<HTMLElement>('input[type="checkbox"]')?.click();
}

/** Links that `j` and `k` move along. */
const LINKS = '.documents a.open';

const VIEWS = ['list', 'grid'] as const;
type DocumentsView = (typeof VIEWS)[number];

/** The view chosen in this browser, for all lists. */
function useView(): readonly [DocumentsView, (view: DocumentsView) => void] {
  const [view, setView] = useState<DocumentsView>(() => (readKept('view') === 'grid' ? 'grid' : 'list'));
  const change = (to: DocumentsView) => {
    keep('view', to);
    setView(to);
  };
  return [view, change];
}

/** Whether rows may move: not while the person points at, focuses or reads them. */
function isAtRest(box: HTMLElement | null): boolean {
  return box !== null && scrollY < 200 && !box.matches(':hover') && !box.contains(document.activeElement);
}

function Status({
  list,
  total,
  isLast,
  children,
}: {
  readonly children: ComponentChildren;
  readonly list: ListedRows;
  readonly total: { readonly count: number; readonly isAll: boolean } | null;
  readonly isLast: boolean;
}) {
  const { rows, busy, stopped, lookedUntil, error } = list;
  const back = lookedUntil !== null && (busy || stopped) ? t.documents.lookedUntil(date(lookedUntil)) : '';
  const text = busy
    ? `${t.documents.searching(rows.length)} ${back}`
    : rows.length === 0 && error === null
      ? `${stopped ? t.documents.stopped : t.documents.none} ${back}`
      : `${t.documents.shown(rows.length, isLast && (total === null || total.count === rows.length))} ${back}`;
  return (
    <div class="list-status">
      <p class="muted" role="status">
        {text}
      </p>
      {total !== null && rows.length > 0 && total.count !== rows.length && (
        <p class="total">{t.documents.total(total.count, total.isAll)}</p>
      )}
      {busy && (
        <Button class="small" onClick={list.stop}>
          {t.documents.stop}
        </Button>
      )}
      {children}
    </div>
  );
}

function useColumns(filter: FilterText, selection: Selection): readonly TableColumn<ListRowJson>[] {
  const overview = useOverview();
  const alias = (row: ListRowJson) =>
    overview?.endpoints.find((each) => isOf(each, row))?.alias ?? row.endpointUid ?? '–';
  const own: Partial<Record<Field, Partial<TableColumn<ListRowJson>>>> = {
    name: {
      class: 'name',
      cell: (row) => (
        <>
          <NameLink row={row} filter={filter} />
          <p class="muted small">
            <Wrapped text={row.path} />
          </p>
        </>
      ),
    },
    state: {
      cell: (row) => (
        <>
          <StateBadge state={row.state} />
          <Reasons row={row} />
          <Dismissal of={row} target={row.name ?? row.path} />
        </>
      ),
    },
  };
  return [
    {
      head: t.many.select,
      class: 'select-cell',
      cell: (row) => <Select row={row} selection={selection} />,
    },
    {
      head: t.documents.image,
      class: 'thumb-cell',
      cell: ({ documentId, sha256, type }) => <Thumb id={documentId} sha256={sha256} type={type} />,
    },
    ...LISTS.console.flatMap((key) => {
      if (key === 'endpoint') return { head: heads.endpoint, cell: alias };
      if (key !== 'posted') return { ...fieldColumn(key), ...own[key] };
      return (overview?.columns ?? []).map(({ name, pointer }): TableColumn<ListRowJson> => ({
        head: name,
        cell: ({ posted }) => <Value posted={posted} pointer={pointer} />,
      }));
    }),
  ];
}

/** Amounts and days stay in one line. */
const SHORT = 20;

interface ValueProps {
  readonly posted: ListRowJson['posted'];
  /** JSON pointer. */
  readonly pointer: string;
}

/** The last value posted there, with amounts and days formatted for the reader. */
function Value({ posted, pointer }: ValueProps) {
  const value = posted.findLast((values) => Object.hasOwn(values, pointer))?.[pointer];
  if (value === undefined) return <span class="muted">–</span>;
  const text = valueText(value);
  return text.length > SHORT ? <>{text}</> : <span class="whole">{text}</span>;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

function valueText(value: ListRowJson['posted'][number][string]): string {
  if (typeof value === 'number') return amount(value);
  return typeof value === 'string' && DAY.test(value) ? period(value) : String(value);
}
