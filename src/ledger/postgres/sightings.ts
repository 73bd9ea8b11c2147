import type { FileSeen } from '../../core/ports/ledgerIntake.ts';
import { relativePath, splitPath, toIdentity, type LocationRow } from '../rows.ts';
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

/** `isOfOther`: this agent does not lead the folder, so what it sees there it saw earlier, before an outage. */
export interface PathSighting extends CurrentSighting {
  readonly isOfOther: boolean;
}

/** The current sightings at these paths of one folder, by path. */
export async function currentSightings(
  sql: Transaction,
  folder: string,
  paths: readonly string[],
): Promise<Map<string, PathSighting>> {
  // Blocks other agents from writing about these files: a path has only one current sighting.
  const isShared = sql.places.isShared(folder);
  if (isShared) sql.send(SQL.LOCK_FOLDER, sql.places.ofFolder(folder));
  const parts = paths.map(splitPath);
  const [dirs, names] = [parts.map(({ dir }) => dir), parts.map(({ name }) => name)];
  const { agentId } = sql.session;
  const params: Params = { ...sql.places.ofFolder(folder), dirs, names, isShared, agentId };
  const rows = await sql.all<PathSighting & Omit<LocationRow, 'folder'>>(SQL.CURRENT_SIGHTINGS, params);
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

/**
 * The same for a file that may have been seen before what is current at its path: it was deferred during an outage, on
 * another file system perhaps (`isElsewhere`). It is recorded as gone then, and what its folder's leader saw since stays.
 */
export function putSeen(
  sql: Transaction,
  { file, isElsewhere = false }: Seen,
  sighted: Sighted,
  current: PathSighting | undefined,
  freeId: number,
  split?: Pick<SightedEvent, 'pages' | 'into'>,
): number {
  const isLate = isOutdated(current, { file, isElsewhere });
  const sighting = putSighting(sql, file, sighted, isLate ? undefined : current, freeId, split);
  if (isElsewhere || isLate) sql.emit({ kind: 'gone', sightings: [sighting] }, sighted.at);
  return sighting;
}

/** Not in a folder that this agent leads: if a clock was set back, a newer file has the earlier time. */
export function isOutdated(
  current: PathSighting | undefined,
  { file: { identity }, isElsewhere = false }: Seen,
): boolean {
  if (current?.isOfOther !== true) return false;
  return isElsewhere || toIdentity(current).ctimeNs > identity.ctimeNs;
}

interface Seen {
  readonly file: FileSeen;
  readonly isElsewhere?: boolean;
}
