import { ReceiptdError } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import type { Source, SourceEndpoint, SourceFolder, SourcePause } from '../postgres/import/source.ts';
import { openForReading } from './connection.ts';
import { HEAD } from './sql/journal.ts';
import { createSql } from './statements.ts';

const ENDPOINTS = `
SELECT CAST(id AS TEXT) AS id, base_url AS baseUrl, uid, next_seq AS nextSeq, next_line AS nextLine, name, record,
       created_at AS createdAt
  FROM endpoints ORDER BY endpoints.id`;
const FOLDERS = `
SELECT CAST(f.id AS TEXT) AS id, f.path, f.watched_at AS watchedAt, f.mark, o.rule, o.stays
  FROM folders f LEFT JOIN originals o ON o.folder_id = f.id ORDER BY f.id`;
const PAUSES = `SELECT scope, key, message, since FROM holds WHERE paused = 1 ORDER BY scope, key`;

/**
 * Opens a ledger, or a copy of one, for a caller that imports all of it.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED
 */
export function openSource(path: string): Source {
  const db = openForReading(path);
  const sql = createSql(db);
  const close = (): void => {
    sql.forget();
    db.close();
  };
  const head = sql.get<JournalHead>(HEAD);
  if (!head) {
    close();
    throw new ReceiptdError('LEDGER_OLDER.noJournal', { path });
  }
  return {
    head: { ...head },
    // Copied into plain objects: SQLite's binding returns its own kind.
    endpoints: sql.all<SourceEndpoint>(ENDPOINTS).map((row) => ({ ...row })),
    folders: sql.all<SourceFolder>(FOLDERS).map((row) => ({ ...row })),
    pauses: sql.all<SourcePause>(PAUSES).map((row) => ({ ...row })),
    lastId: (table) => sql.get<{ last: number | null }>(`SELECT max(id) AS last FROM ${table}`)?.last ?? 0,
    rows: ({ name, columns }, from, to) =>
      sql
        .tuples<readonly (bigint | string | null)[]>(
          `SELECT ${columns.map((each) => each.name).join(', ')} FROM ${name} WHERE id BETWEEN :from AND :to ORDER BY id`,
          { from, to },
        )
        .map((row) => row.map((value) => (value === null ? null : String(value)))),
    close,
  };
}
