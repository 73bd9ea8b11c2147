import { CHAIN, folderIn, holdKeyIn, ownerIn } from '../../../src/ledger/entries.ts';
import type { LedgerCore, Step } from '../../../src/ledger/ledger.ts';
import { isListedRow, SPAN_MS, TABLE_NAMES, type Cells, type Row } from '../../../src/ledger/schema.ts';

/** Everything that a ledger knows, with ids relative to the chain that made them. */
export interface Contents {
  readonly tables: Readonly<Record<string, readonly Cells[]>>;
  /** By endpoint, folder and state; requests by endpoint and span. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Columns with numbers of entries. */
const REFERENCES: ReadonlySet<string> = new Set(['id', 'document_id', 'file_id', 'attempt', 'twin']);

function relativeRow(table: string, row: Cells): Cells {
  const named = table === 'endpoints' || table === 'folders';
  const cells = Object.entries(row).map(([name, value]): [string, Cells[string]] => {
    if (table === 'holds' && (name === 'id' || name === 'agent')) return [name, 0];
    if (name === 'stays' && typeof value === 'string') return [name, relativeStays(value)];
    if (named || typeof value !== 'number' || !REFERENCES.has(name)) return [name, value];
    return [name, value % CHAIN];
  });
  return Object.fromEntries(cells);
}

function relativeStays(text: string): string {
  const ranges = JSON.parse(text) as readonly (readonly [number, number])[];
  return JSON.stringify(ranges.map((range) => range.map((id) => id % CHAIN)));
}

function contentsOf(rows: Readonly<Record<string, readonly Cells[]>>, counts: Contents['counts']): Contents {
  const tables = Object.fromEntries(
    TABLE_NAMES.map((table) => [
      table,
      (rows[table] ?? [])
        .map((row) => relativeRow(table, row))
        .map((row) => ({ key: JSON.stringify([row['id'], row['scope'], row['key'], row['paused']]), row }))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .map(({ row }) => row),
    ]),
  );
  return { tables, counts: Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** As its tables have it. */
export async function stored({ engine }: LedgerCore): Promise<Contents> {
  const rows: Record<string, readonly Cells[]> = {};
  for (const table of TABLE_NAMES) {
    const found = await engine.reader.each<Cells>(`SELECT * FROM ${table}`, null);
    rows[table] = found.map((row) => ({ ...row }));
  }
  const counts = await engine.reader.each<{ key: string; n: number }>(
    `SELECT endpoint_id || ' ' || folder_id || ' ' || state AS key, sum(n) AS n FROM counts GROUP BY 1 HAVING sum(n) <> 0
     UNION ALL SELECT endpoint_id || ' ' || span || ' requests' AS key, n FROM requests WHERE n <> 0`,
    null,
  );
  return contentsOf(rows, Object.fromEntries(counts.map(({ key, n }) => [key, n])));
}

/** What a ledger with one agent knows, as that of an agent of a fleet. */
export function asOf(name: string, { tables, counts }: Contents): Contents {
  const moved = (table: string, row: Cells): Cells => ({
    ...row,
    ...('folder_id' in row && { folder_id: folderIn(Number(row['folder_id']), name) }),
    ...(table === 'folders' && {
      id: folderIn(Number(row['id']), name),
      owner: ownerIn(String(row['owner']), name),
    }),
    ...(table === 'holds' && { key: holdKeyIn(String(row['scope']), String(row['key']), name) }),
  });
  const rows = Object.fromEntries(
    Object.entries(tables).map(([table, each]) => [table, each.map((row) => moved(table, row))]),
  );
  const movedCounts = Object.entries(counts).map(([key, n]) => {
    const [endpoint, folder, state] = key.split(' ');
    return [`${endpoint} ${folderIn(Number(folder), name)} ${state}`, n] as const;
  });
  return contentsOf(rows, Object.fromEntries(movedCounts));
}

/** The counts that the rows should give. */
export function counted({ tables }: Contents): Contents['counts'] {
  const counts: Record<string, number> = {};
  const add = (endpoint: number, folder: number, state: string): void => {
    const key = `${endpoint} ${folder} ${state}`;
    counts[key] = (counts[key] ?? 0) + 1;
  };
  for (const { endpoint_id, folder_id, state } of (tables['documents'] ??
    []) as unknown as Row<'documents'>[])
    add(endpoint_id, folder_id, state);
  for (const row of (tables['files'] ?? []) as unknown as Row<'files'>[]) {
    if (isListedRow(row)) add(row.endpoint_id, row.folder_id, row.verdict);
  }
  for (const row of (tables['attempts'] ?? []) as unknown as Row<'attempts'>[])
    if (row.outcome !== 'notSent') add(row.endpoint_id, row.began_at - (row.began_at % SPAN_MS), 'requests');
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const ID_FIELDS: ReadonlySet<string> = new Set([
  'document',
  'documents',
  'files',
  'file',
  'attempt',
  'page',
  'split',
  'result',
  'moved',
  'last',
]);

/** Steps, or answers, with other ids. */
export function withIds<T>(value: T, change: (id: number) => number, isId = false): T {
  if (typeof value === 'number') return (isId ? change(value) : value) as T;
  if (Array.isArray(value)) return value.map((each: unknown) => withIds(each, change, isId)) as T;
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      withIds(each as unknown, change, ID_FIELDS.has(name)),
    ]),
  ) as T;
}

export function stepsFor(steps: readonly Step[], base: number): readonly Step[] {
  return withIds(steps, (id) => id + base);
}
