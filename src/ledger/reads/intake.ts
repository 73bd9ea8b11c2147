import type { KnownFile, LedgerIntake } from '../../core/ports/ledgerIntake.ts';
import { identityOf, type Columns, type View } from './view.ts';
import { splitPath, select } from '../schema.ts';

const NAMES_AT_ONCE = 1_000;

const KNOWN_NAMES = 'id name size identity verdict policy';
const KNOWN = select('f', KNOWN_NAMES);
type KnownColumns = Columns<'files', typeof KNOWN_NAMES>;

const CURRENT = 'f.folder_id = :folder AND f.dir = :dir AND f.gone_at IS NULL';

const AT = `SELECT ${KNOWN} FROM files f WHERE ${CURRENT} AND f.name = :name`;
const NAMED = `SELECT w.* FROM {rows name:text} {lateral} (
  SELECT ${KNOWN} FROM files f WHERE ${CURRENT} AND f.name = r.name LIMIT 1) w`;
/** Two statements: with an optional end, SQLite would read on beyond it. */
const AFTER = `SELECT ${KNOWN} FROM files f WHERE ${CURRENT} AND f.name > :after ORDER BY f.name LIMIT :limit`;
const UP_TO = `SELECT ${KNOWN} FROM files f WHERE ${CURRENT} AND f.name > :after AND f.name <= :upTo ORDER BY f.name LIMIT :limit`;
const NAMES = `SELECT f.name FROM files f WHERE ${CURRENT} AND f.name > :after ORDER BY f.name LIMIT :limit`;

/** Steps from one directory to the next along the index, since each may hold a million files. */
const DIRS = `WITH RECURSIVE dirs (dir) AS (
  SELECT (SELECT f.dir FROM files f WHERE f.folder_id = :folder AND f.gone_at IS NULL AND f.dir >= :under ORDER BY f.dir LIMIT 1)
  UNION ALL
  SELECT (SELECT f.dir FROM files f WHERE f.folder_id = :folder AND f.gone_at IS NULL AND f.dir > dirs.dir ORDER BY f.dir LIMIT 1)
    FROM dirs WHERE dirs.dir IS NOT NULL AND (:until = '' OR dirs.dir < :until))
SELECT dirs.dir FROM dirs WHERE dirs.dir IS NOT NULL`;

const MARK = 'SELECT mark FROM folders WHERE id = :folder';

export function intakeReads(
  view: View,
): Pick<LedgerIntake, 'known' | 'folderMark' | 'knownIn' | 'knownFrom' | 'namesIn' | 'dirs'> {
  return {
    async known({ folder, path }) {
      const row = await view.one<KnownColumns>(AT, { folder: view.folderId(folder), ...splitPath(path) });
      return row ? toKnown(row) : null;
    },

    folderMark: async (folder) =>
      (await view.one<Columns<'folders', 'mark'>>(MARK, { folder: view.folderId(folder) }))?.mark ?? null,

    async knownIn(folder, dir, names) {
      const batch = names.map((name) => ({ name }));
      const rows = await view.each<KnownColumns>(NAMED, batch, { folder: view.folderId(folder), dir });
      return new Map(rows.map((row) => [row.name, toKnown(row)]));
    },

    async knownFrom(folder, dir, { after, upTo }, limit) {
      const of = { folder: view.folderId(folder), dir, after, limit };
      const rows = await view.all<KnownColumns>(upTo === null ? AFTER : UP_TO, { ...of, upTo });
      return rows.map((row) => ({ name: row.name, ...toKnown(row) }));
    },

    async *namesIn(folder, dir) {
      const of = { folder: view.folderId(folder), dir, limit: NAMES_AT_ONCE };
      // File names are never empty, so this sorts before the first one.
      for (let after = ''; ;) {
        const rows = await view.all<Columns<'files', 'name'>>(NAMES, { ...of, after });
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.map(({ name }) => name);
        after = last.name;
      }
    },

    async dirs(folder, under) {
      // '0' follows '/'; between 'a' and 'a/b' may lie 'a-b'.
      const of = { folder: view.folderId(folder), under, until: under === '' ? '' : `${under}0` };
      const dirs = (await view.all<Columns<'files', 'dir'>>(DIRS, of)).map(({ dir }) => dir);
      return under === '' ? dirs : dirs.filter((dir) => dir === under || dir.startsWith(`${under}/`));
    },
  };
}

function toKnown(row: KnownColumns): KnownFile {
  return { fileId: row.id, identity: identityOf(row), verdict: row.verdict, policy: row.policy };
}
