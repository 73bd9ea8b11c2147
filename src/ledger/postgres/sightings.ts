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

/** What is current at these paths of one folder, by path. */
export async function currentSightings(
  sql: Transaction,
  folder: string,
  paths: readonly string[],
): Promise<Map<string, CurrentSighting>> {
  // Whoever else might write of these files waits: there is one current sighting at a path.
  if (sql.places.isShared(folder)) sql.send(SQL.LOCK_FOLDER, sql.places.ofFolder(folder));
  const parts = paths.map(splitPath);
  const [dirs, names] = [parts.map(({ dir }) => dir), parts.map(({ name }) => name)];
  const params: Params = { ...sql.places.ofFolder(folder), dirs, names };
  const rows = await sql.all<CurrentSighting & Omit<PlaceRow, 'folder'>>(SQL.CURRENT_SIGHTINGS, params);
  return new Map(rows.map((row) => [relativePath(row), row]));
}

/** For rows of this transaction; higher than all that were given before, by whichever agent. */
export async function nextSightings(sql: Sql, count: number): Promise<readonly number[]> {
  return (await sql.all<{ id: number }>(SQL.NEXT_SIGHTING_IDS, { count })).map(({ id }) => id);
}

/**
 * Makes `sighted` what is current at the paths of these files of one folder. The sighting that was current either becomes
 * this one (the same file judged again) or history (other bytes, or bytes that belong to another document). `sparesDocuments`:
 * what is a document or a duplicate already, admitted before or beside this, stays one.
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

/** The same of one file; returns the number of what is current now, which may be the free one. */
export function putSighting(
  sql: Transaction,
  file: FileSeen,
  sighted: Sighted,
  current: CurrentSighting | undefined,
  freeId: number,
  /** Of a file that is taken apart. */
  split: Pick<SightedEvent, 'pages' | 'into'> = {},
): number {
  const stays = current !== undefined && isSameFile(current, file.identity, sighted);
  const sighting = stays ? current.id : freeId;
  sql.emit({ ...sightedEvent(sighting, file, sighted, current?.id ?? null), ...split }, sighted.at);
  return sighting;
}
