export const FOLDER_ID = `(SELECT id FROM folders WHERE place = :place AND path = :folder)`;

/** 64-bit columns as text: a JavaScript number would round them. */
export const IDENTITY = `s.size, s.mtime_ns::text AS "mtimeNs", s.ctime_ns::text AS "ctimeNs", s.inode::text AS inode`;

/** Sightings, which refer to the folder, can still be inserted. */
export const LOCK_FOLDER = `
SELECT id FROM folders WHERE place = :place AND path = :folder FOR NO KEY UPDATE`;

export const MARK_WATCHED = `UPDATE folders SET watched_at = :at WHERE place = :place AND path = :folder`;

/** Each agent accesses a shared folder through its own file system. */
export const SET_FOLDER_MARK = `
INSERT INTO folder_marks (folder_id, agent_id, mark) VALUES (${FOLDER_ID}, :agentId, :mark)
ON CONFLICT (folder_id, agent_id) DO UPDATE SET mark = excluded.mark`;

export const FOLDER_MARK = `SELECT mark FROM folder_marks WHERE folder_id = ${FOLDER_ID} AND agent_id = :agentId`;

/** Steps along an index; a join planned while the folder was small would read all of it. */
export const CURRENT_SIGHTINGS = `
SELECT s.id, s.dir, s.name, s.verdict, s."documentId", s.sha256, s.policy, s.disposed, s.size, s."mtimeNs", s."ctimeNs", s.inode,
       :isShared AND NOT EXISTS (SELECT 1 FROM leads WHERE folder_id = ${FOLDER_ID} AND agent_id = :agentId) AS "isOfOther"
  FROM unnest(:dirs::text[], :names::text[]) AS wanted (dir, name)
 CROSS JOIN LATERAL (
   SELECT s.id, s.dir, s.name, s.verdict, s.document_id AS "documentId", s.sha256, s.policy, s.disposed, ${IDENTITY}
     FROM sightings s
    WHERE s.folder_id = ${FOLDER_ID} AND s.dir = wanted.dir AND s.name = wanted.name AND s.gone_at IS NULL LIMIT 1) s`;

const CURRENT = `
SELECT s.id, s.name, s.verdict, s.policy, ${IDENTITY}
  FROM sightings s
 WHERE s.folder_id = ${FOLDER_ID} AND s.dir = :dir AND s.gone_at IS NULL`;

export const CURRENT_IN_DIRECTORY = `${CURRENT} AND s.name = ANY (:names::text[])`;

export const CURRENT_AFTER = `${CURRENT} AND s.name > :after ORDER BY s.name LIMIT :limit`;
export const CURRENT_UP_TO = `${CURRENT} AND s.name > :after AND s.name <= :upTo ORDER BY s.name LIMIT :limit`;

export const CURRENT_NAMES = `
SELECT s.name
  FROM sightings s
 WHERE s.folder_id = ${FOLDER_ID} AND s.dir = :dir AND s.gone_at IS NULL AND s.name > :after
 ORDER BY s.name LIMIT :limit`;

/** Skips from one directory to the next, since each may hold a million files. '0' follows '/': 'a-b' is not below 'a'. */
export const CURRENT_DIRS = `
WITH RECURSIVE dirs (dir) AS (
  SELECT (SELECT s.dir FROM sightings s
           WHERE s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND s.dir >= :under::text
           ORDER BY s.dir LIMIT 1)
  UNION ALL
  SELECT (SELECT s.dir FROM sightings s
           WHERE s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND s.dir > dirs.dir
           ORDER BY s.dir LIMIT 1)
    FROM dirs WHERE dirs.dir IS NOT NULL AND (:under::text = '' OR dirs.dir < :under::text || '0')
)
SELECT dir FROM dirs
 WHERE dir IS NOT NULL
   AND (:under::text = '' OR dir = :under::text OR (dir >= :under::text || '/' AND dir < :under::text || '0'))`;

/** Not reserved in blocks: a higher id was given out later, by any agent. */
export const NEXT_SIGHTING_IDS = `SELECT nextval('sightings_id_seq') AS id FROM generate_series(1, :count::integer)`;
export const LAST_SIGHTING_ID = `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM sightings_id_seq`;

/** Whether the document has its own current sighting. A page always counts as having one, even if its file is gone. */
export const OWN_SIGHTING = `
SELECT id FROM sightings
 WHERE document_id = :documentId AND verdict = 'document' AND (gone_at IS NULL OR file_id IS NOT NULL) LIMIT 1`;

