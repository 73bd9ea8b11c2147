import type { Connection } from '../connection.ts';
import type { Params } from '../statements.ts';
import type { Source } from './source.ts';
import { busy, inTransaction, type ImportState } from './state.ts';
import { mapped, TABLES, type Mapping, type Row, type Table } from './tables.ts';

/** Rows per transaction. */
const BATCH = 1_000;

export const ENSURE_ENDPOINT = `
INSERT INTO endpoints (base_url, uid) VALUES (:baseUrl, :uid) ON CONFLICT (base_url, uid) DO NOTHING`;
const ENDPOINT = `SELECT id FROM endpoints WHERE base_url = :baseUrl AND uid = :uid`;
export const ENSURE_FOLDER = `
INSERT INTO folders (place, path) VALUES (:place, :folder) ON CONFLICT (place, path) DO NOTHING`;
const FOLDER = `SELECT id FROM folders WHERE place = :place AND path = :folder`;

/** Keeps agents from giving out a name, or treating bytes as new, while the import checks. */
export const LOCK_ENDPOINTS = `SELECT id FROM endpoints WHERE id = ANY (:ids::integer[]) ORDER BY id FOR UPDATE`;

/** Whether another ledger has already brought the same bytes or name into the endpoint. */
export function isTwin(row: string): string {
  return `(EXISTS (SELECT 1 FROM documents o WHERE o.endpoint_id = ${row}.endpoint_id AND o.sha256 = ${row}.sha256 AND o.twin = 0)
   OR EXISTS (SELECT 1 FROM documents o WHERE o.endpoint_id = ${row}.endpoint_id AND o.name = ${row}.name AND o.twin = 0))`;
}

/** Columns that the other ledger lacks, and their values. */
const BESIDE: Readonly<Record<Table['name'], readonly (readonly [column: string, value: string])[]>> = {
  documents: [
    ['agent_id', ':agentId::integer'],
    // At its start, the agent requeues what a crash left in progress.
    ['claimed_by', `CASE r.state WHEN 'uploading' THEN :agentId::integer END`],
    ['claimed_epoch', `CASE r.state WHEN 'uploading' THEN 0 END`],
    ['twin', `CASE WHEN ${isTwin('r')} THEN r.id ELSE 0 END`],
  ],
  attempts: [
    ['agent_id', ':agentId::integer'],
    ['epoch', '0'],
  ],
  sightings: [],
  results: [],
  acts: [['agent_id', ':agentId::integer']],
};

const MOVE_ON = `
UPDATE imports SET part = :part, position = :position
 WHERE ledger = :ledger AND part IS NOT DISTINCT FROM :fromPart AND position = :fromPosition`;

/** Translates the other ledger's endpoints and folders to ids here, and creates missing ones. Idempotent. */
export async function mappingOf(
  connection: Connection,
  { agent, distances }: ImportState,
  source: Source,
): Promise<Mapping> {
  const endpoints = new Map<string, number>();
  for (const { id, baseUrl, uid } of source.endpoints) {
    await connection.run(ENSURE_ENDPOINT, { baseUrl, uid });
    endpoints.set(id, (await connection.get<{ id: number }>(ENDPOINT, { baseUrl, uid }))?.id ?? 0);
  }
  const folders = new Map<string, number>();
  for (const { id, path } of source.folders) {
    const row = { place: `agent:${agent}`, folder: path };
    await connection.run(ENSURE_FOLDER, row);
    folders.set(id, (await connection.get<{ id: number }>(FOLDER, row))?.id ?? 0);
  }
  return { distances, endpoints, folders };
}

/**
 * Imports rows of the copy that are not here yet.
 * @throws ReceiptdError MOVE_REFUSED if another import of the same ledger is running; what the databases fail with
 */
export async function takeRows(
  connection: Connection,
  state: ImportState,
  copy: Source,
  onRows: (table: Table, rows: number) => void,
): Promise<void> {
  const mapping = await mappingOf(connection, state, copy);
  const { ledger, agentId } = state;
  await connection.exec(`SET receiptd.agent = '${agentId}'`);
  let { part, position } = state;
  const first = TABLES.findIndex(({ name }) => name === part);
  if (first < 0) return;
  const moveOn = async (toPart: Table['name'] | null, to: number): Promise<void> => {
    const params = { ledger, part: toPart, position: to, fromPart: part, fromPosition: position };
    if ((await connection.run(MOVE_ON, params)) !== 1) throw busy();
  };
  for (const [index, table] of TABLES.entries()) {
    if (index < first) continue;
    const last = copy.lastId(table.name);
    for (let from = position; from < last; from += BATCH) {
      const rows = copy.rows(table, from + 1, from + BATCH).map((row) => mapped(table, row, mapping));
      await inTransaction(connection, async () => {
        await moveOn(table.name, from + BATCH);
        if (rows.length === 0) return;
        if (table.name === 'documents') {
          const ids = [...mapping.endpoints.values()];
          await connection.all(LOCK_ENDPOINTS, { ids });
        }
        await connection.run(insertInto(table), { ...arraysOf(table, rows), ...own(table, agentId) });
      });
      position = from + BATCH;
      onRows(table, rows.length);
    }
    const next = TABLES[index + 1]?.name ?? null;
    await inTransaction(connection, () => moveOn(next, 0));
    [part, position] = [next, 0];
  }
}

function own({ name }: Table, agentId: number): Params {
  return BESIDE[name].length === 0 ? {} : { agentId };
}

function insertInto(table: Table): string {
  // Acts get new ids: nothing refers to them.
  const columns = table.columns.filter(({ name }) => table.name !== 'acts' || name !== 'id');
  const beside = BESIDE[table.name];
  const names = [...columns.map(({ name }) => name), ...beside.map(([name]) => name)].join(', ');
  const values = [...columns.map(({ name }) => `r.${name}`), ...beside.map(([, value]) => value)].join(', ');
  // A result that matched no document may have been posted to both machines.
  const repeated = table.name === 'results' ? 'ON CONFLICT DO NOTHING' : '';
  return `INSERT INTO ${table.name} (${names}) SELECT ${values} FROM ${unnested(table)} ORDER BY r.id ${repeated}`;
}

/** The rows as a table `r`. */
function unnested({ columns }: Pick<Table, 'columns'>): string {
  const arrays = columns.map(({ name, type }) => `:${name}::${type}[]`).join(', ');
  return `unnest(${arrays}) AS r (${columns.map(({ name }) => name).join(', ')})`;
}

export function arraysOf({ columns }: Pick<Table, 'columns'>, rows: readonly Row[]): Params {
  return Object.fromEntries(columns.map(({ name }, index) => [name, rows.map((row) => row[index] ?? null)]));
}
