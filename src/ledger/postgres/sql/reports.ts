import { SELECT_DOCUMENT } from './documents.ts';
import { FOLDER_ID, NEEDS_PERSON } from './sightings.ts';

/** A sighting that `list` shows beside the documents; incomplete and unreadable ones only while they are current. */
export const LISTED = `s.verdict <> 'document' AND (s.gone_at IS NULL OR s.verdict NOT IN ('incomplete', 'unreadable'))`;

/** Walks the index of one endpoint after the other: OFFSET enforces this, regardless of the statistics. */
const ATTEMPTS_STARTED = `
  FROM endpoints e CROSS JOIN LATERAL (
       SELECT started_at, finished_at, outcome, bytes FROM attempts
        WHERE endpoint_id = e.id AND started_at >= :from::bigint AND started_at < :to::bigint OFFSET 0) a`;

export const COUNT_ACCEPTED = `SELECT count(*) AS count ${ATTEMPTS_STARTED} WHERE a.outcome = 'accepted'`;

/** Upload requests, by start time. */
export const UPLOADS = `
SELECT a.started_at AS "startedAt", a.finished_at AS "finishedAt", a.outcome, a.bytes ${ATTEMPTS_STARTED}`;

export const DOCUMENTS_BY_NAME = `${SELECT_DOCUMENT}
 WHERE d.id IN (SELECT n.id FROM endpoints ne CROSS JOIN LATERAL (
                SELECT id FROM documents WHERE endpoint_id = ne.id AND name = :name OFFSET 0) n)
 ORDER BY d.id`;

export const DOCUMENT_MORE = `
SELECT response, dismissed_at AS "dismissedAt", dismissed_by AS "dismissedBy" FROM documents WHERE id = :id`;

export const COUNT_DOCUMENTS = `
SELECT e.base_url AS "baseUrl", e.uid, f.place, f.path AS folder, c.state, sum(c.count) AS count
  FROM document_counts c
  JOIN endpoints e ON e.id = c.endpoint_id
  JOIN folders f ON f.id = c.folder_id
 GROUP BY e.id, f.id, c.state
HAVING sum(c.count) > 0
 ORDER BY e.id, f.id, c.state`;

export const COUNT_SIGHTINGS = `
SELECT e.base_url AS "baseUrl", e.uid, f.place, f.path AS folder, c.verdict AS state, sum(c.count) AS count
  FROM file_counts c
  JOIN folders f ON f.id = c.folder_id
  LEFT JOIN endpoints e ON e.id = c.endpoint_id
 GROUP BY c.endpoint_id, e.id, f.id, c.verdict
HAVING sum(c.count) > 0
 ORDER BY e.id, f.id, c.verdict`;

export const COUNT_DISMISSED = `
SELECT e.base_url AS "baseUrl", e.uid, f.place, f.path AS folder, c.state, c.count
  FROM (SELECT endpoint_id, folder_id, state, count(*) AS count FROM documents
         WHERE dismissed_at IS NOT NULL GROUP BY endpoint_id, folder_id, state) c
  JOIN endpoints e ON e.id = c.endpoint_id
  JOIN folders f ON f.id = c.folder_id`;

export const COUNT_NEEDING = `
SELECT f.place, f.path AS folder, c.verdict, c.reason, c.count
  FROM (SELECT s.folder_id, s.verdict, s.reason, count(*) AS count FROM sightings s
         WHERE ${NEEDS_PERSON} GROUP BY s.folder_id, s.verdict, s.reason) c
  JOIN folders f ON f.id = c.folder_id
 ORDER BY c.folder_id, c.verdict, c.reason`;

/** Returns no row if the triggers' counts match the rows. */
export const MISCOUNTED = `
WITH counted AS (
       SELECT endpoint_id, folder_id, state, sum(count)::bigint FROM document_counts
        GROUP BY endpoint_id, folder_id, state HAVING sum(count) <> 0
       UNION ALL
       SELECT endpoint_id, folder_id, verdict, sum(count)::bigint FROM file_counts
        GROUP BY endpoint_id, folder_id, verdict HAVING sum(count) <> 0),
     there AS (
       SELECT endpoint_id, folder_id, state, count(*) FROM documents GROUP BY endpoint_id, folder_id, state
       UNION ALL
       SELECT coalesce(d.endpoint_id, 0), s.folder_id, s.verdict, count(*)
         FROM sightings s LEFT JOIN documents d ON d.id = s.document_id
        WHERE ${LISTED}
        GROUP BY coalesce(d.endpoint_id, 0), s.folder_id, s.verdict)
SELECT 1 FROM ((TABLE counted EXCEPT TABLE there) UNION ALL (TABLE there EXCEPT TABLE counted)) each LIMIT 1`;

export const ATTEMPTS_OF = `
SELECT id, started_at AS "startedAt", finished_at AS "finishedAt", outcome, http_status AS "httpStatus", bytes, message
  FROM attempts WHERE document_id = :id ORDER BY id`;

export const SIGHTINGS_OF = `
SELECT f.place, f.path AS folder, s.dir, s.name, s.verdict, s.size, s.seen_at AS "seenAt", s.gone_at AS "goneAt",
       s.disposed, s.archived_to AS "archivedTo", s.message AS remark
  FROM sightings s JOIN folders f ON f.id = s.folder_id
 WHERE s.document_id = :id ORDER BY s.id`;

