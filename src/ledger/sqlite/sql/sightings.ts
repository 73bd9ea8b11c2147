/** 64-bit columns as text: a JavaScript number would round them. */
export const IDENTITY = `s.size, CAST(s.mtime_ns AS TEXT) AS mtimeNs, CAST(s.ctime_ns AS TEXT) AS ctimeNs,
       CAST(s.inode AS TEXT) AS inode`;

export const FOLDER_BY_PATH = `SELECT id FROM folders WHERE path = :folder`;

export const FOLDER_ID = `(${FOLDER_BY_PATH})`;

export const ENSURE_FOLDER = `INSERT INTO folders (path) VALUES (:folder) ON CONFLICT (path) DO NOTHING`;

export const WATCHED_AT = `SELECT watched_at AS watchedAt FROM folders WHERE path = :folder`;

export const MARK_WATCHED = `UPDATE folders SET watched_at = :at WHERE path = :folder`;

export const FOLDER_MARK = `SELECT mark FROM folders WHERE path = :folder`;

export const SET_FOLDER_MARK = `UPDATE folders SET mark = :mark WHERE path = :folder`;

export const CURRENT_SIGHTING = `
SELECT s.id, s.verdict, s.document_id AS documentId, s.sha256, s.policy, s.disposed, ${IDENTITY}
  FROM sightings s
 WHERE s.folder_id = :folderId AND s.dir = :dir AND s.name = :name AND s.gone_at IS NULL`;

export const CURRENT_IN_DIRECTORY = `
SELECT s.id, s.name, s.verdict, s.policy, ${IDENTITY}
  FROM json_each(:names) wanted CROSS JOIN sightings s
 WHERE s.folder_id = ${FOLDER_ID} AND s.dir = :dir AND s.name = wanted.value AND s.gone_at IS NULL`;

export const CURRENT_NAMES = `
SELECT s.name
  FROM sightings s
 WHERE s.folder_id = ${FOLDER_ID} AND s.dir = :dir AND s.gone_at IS NULL AND s.name > :after
 ORDER BY s.name LIMIT :limit`;

const CURRENT = `
SELECT s.id, s.name, s.verdict, s.policy, s.size, s.mtime_ns, s.ctime_ns, s.inode
  FROM sightings s
 WHERE s.folder_id = ${FOLDER_ID} AND s.dir = :dir AND s.gone_at IS NULL AND s.name > :after`;

/** Two statements: with an optional end, SQLite would read on beyond it. */
export const CURRENT_UP_TO = `${CURRENT} AND s.name <= :upTo ORDER BY s.name LIMIT :limit`;
export const CURRENT_AFTER = `${CURRENT} ORDER BY s.name LIMIT :limit`;

/** Skips from one directory to the next, since each may hold a million files. '0' follows '/': 'a-b' is not below 'a'. */
export const CURRENT_DIRS = `
WITH RECURSIVE dirs (dir) AS (
  SELECT (SELECT s.dir FROM sightings s
           WHERE s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND s.dir >= :under
           ORDER BY s.dir LIMIT 1)
  UNION ALL
  SELECT (SELECT s.dir FROM sightings s
           WHERE s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND s.dir > dirs.dir
           ORDER BY s.dir LIMIT 1)
    FROM dirs WHERE dirs.dir IS NOT NULL AND (:under = '' OR dirs.dir < :under || '0')
)
SELECT dir FROM dirs
 WHERE dir IS NOT NULL AND (:under = '' OR dir = :under OR (dir >= :under || '/' AND dir < :under || '0'))`;

export const INSERT_SIGHTING = `
INSERT INTO sightings (id, folder_id, dir, name, folded_path, size, mtime_ns, ctime_ns, inode, verdict, document_id,
                       sha256, policy, reason, message, seen_at, updated_at)
VALUES (:id, :folderId, :dir, :name, :foldedPath, :size, :mtimeNs, :ctimeNs, :inode, :verdict, :documentId, :sha256, :policy,
        :reason, :message, :at, :at)`;

/** Rows are never deleted, so an id is never reused. */
export const LAST_SIGHTING_ID = `SELECT coalesce(max(id), 0) AS id FROM sightings`;
export const NEXT_SIGHTING_ID = `SELECT coalesce(max(id), 0) + 1 AS id FROM sightings`;

/** An unreadable file is noted at every listing: an unchanged one is not a new case. */
const AS_BEFORE = `size = :size AND mtime_ns = :mtimeNs AND ctime_ns = :ctimeNs AND inode = :inode
                     AND verdict = :verdict AND reason IS :reason`;

export const UPDATE_SIGHTING = `
UPDATE sightings
   SET size = :size, mtime_ns = :mtimeNs, ctime_ns = :ctimeNs, inode = :inode, verdict = :verdict,
       document_id = :documentId, sha256 = :sha256, policy = :policy, reason = :reason, message = :message,
       updated_at = :at,
       dismissed_at = iif(${AS_BEFORE}, dismissed_at, NULL), dismissed_by = iif(${AS_BEFORE}, dismissed_by, NULL)
 WHERE id = :id`;

export const REFRESH_IDENTITY = `
UPDATE sightings
   SET size = :size, mtime_ns = :mtimeNs, ctime_ns = :ctimeNs, inode = :inode, updated_at = :at
 WHERE id = :id`;

/** Sightings of these bytes; those of a document are found through the document. */
export const OF_BYTES = (sha256: string) => `(
  SELECT id FROM sightings WHERE sha256 = ${sha256} AND document_id IS NULL
   UNION ALL
  SELECT bs.id
    FROM endpoints ne CROSS JOIN documents bd ON bd.endpoint_id = ne.id AND bd.sha256 = ${sha256}
    CROSS JOIN sightings bs ON bs.document_id = bd.id)`;

