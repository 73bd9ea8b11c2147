import type { FileRef } from '../../core/domain/document.ts';
import type { FileSeen } from '../../core/ports/ledgerIntake.ts';
import { splitPath } from '../rows.ts';
import type { Transaction } from './commit.ts';
import { nextId } from './numbers.ts';
import { folderIdOf } from './ids.ts';
import {
  isSameFile,
  sightedEvent,
  type CurrentSighting,
  type Sighted,
  type SightedEvent,
} from '../sighted.ts';
import * as SQL from './sql/sightings.ts';
import type { Sql } from './statements.ts';

export function currentSighting(sql: Sql, file: FileRef): CurrentSighting | undefined {
  const folderId = folderIdOf(sql, file.folder);
  if (folderId === undefined) return undefined;
  const { dir, name } = splitPath(file.path);
  return sql.get<CurrentSighting>(SQL.CURRENT_SIGHTING, { folderId, dir, name });
}

/**
 * Makes `sighted` the current sighting at the file's path. The previous one is either updated (the same file judged
 * again) or becomes history (other bytes, or bytes that belong to another document). Returns the sighting's id.
 */
export function putSighting(
  sql: Transaction,
  file: FileSeen,
  sighted: Sighted,
  current = currentSighting(sql, file),
  /** Set for a file that is being split. */
  split: Pick<SightedEvent, 'pages' | 'into'> = {},
): number {
  const stays = current !== undefined && isSameFile(current, file.identity, sighted);
  const sighting = stays ? current.id : nextId(sql, 'sightings');
  sql.emit({ ...sightedEvent(sighting, file, sighted, current?.id ?? null), ...split }, sighted.at);
  return sighting;
}