const LAST_ID = '9223372036854775807';

/**
 * Finds both kinds of personal data in `HOLDS_PERSONAL_DATA`, since a result may arrive after everything else was
 * erased. Each kind is read along an index, and only as far as `atMost` documents reach.
 */
export const ERASABLE = `
WITH whole AS MATERIALIZED (
  SELECT d.id FROM documents d
   WHERE d.created_at < :before::bigint AND d.erased_at IS NULL AND d.state NOT IN ('queued', 'uploading')
     AND d.id > :afterId::bigint
   ORDER BY d.id LIMIT :atMost::bigint)
SELECT id FROM whole
 UNION
SELECT d.id FROM results r JOIN documents d ON d.id = r.document_id
 WHERE r.payload IS NOT NULL AND r.document_id > :afterId::bigint
   AND r.document_id <= (SELECT CASE WHEN count(*) = :atMost::bigint THEN max(id) ELSE ${LAST_ID} END FROM whole)
   AND d.created_at < :before::bigint AND d.erased_at IS NOT NULL AND d.state NOT IN ('queued', 'uploading')
 ORDER BY id LIMIT :atMost::bigint`;

export const WATCHED_AT = `SELECT watched_at AS "watchedAt" FROM folders WHERE place = :place AND path = :folder`;

const LISTED_STATE = `CASE s.verdict WHEN 'document' THEN d.state ELSE s.verdict END`;

const STANDING_COLUMNS = `s.id, s.dir, s.name, ${LISTED_STATE} AS state, d.name AS "documentName", s.size,
       s.mtime_ns::text AS "mtimeNs", s.ctime_ns::text AS "ctimeNs", s.inode::text AS inode`;

export const STANDINGS = `
SELECT ${STANDING_COLUMNS}
  FROM sightings s LEFT JOIN documents d ON d.id = s.document_id
 WHERE s.folder_id = ${FOLDER_ID} AND s.gone_at IS NULL AND (s.dir, s.name) > (:dir, :name)
 ORDER BY s.dir, s.name LIMIT :limit`;

const FILE_STANDING_COLUMNS = `${STANDING_COLUMNS},
       CASE s.verdict WHEN 'document' THEN d.reason ELSE s.reason END AS reason,
       CASE s.verdict WHEN 'document' THEN d.message ELSE s.message END AS message,
       s.policy,
       CASE s.verdict WHEN 'document' THEN d.updated_at ELSE s.updated_at END AS at,
       CASE s.verdict WHEN 'document' THEN d.dismissed_at ELSE s.dismissed_at END AS "dismissedAt"`;

export const STANDING = `
SELECT ${FILE_STANDING_COLUMNS}
  FROM sightings s LEFT JOIN documents d ON d.id = s.document_id
 WHERE s.folder_id = ${FOLDER_ID} AND s.dir = :dir AND s.name = :name AND s.gone_at IS NULL`;

/** For a page, while its file is there. */
export const STANDING_OF_PAGE = `
SELECT ${FILE_STANDING_COLUMNS}
  FROM sightings o JOIN sightings s ON s.file_id = o.id LEFT JOIN documents d ON d.id = s.document_id
 WHERE o.folder_id = ${FOLDER_ID} AND o.dir = :fileDir AND o.name = :fileName AND o.gone_at IS NULL
   AND s.dir = :dir AND s.name = :name`;

/**
 * Counts an image that went away and came back once, although it was seen twice. A file that went away before it was at
 * rest was never an image.
 */
export const SEEN_COUNTS = `
SELECT f.place, f.path AS folder, ${LISTED_STATE} AS state,
       count(DISTINCT CASE s.verdict WHEN 'document' THEN s.document_id ELSE -s.id END) AS count
  FROM sightings s JOIN folders f ON f.id = s.folder_id LEFT JOIN documents d ON d.id = s.document_id
 WHERE (:since::bigint IS NULL OR s.seen_at >= :since::bigint) AND (:until::bigint IS NULL OR s.seen_at < :until::bigint)
   AND (s.gone_at IS NULL OR s.verdict NOT IN ('incomplete', 'unreadable'))
 GROUP BY f.id, 3
 ORDER BY f.id, 3`;

/** Documents by creation time, other files by when they were seen: both have an index. */
export const ARRIVALS = `
SELECT f.place, f.path AS folder, came.at - came.at % :everyMs::bigint AS at, count(*) AS count
  FROM (SELECT d.folder_id, d.created_at AS at FROM documents d
         WHERE d.created_at >= :from::bigint AND d.created_at < :to::bigint
        UNION ALL
        SELECT s.folder_id, s.seen_at FROM sightings s
         WHERE s.verdict <> 'document' AND s.seen_at >= :from::bigint AND s.seen_at < :to::bigint
           AND s.verdict NOT IN ('skipped', 'split')) came
  JOIN folders f ON f.id = came.folder_id
 GROUP BY f.id, 3
 ORDER BY f.id, 3`;

export const HEAD = `
SELECT chain AS ledger, head_seq AS seq, head_hash AS hash FROM agents WHERE name = :agent AND head_seq > 0`;