/** Whether no other identity of the file was recorded since. */
export const IS_AS_SEEN = `
SELECT id FROM sightings
 WHERE id = :id AND size = :size AND mtime_ns = :mtimeNs AND ctime_ns = :ctimeNs AND inode = :inode`;

export const DISMISS = `UPDATE sightings SET dismissed_at = :at, dismissed_by = :by WHERE id = :id`;

/** Must match the condition of the index `sightings_need_person` literally. */
export const NEEDS_PERSON = `s.gone_at IS NULL AND s.dismissed_at IS NULL
   AND (s.verdict IN ('incomplete', 'unreadable') OR (s.verdict = 'rejected' AND s.reason <> 'NOT_AN_IMAGE'))`;

export const DISMISSIBLE = `
SELECT s.id FROM sightings s WHERE s.id IN (SELECT value FROM json_each(:ids)) AND ${NEEDS_PERSON} ORDER BY s.id`;

export const DISMISSED = `
SELECT s.id FROM sightings s
 WHERE s.id IN (SELECT value FROM json_each(:ids)) AND s.gone_at IS NULL AND s.dismissed_at IS NOT NULL ORDER BY s.id`;

export const GONE = `UPDATE sightings SET gone_at = :at, updated_at = :at WHERE id = :id AND gone_at IS NULL`;

/** Whether the document has its own current sighting. A page always counts as having one, even if its file is gone. */
export const OWN_SIGHTING = `
SELECT id FROM sightings
 WHERE document_id = :documentId AND verdict = 'document' AND (gone_at IS NULL OR file_id IS NOT NULL) LIMIT 1`;

const LISTED_STATE = `CASE s.verdict WHEN 'document' THEN d.state ELSE s.verdict END`;

/** The plus keeps `id` the index that is walked; otherwise each batch sorts the whole folder. */
export const STANDINGS = `
SELECT s.id, f.path AS folder, s.dir, s.name, ${LISTED_STATE} AS state, d.name AS documentName, ${IDENTITY}
  FROM sightings s CROSS JOIN folders f ON f.id = s.folder_id LEFT JOIN documents d ON d.id = s.document_id
 WHERE +s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND s.id > :after
 ORDER BY s.id LIMIT :limit`;

const STANDING_COLUMNS = `s.id, f.path AS folder, s.dir, s.name, ${LISTED_STATE} AS state, d.name AS documentName, ${IDENTITY},
       CASE s.verdict WHEN 'document' THEN d.reason ELSE s.reason END AS reason,
       CASE s.verdict WHEN 'document' THEN d.message ELSE s.message END AS message,
       s.policy,
       CASE s.verdict WHEN 'document' THEN d.updated_at ELSE s.updated_at END AS at,
       CASE s.verdict WHEN 'document' THEN d.dismissed_at ELSE s.dismissed_at END AS dismissedAt`;

export const STANDING = `
SELECT ${STANDING_COLUMNS}
  FROM sightings s CROSS JOIN folders f ON f.id = s.folder_id LEFT JOIN documents d ON d.id = s.document_id
 WHERE s.folder_id = ${FOLDER_ID} AND s.dir = :dir AND s.name = :name AND s.gone_at IS NULL`;

/** For a page, while its file is there. */
export const STANDING_OF_PAGE = `
SELECT ${STANDING_COLUMNS}
  FROM sightings o CROSS JOIN sightings s ON s.file_id = o.id CROSS JOIN folders f ON f.id = s.folder_id
  LEFT JOIN documents d ON d.id = s.document_id
 WHERE o.folder_id = ${FOLDER_ID} AND o.dir = :fileDir AND o.name = :fileName AND o.gone_at IS NULL
   AND s.dir = :dir AND s.name = :name`;

/**
 * Counts an image that went away and came back once, although it was seen twice. A file that went away before it was at
 * rest was never an image.
 */
export const SEEN_COUNTS = `
SELECT f.path AS folder, ${LISTED_STATE} AS state,
       count(DISTINCT CASE s.verdict WHEN 'document' THEN s.document_id ELSE -s.id END) AS count
  FROM sightings s CROSS JOIN folders f ON f.id = s.folder_id LEFT JOIN documents d ON d.id = s.document_id
 WHERE (:since IS NULL OR s.seen_at >= :since) AND (:until IS NULL OR s.seen_at < :until)
   AND (s.gone_at IS NULL OR s.verdict NOT IN ('incomplete', 'unreadable'))
 GROUP BY f.id, 2
 ORDER BY f.id, 2`;

/**
 * Documents by creation time, other files by when they were seen: both have an index, and a ledger may hold a million
 * of either.
 */
export const ARRIVALS = `
SELECT f.path AS folder, came.at - came.at % :everyMs AS at, count(*) AS count
  FROM (SELECT d.folder_id, d.created_at AS at FROM documents d INDEXED BY documents_created
         WHERE d.created_at >= :from AND d.created_at < :to
        UNION ALL
        SELECT s.folder_id, s.seen_at FROM sightings s INDEXED BY sightings_listed
         WHERE s.verdict <> 'document' AND s.seen_at >= :from AND s.seen_at < :to AND s.verdict NOT IN ('skipped', 'split')) came
  JOIN folders f ON f.id = came.folder_id
 GROUP BY f.id, 2
 ORDER BY f.id, 2`;
