import type { FileSeen } from '../../core/ports/ledgerIntake.ts';
import { relativePath, splitPath, type PlaceRow } from '../rows.ts';
import {
  isDocument,
  isSameFile,
  sightedEvent,
  type CurrentSighting,
  type Sighted,
  type SightedEvent,
} from '../sighted.ts';
import * as SQL from './sql/sightings.ts';
import type { Params, Sql } from './statements.ts';
import type { Transaction } from './transaction.ts';

/** The current sightings at these paths of one folder, by path. */
export async function currentSightings(
  sql: Transaction,
  folder: string,
  paths: readonly string[],
): Promise<Map<string, CurrentSighting>> {
  // Blocks other agents from writing about these files: a path has only one current sighting.
  if (sql.places.isShared(folder)) sql.send(SQL.LOCK_FOLDER, sql.places.ofFolder(folder));
  const parts = paths.map(splitPath);
  const [dirs, names] = [parts.map(({ dir }) => dir), parts.map(({ name }) => name)];
  const params: Params = { ...sql.places.ofFolder(folder), dirs, names };
  const rows = await sql.all<CurrentSighting & Omit<PlaceRow, 'folder'>>(SQL.CURRENT_SIGHTINGS, params);
  return new Map(rows.map((row) => [relativePath(row), row]));
}

/** Ids for rows of this transaction; higher than all ids given out before, by any agent. */
export async function nextSightings(sql: Sql, count: number): Promise<readonly number[]> {
  return (await sql.all<{ id: number }>(SQL.NEXT_SIGHTING_IDS, { count })).map(({ id }) => id);
}

/**
 * Makes `sighted` the current sighting at the paths of these files of one folder. Each previous sighting is either
 * updated (the same file judged again) or becomes history (other bytes, or bytes that belong to another document).
 * `sparesDocuments`: leaves files alone that are a document or a duplicate already, admitted earlier or concurrently.
 */
export async function putSightings(
  sql: Transaction,
  folder: string,
  files: readonly FileSeen[],
  sighted: Sighted,
  { sparesDocuments = false } = {},
): Promise<void> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const [current, ids] = await Promise.all([
    currentSightings(sql, folder, [...byPath.keys()]),
    nextSightings(sql, byPath.size),
  ]);
  let used = 0;
  for (const file of byPath.values()) {
    const before = current.get(file.path);
    if (sparesDocuments && isDocument(before, file.identity)) continue;
    const free = ids[used] as number;
    if (putSighting(sql, file, sighted, before, free) === free) used += 1;
  }
}

/** The same for one file; returns the id of the current sighting, which may be `freeId`. */
export function putSighting(
  sql: Transaction,
  file: FileSeen,
  sighted: Sighted,
  current: CurrentSighting | undefined,
  freeId: number,
  /** Set for a file that is being split. */
  split: Pick<SightedEvent, 'pages' | 'into'> = {},
): number {
  const stays = current !== undefined && isSameFile(current, file.identity, sighted);
  const sighting = stays ? current.id : freeId;
  sql.emit({ ...sightedEvent(sighting, file, sighted, current?.id ?? null), ...split }, sighted.at);
  return sighting;
}
