import { endpointId, type EndpointKey } from '../../core/domain/document.ts';
import { ENDPOINT_BY_KEY, ENSURE_ENDPOINT } from './sql/endpoints.ts';
import { ENSURE_FOLDER, FOLDER_BY_PATH } from './sql/sightings.ts';
import type { Sql } from './statements.ts';

/** Undefined if the ledger does not know the endpoint. */
export function endpointIdOf(sql: Sql, { baseUrl, uid }: EndpointKey): number | undefined {
  return numberOf(sql.endpoints, endpointId({ baseUrl, uid }), () =>
    sql.get(ENDPOINT_BY_KEY, { baseUrl, uid }),
  );
}

/** Undefined if the ledger does not know the folder. */
export function folderIdOf(sql: Sql, folder: string): number | undefined {
  return numberOf(sql.folders, folder, () => sql.get(FOLDER_BY_PATH, { folder }));
}

export function ensureEndpoint(sql: Sql, endpoint: EndpointKey): number {
  const known = endpointIdOf(sql, endpoint);
  if (known !== undefined) return known;
  sql.run(ENSURE_ENDPOINT, { baseUrl: endpoint.baseUrl, uid: endpoint.uid });
  return inserted(endpointIdOf(sql, endpoint));
}

export function ensureFolder(sql: Sql, folder: string): number {
  const known = folderIdOf(sql, folder);
  if (known !== undefined) return known;
  sql.run(ENSURE_FOLDER, { folder });
  return inserted(folderIdOf(sql, folder));
}

/** Cached: such rows are never deleted, and a rollback clears the cache. */
function numberOf(
  known: Map<string, number>,
  key: string,
  ask: () => { readonly id: number } | undefined,
): number | undefined {
  const id = known.get(key) ?? ask()?.id;
  if (id !== undefined) known.set(key, id);
  return id;
}

function inserted(id: number | undefined): number {
  if (id === undefined) throw new Error('a row that was just inserted is missing');
  return id;
}
