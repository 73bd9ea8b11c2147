import type { ListFilter, ListOrder, ListRow, Page, PageWanted } from '../../core/ports/ledgerReports.ts';
import { cursorOf, startOf, type Positions } from './cursor.ts';
import { isMeantBy, queriesOf } from './queries.ts';
import type { ListSource } from './source.ts';
import { nextOf, Walk, type Position } from './walk.ts';

/** Walks over documents and over files that have no document of their own. Null if the filter excludes all of them. */
type Walks = readonly [documents: Walk | null, files: Walk | null];

/** Merged by creation time, so that a list of any length needs memory for one window only. */
export async function* list(source: ListSource, filter: ListFilter): AsyncGenerator<ListRow> {
  const walks = await walksOf(source, filter, 'oldest', undefined);
  const open = walks.filter((walk) => walk !== null);
  for (let left = filter.limit ?? Infinity; left > 0; left -= 1) {
    const row = await take(open, 'oldest');
    if (row === null || row === 'later') return;
    yield row;
  }
}

export async function page(
  source: ListSource,
  filter: Omit<ListFilter, 'limit'>,
  { order, cursor, behind, limit, withinMs, signal }: PageWanted,
): Promise<Page> {
  const from = behind ? ([{ at: behind.createdAt, id: behind.id }, null] as const) : cursor;
  const walks = await walksOf(source, filter, order, limit, from);
  const open = walks.filter((walk) => walk !== null);
  const endsAt = performance.now() + withinMs;
  const isUp = () => performance.now() >= endsAt || signal?.aborted === true;
  const rows: ListRow[] = [];
  while (rows.length < limit) {
    const row = await take(open, order, isUp);
    if (row === null || row === 'later') break;
    rows.push(row);
  }
  const times = open.flatMap((walk) => walk.lookedUntil ?? []);
  if (times.length === 0) return { rows, next: null, lookedUntil: null };
  const lookedUntil = order === 'oldest' ? Math.min(...times) : Math.max(...times);
  return { rows, next: cursorOf(walks.map((walk) => walk?.position ?? null)), lookedUntil };
}

async function take(
  walks: readonly Walk[],
  order: ListOrder,
  isUp?: () => boolean,
): Promise<ListRow | 'later' | null> {
  const walk = await nextOf(walks, order, isUp);
  if (walk === null || walk === 'later') return walk;
  const row = walk.next?.row ?? null;
  walk.take();
  return row;
}

async function walksOf(
  source: ListSource,
  filter: ListFilter,
  order: ListOrder,
  limit: number | undefined,
  from?: string | Positions,
): Promise<Walks> {
  const { documents, files, beginning, stop } = await queriesOf(source, filter, order);
  const [documentsFrom, filesFrom] = startOf(from, beginning);
  const isMeant = isMeantBy(filter);
  const walk = (start: Position | null, query: typeof documents): Walk | null =>
    start && query && new Walk({ order, stop, from: start, read: query.read, limit, isMeant });
  return [walk(documentsFrom, documents), walk(filesFrom, files)];
}