export const REFRESH_IDENTITY = `
UPDATE sightings
   SET size = :size, mtime_ns = :mtimeNs, ctime_ns = :ctimeNs, inode = :inode, updated_at = :at
 WHERE id = :id`;

/** Whether no other identity of the file was recorded since. */
export const IS_AS_SEEN = `
SELECT id FROM sightings
 WHERE id = :id AND size = :size AND mtime_ns = :mtimeNs AND ctime_ns = :ctimeNs AND inode = :inode`;

export const GONE = `
UPDATE sightings SET gone_at = :at, updated_at = :at WHERE id = ANY (:ids::bigint[]) AND gone_at IS NULL`;

export const INSERT_SIGHTINGS = `
INSERT INTO sightings (id, folder_id, dir, name, folded_path, size, mtime_ns, ctime_ns, inode, verdict, document_id, sha256,
                       policy, reason, message, seen_at, updated_at, gone_at)
SELECT s.id, f.id, s.dir, s.name, s.folded_path, s.size, s.mtime_ns, s.ctime_ns, s.inode, s.verdict, s.document_id, s.sha256,
       s.policy, s.reason, s.message, s.at, coalesce(s.gone_at, s.at), s.gone_at
  FROM unnest(:ids::bigint[], :places::text[], :folders::text[], :dirs::text[], :names::text[], :foldedPaths::text[],
              :sizes::bigint[], :mtimesNs::bigint[], :ctimesNs::bigint[], :inodes::bigint[], :verdicts::text[],
              :documentIds::bigint[], :sha256s::text[], :policies::text[], :reasons::text[], :messages::text[],
              :ats::bigint[], :goneAts::bigint[])
       AS s (id, place, folder, dir, name, folded_path, size, mtime_ns, ctime_ns, inode, verdict, document_id, sha256, policy,
             reason, message, at, gone_at)
  JOIN folders f ON f.place = s.place AND f.path = s.folder`;

/** An unreadable file is noted at every listing: an unchanged one is not a new case. */
const AS_BEFORE = `size = :size::bigint AND mtime_ns = :mtimeNs::bigint AND ctime_ns = :ctimeNs::bigint
                         AND inode = :inode::bigint AND verdict = :verdict AND reason IS NOT DISTINCT FROM :reason`;

export const UPDATE_SIGHTING = `
UPDATE sightings
   SET size = :size::bigint, mtime_ns = :mtimeNs::bigint, ctime_ns = :ctimeNs::bigint, inode = :inode::bigint,
       verdict = :verdict, document_id = :documentId, sha256 = :sha256, policy = :policy, reason = :reason,
       message = :message, updated_at = :at,
       dismissed_at = CASE WHEN ${AS_BEFORE} THEN dismissed_at END,
       dismissed_by = CASE WHEN ${AS_BEFORE} THEN dismissed_by END
 WHERE id = :id`;

export const DISMISS = `
UPDATE sightings SET dismissed_at = :at::bigint, dismissed_by = :by WHERE id = ANY (:ids::bigint[])`;

/** Must match the condition of the index `sightings_need_person` literally. */
export const NEEDS_PERSON = `s.gone_at IS NULL AND s.dismissed_at IS NULL
   AND (s.verdict IN ('incomplete', 'unreadable') OR (s.verdict = 'rejected' AND s.reason <> 'NOT_AN_IMAGE'))`;

export const DISMISSIBLE = `
SELECT s.id FROM sightings s WHERE s.id = ANY (:ids::bigint[]) AND ${NEEDS_PERSON} ORDER BY s.id FOR NO KEY UPDATE`;

export const DISMISSED = `
SELECT s.id FROM sightings s
 WHERE s.id = ANY (:ids::bigint[]) AND s.gone_at IS NULL AND s.dismissed_at IS NOT NULL ORDER BY s.id FOR NO KEY UPDATE`;

export const DISPOSING = `UPDATE sightings SET disposing = :how, updated_at = :at WHERE id = :id`;

export const DISPOSED = `
UPDATE sightings
   SET disposing = NULL, disposed = :how, archived_to = :archivedTo, updated_at = :at,
       gone_at = CASE :how WHEN 'kept' THEN gone_at ELSE coalesce(gone_at, :at::bigint) END
 WHERE id = :id`;
